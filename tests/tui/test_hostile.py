"""Text that wants to be more than text: markup, escape sequences, bidi overrides, sheer size."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ctxcache.builder.build import build
from ctxcache.builder.compile import GivenText
from ctxcache.builder.config import BuildConfig
from ctxcache.tui.screens.document import DocumentScreen
from ctxcache.tui.screens.main import MainScreen
from ctxcache.tui.session import Question
from ctxcache.tui.widgets.document import TextView
from ctxcache.tui.widgets.question import QueryInput

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Run, Start

pytestmark = pytest.mark.asyncio

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]")
NASTY = [
    "items[/]",
    "[link=file:///etc/passwd]x[/]",
    "[@click=app.quit]quit[/]",
    "\x1b[31mred\x1b]0;title\x07",
    "abc\u202egnp.exe",
    "name\nwith\nnewlines",
    "全角文字 e\u0301\u0301\u0301 🙂\u200d🙂",
    "[bold",
    "$accent {x} %s \\",
]


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root whose caches' names, ids, titles and texts are all of them."""
    root = tmp_path_factory.mktemp("nasty")
    config = BuildConfig(tokenizer="bytes4", split="none")
    texts = [
        GivenText(f"{number}/{text}.md", f"{text} deployment", f"# {text}\n\n- {text} deployment\n")
        for number, text in enumerate(NASTY)
    ]
    for name in ("a[/]", "b\x1b[1m\u202e"):
        build(texts, root / name, config=config, jobs=1)
    (root / "c[link=x]").mkdir()
    (root / "c[link=x]" / "manifest.json").write_text("[/]")
    return root


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of two texts: a line of a megabyte, and 200,000 lines."""
    texts = [
        GivenText("line.md", "one line", "deployment " * 90_000),
        GivenText("lines.md", "many lines", "deployment\n" * 200_000),
    ]
    place = tmp_path_factory.mktemp("huge") / "huge"
    build(texts, place, config=BuildConfig(tokenizer="bytes4", split="none"), jobs=1)
    return place


def assert_safe(run: Run) -> None:
    """What is on the screen holds nothing that a terminal would obey, or hide."""
    lines = run.screen._compositor.render_strips()  # what is drawn, as it goes to the terminal
    for line in lines:
        assert not RAW.search("".join(segment.text for segment in line)), line


async def test_hostile_names_and_texts_are_shown_as_text_on_every_screen(start: Start, nasty: Path) -> None:
    async with start(nasty, query="deployment", budget=100) as run:
        ranking = run.answer.ranking
        assert ranking.count == len(NASTY)
        for rank in range(1, ranking.count + 1):
            ranking.cursor = rank - 1
            await run.settle()
            assert_safe(run)
        for keys in (
            ["f2", "down", "f8"],
            ["f3", "2", "3", "y"],
            ["f5", "f4", "f4"],
            ["f7"],
            ["f1"],
            ["f6", "v"],
        ):
            await run.press(*keys)
            assert_safe(run)
            if not isinstance(run.screen, MainScreen):
                await run.press("escape")


async def test_hostile_documents_open_rendered_and_raw(start: Start, nasty: Path) -> None:
    async with start(nasty, query="deployment", budget=100) as run:
        await run.press("f2", "enter")
        for _ in NASTY:
            assert isinstance(run.screen, DocumentScreen)
            assert_safe(run)
            await run.press("n", "r")
            assert_safe(run)
            await run.press("right_square_bracket")


async def test_a_huge_text_is_shown_raw_and_its_last_match_is_found(start: Start, huge: Path) -> None:
    """Rendering it would freeze the inspector; the raw text costs a pass over it, in a worker."""
    async with start(huge, query="deployment", size=(80, 24)) as run:
        await run.press("enter")
        for key in ("right_square_bracket", "r"):
            await run.press("N")
            view = run.one(TextView)
            assert view.display
            assert view.match == view.position[1] - 1
            assert view.scroll_offset.y > 5000
            await run.press(key)
        assert view.display


async def test_a_hostile_query_is_text(start: Start) -> None:
    """Typed, pasted or of earlier: a query is never markup, and never reaches the terminal raw."""
    async with start(query=NASTY[0], size=(80, 24)) as run:
        for text in NASTY:
            run.one("#query", QueryInput).value = f"{text} deployment {text}"
            await run.settle()
            assert run.answer.ranking.count
            assert_safe(run)
            run.session.history.add(Question(query=text))
        for key in ("f7", "f5", "f3"):
            await run.press(key)
            assert_safe(run)
            await run.press("escape")


async def test_pasted_lines_become_one_query(start: Start) -> None:
    from textual.events import Paste

    async with start() as run:
        run.one("#query").post_message(Paste("roll back\na deployment"))
        await run.settle()
        assert run.one("#query", QueryInput).value == "roll back a deployment"


@pytest.mark.parametrize("typed", ["[/]", "[/a", "[@click=app.quit]x", "\\[/]"])
async def test_a_filter_is_told_as_the_text_that_it_is(start: Start, nasty: Path, typed: str) -> None:
    async with start(nasty, query="deployment", budget=100) as run:
        await run.press("escape", "slash")
        await run.type(typed)
        await run.press("enter")
        assert f"only with {typed}" in run.answer.ranking.render_line(0).text
        assert_safe(run)
