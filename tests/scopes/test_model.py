"""The schema: what a context may and must hold."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ctxcache.scopes.model import FILTERABLE, METADATA, ContextFile

LEAN: dict[str, Any] = {
    "version": 1,
    "last_updated": "2026-03-01T08:30:00Z",
    "fingerprint": "0badcafe",
    "scope": "quay",
    "summary": "Berths and who lies there.",
    "maintenance": "Keep it true.",
}

RICH: dict[str, Any] = LEAN | {
    "files": [{"name": "berth.py", "purpose": "One berth", "test_file": "tests/test_berth.py"}],
    "interfaces": [{"name": "GET /berths", "description": "All of them"}],
    "decisions": [{"what": "Metres", "why": "Charts", "tradeoff": "Feet are converted"}],
    "constraints": ["No ship twice"],
    "dependencies": {"internal": ["tide"], "external": ["pyproj>=3"]},
    "current_state": {"working": ["mooring"], "broken": [], "in_progress": ["dues"]},
    "subdirectories": [{"name": "dues/", "summary": "What a berth costs"}],
    "environment": ["PORT_NAME"],
    "testing": ["pytest"],
    "todos": ["Night rates"],
    "data_models": ["Berth"],
    "events": ["ship.moored"],
    "config": ["port.toml"],
    "project": {"name": "port", "description": "A port", "language": "Python", "framework": "flask"},
    "structure": [{"path": "quay", "summary": "Berths"}],
    "exports": ["def moor(ship)"],
    "derived_fields": ["files"],
    "evidence": {
        "collected_at": "2026-03-01T08:30:00Z",
        "test_status": "passing",
        "test_count": 12.0,
        "failing_tests": [],
        "typecheck": "clean",
        "lint_status": "unknown",
        "coverage_percent": 87.5,
    },
}


@pytest.mark.parametrize("fields", [LEAN, RICH], ids=["lean", "rich"])
def test_a_context_keeps_what_was_given_and_nothing_else(fields: dict[str, Any]) -> None:
    assert ContextFile.model_validate(fields).as_dict() == fields


def test_fields_come_in_the_order_of_an_answer() -> None:
    """Metadata, then what a filter may name, then the rest: however the file has them."""
    backwards = dict(reversed(RICH.items()))
    order = [*METADATA, *FILTERABLE, "derived_fields", "evidence"]
    assert list(ContextFile.model_validate(backwards).as_dict()) == [name for name in order if name in RICH]


@pytest.mark.parametrize("name", LEAN)
def test_every_required_field_is_required(name: str) -> None:
    with pytest.raises(ValidationError, match=name):
        ContextFile.model_validate({key: value for key, value in LEAN.items() if key != name})


@pytest.mark.parametrize("name", [*RICH, "unheard_of"])
def test_no_field_may_be_null(name: str) -> None:
    with pytest.raises(ValidationError):
        ContextFile.model_validate(RICH | {name: None})


@pytest.mark.parametrize(
    "fault",
    [
        {"unheard_of": "x"},
        {"version": "1"},
        {"version": True},
        {"version": 1.5},
        {"version": 0},
        {"summary": 7},
        {"files": "berth.py"},
        {"files": [{"name": "berth.py"}]},
        {"files": [{"name": "a", "purpose": "b", "size": 1}]},
        {"files": [{"name": "a", "purpose": "b", "test_file": None}]},
        {"constraints": ["x", 1]},
        {"constraints": {"x": "y"}},
        {"dependencies": ["x"]},
        {"dependencies": {"peer": []}},
        {"project": {"name": "port", "language": "Python"}},
        {"evidence": {"test_status": "passing"}},
        {"evidence": {"collected_at": "x", "test_status": "flaky"}},
        {"evidence": {"collected_at": "x", "test_count": 1.5}},
        {"evidence": {"collected_at": "x", "test_count": True}},
        {"evidence": {"collected_at": "x", "test_count": 2**53}},
        {"evidence": {"collected_at": "x", "coverage_percent": 100.5}},
        {"evidence": {"collected_at": "x", "coverage_percent": float("nan")}},
        {"evidence": {"collected_at": "x", "coverage_percent": "87"}},
    ],
)
def test_what_the_schema_refuses_is_refused(fault: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ContextFile.model_validate(LEAN | fault)


def test_version_one_may_be_written_with_a_fraction() -> None:
    """JSON does not tell 1.0 from 1."""
    assert ContextFile.model_validate(LEAN | {"version": 1.0}).version == 1
