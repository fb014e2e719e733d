"""The screens beside the main one."""

from __future__ import annotations

import asyncio
import json
from threading import Event
from typing import TYPE_CHECKING

import pytest

from ctxcache.builder.build import build
from ctxcache.builder.compile import GivenText
from ctxcache.builder.config import BuildConfig
from ctxcache.resolver.cache import Cache, open_cache
from ctxcache.resolver.snippets import match_spans
from ctxcache.tui.screens import document
from ctxcache.tui.screens.compare import CompareScreen
from ctxcache.tui.screens.document import DocumentScreen
from ctxcache.tui.screens.main import MainScreen
from ctxcache.tui.widgets.document import MarkdownView, TextView
from ctxcache.tui.widgets.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Run, Start

pytestmark = pytest.mark.asyncio

QUERY = "how do we roll back a deployment"


def listed(run: Run) -> list[str]:
    return [heading.id for heading in run.screen.summaries]


async def test_documents_are_filtered_while_typing(start: Start) -> None:
    async with start() as run:
        await run.press("f2")
        assert len(listed(run)) == 8
        await run.type("back up")
        assert listed(run) == ["data/backup.md"]
        assert "1 of 8" in run.text("TitleBar")


async def test_documents_are_sorted_by_any_column_and_the_other_way_round(start: Start) -> None:
    async with start() as run:
        await run.press("f2", "ctrl+o")
        titles = [summary.title.casefold() for summary in run.screen.summaries]
        assert titles == sorted(titles)
        await run.press("ctrl+o")
        sizes = [summary.tokens for summary in run.screen.summaries]
        assert sizes == sorted(sizes, reverse=True)
        await run.press("ctrl+l")
        assert [summary.tokens for summary in run.screen.summaries] == sorted(sizes)
        run.screen.table.focus()
        await run.press("s")
        words = [summary.words for summary in run.screen.summaries]
        assert words == sorted(words, reverse=True)
        await run.press("s", "l")
        assert listed(run) == sorted(listed(run), reverse=True)
        await run.press("slash")
        assert run.screen.focused is run.one("#filter")


async def test_a_click_on_a_column_sorts_by_it(start: Start) -> None:
    async with start() as run:
        await run.press("f2")
        await run.pilot.click("#documents", offset=(4, 1))
        await run.settle()
        assert listed(run) == sorted(listed(run), reverse=True)


async def test_a_document_that_does_not_match_says_which_words_it_lacks(start: Start) -> None:
    async with start(query=QUERY) as run:
        await run.press("f2")
        await run.type("pager")
        assert listed(run) == ["oncall/pager.md"]
        assert "does not match" in run.text("#why")
        missing = run.session.cache.explain(QUERY).document("oncall/pager.md").to_dict()["missing"]
        holders = next(word["documents"] for word in missing if word["word"] == "deployment")
        assert f"deployment ({holders} documents have it)" in " ".join(run.text("#why").split())


async def test_the_configuration_and_the_sizes_of_a_cache_are_shown(start: Start) -> None:
    async with start() as run:
        await run.press("f2")
        assert "bm25f-2" in run.text("#about")
        assert "≤ 50" in run.text("#sizes")
        await run.press("f8")
        assert "verified, every byte" in run.text("#about")


async def test_in_a_low_window_documents_are_listed_rather_than_explained(start: Start) -> None:
    async with start(query=QUERY, size=(60, 14)) as run:
        await run.press("f2")
        assert run.screen.query_one("#documents").content_size.height > 3
        assert not run.screen.query_one("#why").display


async def test_no_bar_is_broken_where_the_figures_scroll(start: Start) -> None:
    """The bars are drawn before there is a scroll bar, which takes a column."""
    async with start(size=(120, 24)) as run:
        await run.press("f2")
        assert run.screen.query_one("#facts").show_vertical_scrollbar
        folders = run.screen.query_one("#folders")
        assert folders.content_size.height == len(run.text("#folders").splitlines())


async def test_a_document_of_the_table_opens_and_the_next_follows(start: Start) -> None:
    async with start() as run:
        await run.press("f2", "down", "enter")
        assert isinstance(run.screen, DocumentScreen)
        assert "data/backup.md" in run.text("TitleBar")
        await run.press("right_square_bracket")
        assert "deploy/freeze.md" in run.text("TitleBar")
        await run.press("left_square_bracket", "left_square_bracket", "left_square_bracket")
        assert "api/errors.md" in run.text("TitleBar")


