"""What a `.context.yaml` may look like, and what is corrupt (rule C17)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ctxcache.scopes.project import ScopeProject
from ctxcache.scopes.queries import Answer, check_freshness, query_context

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Tree = Callable[[dict[str, str]], Path]
    Context = Callable[..., str]
    Failed = Callable[[Answer], str]

CORRUPT = 'Invalid or corrupt .context.yaml at scope "{}"'


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [*{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n# nothing\n",
        "- version: 1\n",
        "just words\n",
        'version: "unclosed\nmore: : :\n',
        "[" * 3000 + "]" * 3000,
        "- " * 3000 + "x",
        BOMB,
        "a: &a [*a]\n",
        "version: 1\n---\nversion: 1\n",
        "version: .inf\n",
        "version: 9" + "9" * 5000 + "e" + "\n",
        "version: !!python/object:os.system x\n",
        "\x00",
        'summary: "\\ud800"\n',
    ],
    ids=[
        *("empty", "comment", "list", "string", "syntax", "flow depth", "block depth", "bomb", "self"),
        *("two documents", "infinite", "long number", "tag", "nul", "surrogate"),
    ],
)
def test_a_corrupt_file_is_one_whatever_it_holds(tree: Tree, text: str, failed: Failed) -> None:
    project = ScopeProject(tree({".context.yaml": text}))
    assert failed(query_context(project, ".")) == CORRUPT.format(".")
    answer = check_freshness(project, ".")
    assert answer.data == {"scope": ".", "state": "missing", "error": CORRUPT.format(".")}


def test_a_ten_megabyte_file_is_refused_unread(tree: Tree, context: Context, failed: Failed) -> None:
    project = ScopeProject(tree({".context.yaml": context() + "# padding\n" * 2**20}))
    assert failed(query_context(project, ".")) == CORRUPT.format(".")


@pytest.mark.parametrize("data", [b"\xff\xfev\x00", b"summary: \xe9\n"])
def test_what_is_not_utf8_is_corrupt(tree: Tree, data: bytes, failed: Failed) -> None:
    root = tree({})
    (root / ".context.yaml").write_bytes(data)
    assert failed(query_context(ScopeProject(root), ".")) == CORRUPT.format(".")


def test_a_pipe_or_a_folder_in_its_place_is_corrupt(tree: Tree, failed: Failed) -> None:
    """And nobody waits for the writer of the pipe."""
    root = tree({"src/.context.yaml/x": ""})
    os.mkfifo(root / ".context.yaml")
    assert failed(query_context(ScopeProject(root), ".")) == CORRUPT.format(".")
    assert failed(query_context(ScopeProject(root), "src")) == CORRUPT.format("src")


def test_a_mark_and_windows_line_ends_change_nothing(tree: Tree, context: Context) -> None:
    plain = ScopeProject(tree({".context.yaml": context()}))
    marked = ScopeProject(tree({"w/.context.yaml": "\ufeff" + context().replace("\n", "\r\n")}))
    expected = query_context(plain, ".").data["context"]
    assert query_context(marked, "w").data["context"] == expected


def test_a_number_is_no_fingerprint(tree: Tree, context: Context, failed: Failed) -> None:
    """Unquoted, `12345678` is a number in YAML: the schema wants a string."""
    text = context().replace('"0badcafe"', "12345678")
    assert failed(query_context(ScopeProject(tree({".context.yaml": text})), ".")) == CORRUPT.format(".")


def test_dates_and_no_are_strings_without_quotes(tree: Tree, context: Context) -> None:
    text = context().replace('"2026-03-01T08:30:00Z"', "2026-02-13T10:00:00Z")
    text = text.replace('"What the harbour master keeps."', "no").replace('"0badcafe"', "0badcafe")
    found = query_context(ScopeProject(tree({".context.yaml": text})), ".").data["context"]
    assert (found["last_updated"], found["summary"], found["fingerprint"]) == (
        "2026-02-13T10:00:00Z",
        "no",
        "0badcafe",
    )
