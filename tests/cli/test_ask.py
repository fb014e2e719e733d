"""Asking for people: defaults, what was chosen and where it matches, the manners of a terminal."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Callable
from subprocess import PIPE, CompletedProcess, Popen
from typing import TYPE_CHECKING

import pytest

from ctxcache import build, open_cache
from ctxcache.resolver.snippets import WINDOW, snippet

if TYPE_CHECKING:
    from pathlib import Path

Ctx = Callable[..., CompletedProcess[str]]

HOSTILE = "# Pager\n\nThe pager wakes you \x1b[31mat night\x1b[0m.\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one cache, the current directory."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/pager.md").write_text(HOSTILE)
    (tmp_path / "docs" / f"{'long-' * 30}name.md").write_text("# Alarm\n\nAn alarm goes to the pager.\n")
    build(tmp_path / "docs", tmp_path / ".ctx/caches/handbook")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_question_needs_neither_cache_nor_budget_nor_quotes(ctx: Ctx) -> None:
    shown = ctx("ask", "the", "pager", "at", "night")
    assert shown.returncode == 0
    assert shown.stdout.splitlines()[0].split()[1] == "pager.md"
    assert "wakes you" in shown.stdout and " of 4,000 tokens · 2 chosen" in shown.stdout


def test_the_json_is_the_answer_of_resolve(ctx: Ctx) -> None:
    strict = ctx("resolve", "-c", "handbook", "-q", "pager", "-b", "4000").stdout
    assert ctx("ask", "pager", "--json").stdout == strict


def test_only_an_explanation_does_without_a_budget(ctx: Ctx) -> None:
    asked = ctx("ask", "pager", "--budget", "none")
    assert (asked.returncode, asked.stderr.endswith(", not 'none'\n")) == (3, True)


def test_the_texts_and_the_reasons_are_at_hand(ctx: Ctx) -> None:
    assert "The pager wakes you" in ctx("ask", "night", "--read").stdout
    assert "searched for: night" in ctx("ask", "night", "--why").stdout


@pytest.mark.parametrize(
    "line", [["ask", "night"], ["ask", "night", "--read"], ["ask", "night", "--color", "always"]]
)
def test_what_a_document_holds_is_not_obeyed(ctx: Ctx, line: list[str]) -> None:
    assert "\x1b[31m" not in ctx(*line).stdout


def test_several_caches_are_a_question_back(ctx: Ctx, project: Path) -> None:
    build(project / "docs", project / ".ctx/caches/manual")
    ran = ctx("ask", "pager")
    assert (ran.returncode, ran.stderr) == (1, "error: which cache? --cache with one of handbook, manual\n")


def test_no_cache_is_told_with_the_remedy(ctx: Ctx, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "other")
    ran = ctx("ask", "pager")
    assert (ran.returncode, ran.stderr) == (4, "error: no caches yet; `ctx build FOLDER` makes one\n")


def test_a_mistyped_cache_is_told_the_nearest(ctx: Ctx) -> None:
    assert "did you mean handbook?" in ctx("ask", "pager", "-c", "handbok").stderr


@pytest.mark.parametrize(
    ("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_a_terminal_gets_colour_and_its_width(environment: dict[str, str], coloured: bool) -> None:
    """In a terminal of its own; elsewhere ids are whole and plain."""
    ours, theirs = pty.openpty()
    surroundings = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    surroundings |= {"TERM": "xterm", "COLUMNS": "60", "LINES": "24", **environment}
    command = [sys.executable, "-m", "ctxcache", "ask", "alarm pager"]
    with Popen(command, stdout=theirs, stderr=PIPE, env=surroundings) as process:
        process.wait(60)
        os.close(theirs)
        shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert ("\x1b[" in shown) == coloured
    assert "…" in shown and f"{'long-' * 30}" not in shown


def test_a_snippet_is_one_line_where_most_words_match(project: Path) -> None:
    cache = open_cache(project / ".ctx/caches/handbook")
    text = "---\ntitle: pager night\n---\n" + "word " * 200 + "the pager\n\nwakes at night. " + "word " * 200
    found = snippet(cache, "pager night", text)
    assert "pager wakes at night" in found
    assert found[0] == found[-1] == "…" and len(found) <= WINDOW + 2
    assert snippet(cache, "nothing", text) == ""
