"""A project to ask about, written into a temporary folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ctxcache.scopes.queries import Answer
from ctxcache.scopes.write import dump

Tree = Callable[[dict[str, str]], Path]
Context = Callable[..., str]
Failed = Callable[[Answer], str]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Write files, by path below the project's root, and give the root."""

    def write(files: dict[str, str]) -> Path:
        root = tmp_path / "project"
        root.mkdir(exist_ok=True)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        return root

    return write


@pytest.fixture
def context() -> Context:
    """The text of a valid `.context.yaml`, with other fields where given; None leaves one out."""

    def text(**fields: object) -> str:
        values: dict[str, object] = {
            "version": 1,
            "scope": ".",
            "fingerprint": "0badcafe",
            "last_updated": "2026-03-01T08:30:00Z",
            "summary": "What the harbour master keeps.",
            "maintenance": "Keep it true.",
        }
        values |= fields
        return dump({name: value for name, value in values.items() if value is not None})

    return text


@pytest.fixture
def failed() -> Failed:
    """The error text of an answer of `query_context`, whose shape is checked."""

    def text_of(answer: Answer) -> str:
        assert answer.is_error
        assert list(answer.data) == ["found", "scope", "error"]
        assert answer.data["found"] is False
        text: str = answer.data["error"]
        return text

    return text_of
