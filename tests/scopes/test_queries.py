"""The three tools: shapes to the key order, texts to the letter (rules C13 to C17)."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING

import pytest

from ctxcache.scopes.fingerprint import content_fingerprint, stat_fingerprint
from ctxcache.scopes.project import ScopeProject
from ctxcache.scopes.queries import Answer, check_freshness, list_contexts, query_context

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Tree = Callable[[dict[str, str]], Path]
    Context = Callable[..., str]
    Failed = Callable[[Answer], str]

LARGE = "value = 1\n" * 2000
"""Source of 5,000 tokens: enough for a scope of its own."""

MISSING = (
    'No .context.yaml found at scope "{}". This scope may be below the min_tokens threshold; '
    "use list_contexts to see eligible scopes."
)
VERSION_2 = (
    "Unsupported schema version 2 (this tool supports version 1). Upgrade dotcontext to read this file."
)


def stored(project: ScopeProject, scope: str = ".") -> str:
    """The fingerprint by times that the original tool would store."""
    return stat_fingerprint(project.listing(project.locate(scope)).files)


# query_context


def test_a_whole_context_comes_with_its_metadata_first(tree: Tree, context: Context) -> None:
    root = tree({"src/.context.yaml": context(scope="src", exports=["def moor(ship)"], todos=["Dredge"])})
    answer = query_context(ScopeProject(root), "src")
    assert not answer.is_error
    assert answer.to_json() == (
        '{\n  "found": true,\n  "scope": "src",\n  "context": {\n    "version": 1,\n    "scope": "src",\n'
        '    "fingerprint": "0badcafe",\n    "last_updated": "2026-03-01T08:30:00Z",\n'
        '    "summary": "What the harbour master keeps.",\n    "todos": [\n      "Dredge"\n    ],\n'
        '    "maintenance": "Keep it true.",\n    "exports": [\n      "def moor(ship)"\n    ]\n  }\n}'
    )


def test_a_filter_keeps_the_metadata_and_what_it_names(tree: Tree, context: Context) -> None:
    decisions = [{"what": "One quay", "why": "One crane"}]
    root = tree({".context.yaml": context(decisions=decisions, todos=["Dredge"])})
    answer = query_context(ScopeProject(root), ".", ["decisions", "summary"])
    assert list(answer.data["context"]) == [
        "version",
        "scope",
        "fingerprint",
        "last_updated",
        "summary",
        "decisions",
    ]
    assert answer.data["context"]["decisions"] == decisions


def test_a_filter_selects_no_field_that_is_absent_or_unknown(tree: Tree, context: Context) -> None:
    root = tree({".context.yaml": context(derived_fields=["summary"])})
    answer = query_context(ScopeProject(root), ".", ["events", "weather", "derived_fields"])
    assert list(answer.data["context"]) == ["version", "scope", "fingerprint", "last_updated"]


def test_an_empty_filter_is_no_filter(tree: Tree, context: Context) -> None:
    project = ScopeProject(tree({".context.yaml": context()}))
    assert query_context(project, ".", []) == query_context(project, ".")


def test_a_later_version_is_told_apart(tree: Tree, context: Context, failed: Failed) -> None:
    """Even where a later schema has other fields."""
    project = ScopeProject(tree({".context.yaml": context(version=2, summary=None, novelty="x")}))
    assert failed(query_context(project, ".")) == VERSION_2
    assert check_freshness(project, ".").data == {"scope": ".", "state": "missing", "error": VERSION_2}


# check_freshness


def test_a_fresh_context_has_the_contracts_shape(tree: Tree, context: Context) -> None:
    """By times, as files of the original tool have it."""
    project = ScopeProject(tree({"core/a.py": "x", "core/b.py": "y"}))
    fingerprint = stored(project, "core")
    tree({"core/.context.yaml": context(fingerprint=fingerprint)})
    answer = check_freshness(project, "core")
    assert not answer.is_error
    assert answer.to_json() == json.dumps(
        {
            "scope": "core",
            "state": "fresh",
            "fingerprint": {"stored": fingerprint, "computed": fingerprint},
            "last_updated": "2026-03-01T08:30:00Z",
        },
        indent=2,
    )


def test_a_stale_context_is_no_error(tree: Tree, context: Context) -> None:
    project = ScopeProject(tree({"a.py": "x", ".context.yaml": context()}))
    answer = check_freshness(project, ".")
    computed = content_fingerprint(str(project.root), project.listing(project.root).files, project.hashes)
    assert not answer.is_error
    assert list(answer.data) == ["scope", "state", "fingerprint", "last_updated"]
    assert answer.data["state"] == "stale"
    assert answer.data["fingerprint"] == {"stored": "0badcafe", "computed": computed}


# list_contexts


def test_the_list_has_the_contracts_shape(tree: Tree, context: Context) -> None:
    project = ScopeProject(
        tree({"src/a.py": LARGE, "tests/t.py": LARGE, "small/s.py": "x = 1\n", "small/leaf/s.py": "x = 1\n"})
    )
    tree({".context.yaml": context(fingerprint=stored(project)), "src/.context.yaml": context(scope="src")})
    answer = list_contexts(project)
    assert not answer.is_error
    assert answer.to_json() == json.dumps(
        {
            "root": project.root,
            "total_directories": 3,
            "skipped_directories": 2,
            "tracked": 2,
            "entries": [
                {
                    "scope": ".",
                    "state": "fresh",
                    "has_context": True,
                    "last_updated": "2026-03-01T08:30:00Z",
                    "summary": "What the harbour master keeps.",
                },
                {
                    "scope": "src",
                    "state": "stale",
                    "has_context": True,
                    "last_updated": "2026-03-01T08:30:00Z",
                    "summary": "What the harbour master keeps.",
                },
                {"scope": "tests", "state": "missing", "has_context": False},
            ],
        },
        indent=2,
    )


def test_unsupported_and_corrupt_files_are_listed_as_missing(tree: Tree, context: Context) -> None:
    root = tree({"a/a.py": LARGE, "a/.context.yaml": context(version=2), "b/b.py": LARGE})
    (root / "b" / ".context.yaml").write_text("[")
    entries = list_contexts(ScopeProject(root)).data["entries"]
    assert entries[1:] == [{"scope": scope, "state": "missing", "has_context": False} for scope in ("a", "b")]


def test_scopes_are_sorted_by_code_point(tree: Tree) -> None:
    names = ["b", "B", "a-b", "a", "a/c", "é", "z", "日本"]
    root = tree({f"{name}/x.py": LARGE for name in names})
    scopes = [entry["scope"] for entry in list_contexts(ScopeProject(root)).data["entries"]]
    assert scopes == sorted([".", *names])


@pytest.mark.parametrize("kind", ["missing", "file", "broken settings"])
def test_what_cannot_be_scanned_fails_as_a_whole(tree: Tree, kind: str) -> None:
    root = tree({"file": "", "ctx.toml": "[scopes]\nmin_tokens = -1\n"})
    path = {"missing": root / "no", "file": root / "file", "broken settings": root}[kind]
    answer = list_contexts(ScopeProject(path))
    assert answer.is_error
    assert answer.to_json() == (
        f'{{\n  "root": "{path}",\n  "total_directories": 0,\n  "skipped_directories": 0,\n'
        f'  "tracked": 0,\n  "entries": [],\n  "error": "Failed to scan project at \\"{path}\\""\n}}'
    )


def test_another_path_is_another_project(tree: Tree, context: Context, failed: Failed) -> None:
    root = tree({"one/.context.yaml": context(summary="One."), "two/.context.yaml": context(summary="Two.")})
    project = ScopeProject(root / "one")
    assert query_context(project.at("../two"), ".").data["context"]["summary"] == "Two."
    assert query_context(project.at(str(root / "two")), ".").data["context"]["summary"] == "Two."
    assert project.at(".") is project
    assert failed(query_context(project.at("nowhere"), ".")) == MISSING.format(".")


# what a server relies on


def test_a_change_is_seen_by_the_next_call(tree: Tree, context: Context) -> None:
    """What was read once is kept only while the files are the same."""
    project = ScopeProject(tree({"a.py": "x", ".context.yaml": context(summary="Before.")}))
    for path in ("a.py", ".context.yaml"):
        os.utime(f"{project.root}/{path}", (1, 1))
    first = check_freshness(project, ".").data["fingerprint"]["computed"]
    tree({"a.py": "y", ".context.yaml": context(summary="Behind.")})
    os.utime(f"{project.root}/.context.yaml", (1, 1))
    assert query_context(project, ".").data["context"]["summary"] == "Behind."
    assert check_freshness(project, ".").data["fingerprint"]["computed"] != first


def test_answers_are_equal_from_several_threads(tree: Tree, context: Context) -> None:
    files = {f"d{number}/{name}": LARGE for number in range(8) for name in ("a.py", "b.py")}
    project = ScopeProject(tree(files | {f"d{number}/.context.yaml": context() for number in range(8)}))
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda: answers.append(list_contexts(project).to_json())) for _ in "1234"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(answers)) == 1
    assert len(answers) == 4
