"""The figures of the views: bar, list, table, comparison, reasons; none of them needs Textual."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxcache.tui
from ctxcache.cache.documents import DocumentSummary
from ctxcache.resolver.cache import open_cache
from ctxcache.resolver.comparison import compare
from ctxcache.tui import compare_lines, listing, ranking_lines
from ctxcache.tui.answered import Chosen, answer
from ctxcache.tui.budget_lines import account, bar, segments, wire
from ctxcache.tui.desk import Desk, suggestions
from ctxcache.tui.pieces import Piece, width
from ctxcache.tui.question import Question
from ctxcache.tui.reasons import explain_entry
from ctxcache.tui.shelf import facts, read_shelf
from ctxcache.tui.shelf_lines import about_lines
from ctxcache.tui.why_lines import nothing_lines, why_lines

if TYPE_CHECKING:
    from ctxcache.resolver.cache import Cache

QUERY = "how do we roll back a deployment"
TEXTUAL = {"app", "binding", "jobs", "messages", "painting", "themes", "web"}


@pytest.fixture
def guide(caches: Path) -> Cache:
    """A cache of eight documents."""
    return open_cache(caches / "guide")


def plain(lines: list[list[Piece]]) -> str:
    return "\n".join("".join(text for text, _ in line) for line in lines)


def test_state_and_figures_know_nothing_of_textual() -> None:
    """A static graph cannot see what a module loads: another process says it."""
    folder = Path(ctxcache.tui.__file__).parent
    names = sorted({path.stem for path in folder.glob("*.py")} - TEXTUAL - {"__init__"})
    program = f"import sys, importlib\nfor n in {names}: importlib.import_module('ctxcache.tui.' + n)\n"
    program += "print('textual' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


@given(st.lists(st.integers(0, 500), max_size=30), st.integers(1, 120), st.integers(0, 300))
def test_segments_fill_the_bar_in_order_and_never_overlap(tokens: list[int], cells: int, spare: int) -> None:
    chosen, used = [], 0
    for rank, size in enumerate(tokens, start=1):
        used += size
        chosen.append(Chosen(rank=rank, tokens=size, used=used))
    parts = segments(tuple(chosen), max(1, used + spare), cells)
    assert sum(part.cells for part in parts) == cells
    assert [part.start for part in parts] == [sum(p.cells for p in parts[:n]) for n in range(len(parts))]
    for colour in (True, False):
        assert width(bar(parts, colour=colour)) == cells


def test_neighbours_of_the_bar_differ_without_colour() -> None:
    chosen = tuple(Chosen(rank=rank, tokens=10, used=10 * rank) for rank in range(1, 5))
    drawn = [text.strip("0123456789 ") for text, _ in bar(segments(chosen, 40, 40), colour=False)]
    assert all(left[0] != right[0] for left, right in pairwise(drawn))


def test_the_account_is_that_of_the_command(guide: Cache) -> None:
    answered = answer(1, guide, Question(query=QUERY, budget=250))
    result = guide.resolve(QUERY, 250)
    assert account(answered) == (
        f"{result.tokens_used} of 250 · {result.documents_selected} chosen · "
        f"{result.documents_excluded_by_budget} did not fit · 8 searched"
    )
    assert account(answer(1, guide, Question(query="xylophone"))) == "nothing matches · 8 searched"
    assert (wire(None), wire(1)) == ("", "1 token on the wire")


@pytest.mark.parametrize("cells", [36, 60, 100, 160])
def test_columns_stand_below_their_names_at_any_width(guide: Cache, cells: int) -> None:
    answered = answer(1, guide, Question(query=QUERY, budget=250))
    lines = [ranking_lines.header(cells, answered.matches)]
    lines += [ranking_lines.row_line(row, cells, answered.matches) for row in answered.rows(1, 99)]
    assert len({width(line) for line in lines}) == 1
    assert cells == 36 or width(lines[0]) <= cells
    headings = list(guide.summaries())
    order = listing.Order()
    table = [listing.header(order, cells), *(listing.row_line(h, order, cells) for h in headings)]
    assert len({width(line) for line in table}) == 1


def test_a_column_is_found_where_its_name_stands() -> None:
    for cells in (60, 100):
        order = listing.Order(column="words")
        drawn = plain([listing.header(order, cells)])
        for column in ("document", "tokens", "words"):
            assert listing.column_at(drawn.index(column), order, cells) == column


def test_sizes_are_counted_in_bars() -> None:
    headings = [
        DocumentSummary(id="", version="", source="", title="", tokens=tokens, words=0)
        for tokens in (50, 51, 70, 5000)
    ]
    assert listing.size_counts(headings) == [1, 2, 0, 0, 0, 0, 0, 0, 0, 1]
    assert "> 4,000 " in plain(listing.histogram(listing.size_counts(headings), 40))
    assert plain(listing.histogram(listing.size_counts([]), 40)).split() == ["≤", "50", "0"]


def test_a_comparison_tells_what_entered_left_and_moved(guide: Cache) -> None:
    comparison = compare(guide.explain(QUERY, 100), guide.explain("pager", 100))
    text = plain([compare_lines.account(comparison)])
    assert "1 entered" in text and "left" in text and "tokens" in text
    rows = plain([compare_lines.row_line(d, 80) for d in comparison.differences])
    assert "entered" in rows and "no match" in rows
    moved = compare(guide.explain("deployment freeze", 400), guide.explain("deployment", 400))
    assert any(d.fate == "moved" for d in moved.differences)
    assert "down" in plain([compare_lines.row_line(d, 80) for d in moved.differences])


@pytest.mark.parametrize("cells", [30, 80])
def test_the_reasons_say_everything_in_words(guide: Cache, cells: int) -> None:
    explained = guide.explain(QUERY, 250)
    chosen = explain_entry(explained, explained.entry(1))
    text = plain(why_lines(chosen, cells, tree=True))
    for words in ("● chosen", "rank 1 of 6", "ignored", "how do we a", "in title", "log2", "factor"):
        assert words in text
    left_out = next(entry for entry in explained.entries() if not entry.chosen)
    text = plain(why_lines(explain_entry(explained, left_out), cells))
    assert f"needs {left_out.tokens}, {left_out.left} left" in text
    assert f"chosen at {left_out.fits_from}" in text
    absent = explain_entry(explained, explained.document("oncall/pager.md"))
    text = plain(why_lines(absent, cells))
    assert "does not match" in text and "roll (in 2)" in text


def test_without_a_budget_a_document_says_from_which_it_fits(guide: Cache) -> None:
    explained = guide.explain(QUERY)
    text = plain(why_lines(explain_entry(explained, explained.entry(2)), 80))
    assert f"chosen at {explained.entry(2).fits_from}" in text


def test_the_older_format_is_explained_by_its_own_rule(caches: Path) -> None:
    explained = open_cache(caches / "guide-v0").explain("the deployment", 300)
    why = explain_entry(explained, explained.entry(1))
    assert why.length is None and sum(share.value for share in why.shares) == why.tree.value
    assert "factor" not in plain(why_lines(why, 80))


def test_what_no_document_holds_is_named(guide: Cache) -> None:
    assert "xylophone" in plain(nothing_lines(guide.explain("the xylophone")))


def test_a_shelf_has_the_broken_caches_too(caches: Path) -> None:
    shelf = read_shelf(str(caches))
    assert [volume.name for volume in shelf.volumes] == ["broken", "guide", "guide-v0"]
    assert [volume.sound for volume in shelf.volumes] == [False, True, True]
    assert read_shelf(str(caches), shelf) == shelf
    broken, guide, _ = shelf.volumes
    assert "build_config" in plain(about_lines(broken, [], None))
    assert "8 documents" in plain(about_lines(guide, facts(open_cache(guide.path)), "checking"))
    assert read_shelf(guide.path).volumes[0].name == "guide"


def test_suggestions_are_titles_of_the_cache(guide: Cache, caches: Path) -> None:
    titles = {heading.title for heading in guide.summaries()}
    assert suggestions(guide) and set(suggestions(guide)) <= titles
    assert suggestions(open_cache(caches / "guide-v0")) == ()


def test_a_source_outside_the_folder_is_none(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("a")
    (tmp_path / "secret").write_text("s")
    desk = Desk("x", sources=str(tmp_path / "docs"))
    assert desk.source_of("a.md") == (tmp_path / "docs" / "a.md").resolve()
    assert desk.source_of("../secret") is None
    assert desk.source_of("missing.md") is None
    assert Desk("x").source_of("a.md") is None