async def test_a_document_is_rendered_or_raw_with_its_matches(start: Start) -> None:
    async with start(query=QUERY) as run:
        await run.press("enter")
        assert run.one(MarkdownView).display
        assert "rank 1 of" in run.text("TitleBar") and "2 passages" in run.text("TitleBar")
        await run.press("n")
        assert "1 of 2 passages" in run.text("TitleBar")
        await run.press("N", "r")
        assert "matches" in run.text("TitleBar")
        assert run.one(TextView).display and not run.one(MarkdownView).display
        await run.press("n", "n")
        assert run.one(TextView).match == 1
        await run.press("N")
        assert run.one(TextView).match == 0
        await run.press("N")
        assert run.one(TextView).match == run.one(TextView).position[1] - 1
        await run.press("r")
        assert run.one(MarkdownView).display


async def test_a_long_text_is_shown_before_all_its_matches_are_found(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take seconds in a text of some megabytes; the reader stays where he is when they come."""
    monkeypatch.setattr(document, "MATCHED_AT_ONCE", 500)
    go_on = Event()

    def slow(cache: Cache, query: str, text: str) -> list[tuple[int, int]]:
        if len(text) > 500:
            assert go_on.wait(60)
        return match_spans(cache, query, text)

    monkeypatch.setattr(document, "match_spans", slow)
    text = "# Pump\n\n" + "The pump is oiled.\n" * 5000
    config = BuildConfig(tokenizer="bytes4", split="none")
    build([GivenText("pump.md", "Pump", text)], tmp_path / "one", config=config, jobs=1)
    async with start(tmp_path / "one", query="pump") as run, asyncio.timeout(60):
        await run.pilot.press("enter")
        while not isinstance(run.screen, DocumentScreen) or not run.one(TextView).text:
            await run.pilot.pause(0.01)
        view = run.one(TextView)
        assert 0 < view.position[1] < 100
        view.scroll_to(y=1000, animate=False)
        go_on.set()
        await run.settle()
        assert view.position[1] == 5001
        assert view.scroll_offset.y == 1000


async def test_a_document_is_copied_exactly(start: Start) -> None:
    async with start(query=QUERY) as run:
        await run.press("enter", "Y")
        document = run.session.cache.document("deploy/rollback.md")
        assert run.app.clipboard == document.content


async def test_the_source_is_edited_only_where_it_is_known(
    start: Start, caches: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A real editor takes the terminal, which a test has not; the file it would get is known before."""
    async with start(query=QUERY) as run:
        await run.press("enter")
        assert run.screen.check_action("edit", ()) is False
        assert "edit" not in run.text("KeyBar")
    async with start(query=QUERY, sources=str(caches.parent / "docs")) as run:
        await run.press("enter")
        assert run.screen.check_action("edit", ())
        await run.press("e")
        assert isinstance(run.screen, DocumentScreen)
        assert "not possible here" in "".join(note.message for note in run.app._notifications)


async def test_the_agent_view_shows_what_resolve_writes(start: Start) -> None:
    """Byte for byte: the same text goes over the wire."""
    async with start(query=QUERY, budget=900) as run:
        await run.press("f3")
        cache = open_cache(run.session.info.path)
        result = cache.resolve(QUERY, 900)
        assert run.screen.text == result.to_json()
        await run.press("2")
        assert run.screen.text == result.to_pretty()
        await run.press("3", "y")
        call = {"cache": "guide", "query": QUERY, "budget": 900}
        assert json.loads(run.app.clipboard) == {"name": "context.resolve", "arguments": call}
        await run.press("1", "y")
        assert run.app.clipboard == result.to_json()


async def test_two_queries_are_compared_while_typing(start: Start) -> None:
    async with start(query=QUERY, budget=500) as run:
        await run.press("f5")
        assert isinstance(run.screen, CompareScreen)
        assert "0 entered · 0 left" in run.text("#account")
        await run.press("ctrl+u")
        await run.type("pager")
        assert "oncall/pager.md" in [d.id for d in run.screen.differences]
        assert "0 entered" not in run.text("#account")
        await run.press("ctrl+o")
        assert run.one("#before QueryInput").value == "pager"
        assert run.one("#after QueryInput").value == QUERY


async def test_two_budgets_are_compared(start: Start) -> None:
    async with start(query=QUERY, budget=200) as run:
        await run.press("f5", "tab")
        await run.type("2000")
        fates = {difference.fate for difference in run.screen.differences}
        assert "entered" in fates
        await run.press("tab", "x")
        assert run.one("#before").question.budget == 2000


async def test_two_caches_are_compared(start: Start) -> None:
    async with start(query="deployment", budget=2000) as run:
        await run.press("f5", "ctrl+r")
        assert run.one("#after").cache == "guide-v0"
        assert run.screen.table.count
        await run.press("ctrl+l", "ctrl+l")
        assert run.one("#before").cache == "guide"
        run.screen.table.focus()
        await run.press("down", "up", "j", "k", "enter")
        assert isinstance(run.screen, DocumentScreen)


async def test_a_side_whose_cache_no_longer_opens_compares_nothing(start: Start, own_caches: Path) -> None:
    """What was compared before would stand under the name of another cache."""
    async with start(own_caches, query="deployment") as run:
        await run.press("f5")
        assert run.screen.table.count
        (own_caches / "guide-v0" / "manifest.json").write_text("{")
        await run.press("ctrl+r")
        assert "manifest" in run.text("Problem")
        assert run.screen.table.count == 0
        await run.press("enter")
        assert isinstance(run.screen, CompareScreen)


async def test_a_side_that_asks_nonsense_says_so(start: Start) -> None:
    async with start(query="deployment") as run:
        await run.press("f5", "tab")
        await run.type("x")
        assert "whole number" in run.text("Problem")


async def test_the_history_is_filtered_while_typing(start: Start) -> None:
    async with start() as run:
        for query in ("pager", "backup"):
            await run.press("ctrl+u")
            await run.type(query)
            await run.press("enter", "escape")
        await run.press("f7")
        assert run.screen.query_one(Table).count == 2
        await run.type("page")
        assert run.screen.query_one(Table).count == 1
        await run.press("escape")
        assert isinstance(run.screen, MainScreen)


@pytest.mark.parametrize("key", ["escape", "f1", "question_mark", "enter"])
async def test_the_help_lists_the_commands_of_the_screen_beneath(start: Start, key: str) -> None:
    async with start(query=QUERY) as run:
        await run.press("f5", "f1")
        assert "Next right cache" in run.text("#dialog")
        assert "Quit" in run.text("#dialog")
        await run.press(key)
        assert isinstance(run.screen, CompareScreen)


async def test_scopes_of_the_project_are_listed_with_their_state(start: Start, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print('hello')\n")
    (tmp_path / ".context.yaml").write_text(
        'version: 1\nscope: "."\nfingerprint: "00000000"\nlast_updated: "2026-01-01T00:00:00Z"\n'
        "summary: A program.\nmaintenance: Keep it.\n"
    )
    async with start(project=str(tmp_path)) as run:
        assert run.one("#scopes").display
        assert [scope.state for scope in run.screen.project.scopes] == ["stale"]
        run.one("#scopes").focus()
        await run.press("enter")
        assert json.loads(run.screen.text)["context"]["summary"] == "A program."
        assert "changed main.py" in run.text("Lines")
        await run.press("y", "escape")
        assert isinstance(run.screen, MainScreen)


async def test_a_text_is_selected_with_the_mouse(start: Start) -> None:
    """Rows that only the width makes are no lines of what is copied."""
    async with start(query="runbook", size=(60, 24)) as run:
        await run.press("enter", "r")
        view = run.one("#raw", TextView)
        row = next(
            number for number in range(20) if view.render_line(number).text.startswith("Write it down")
        )
        left, top = view.content_region.offset - view.region.offset
        await run.pilot.mouse_down(view, offset=(left + 6, top + row))
        await run.pilot.hover(view, offset=(left + 5, top + row + 1))
        await run.pilot.mouse_up(view, offset=(left + 5, top + row + 1))
        selected = run.screen.get_selected_text()
        assert selected.startswith("it down. Write it")
        assert selected in view.text and len(selected) > 40
