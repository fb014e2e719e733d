"""The figures of the views: bar, list, table, comparison, reasons; none of them needs Textual."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxcache.tui
from ctxcache.cache.documents import DocumentSummary
from ctxcache.resolver.budget import CurvePoint, budget_curve
from ctxcache.resolver.cache import open_cache
from ctxcache.resolver.compare import Comparison, compare
from ctxcache.tui import commands
from ctxcache.tui.catalog import build_facts, read_catalog, suggestions
from ctxcache.tui.commands import help_lines
from ctxcache.tui.result import ChosenDocument, answer
from ctxcache.tui.session import Question, Session, Start
from ctxcache.tui.views import budget, documents, project
from ctxcache.tui.views import spans as table
from ctxcache.tui.views.project import progress_line
from ctxcache.tui.views.spans import Line, width
from ctxcache.tui.views.why import explain_document, nothing_lines, why_lines

if TYPE_CHECKING:
    from ctxcache.resolver.cache import Cache

QUERY = "how do we roll back a deployment"
TEXTUAL = {"app", "driver", "commands", "render", "web"}


@pytest.fixture
def guide(caches: Path) -> Cache:
    """A cache of eight documents."""
    return open_cache(caches / "guide")


def plain(lines: list[Line]) -> str:
    return "\n".join("".join(text for text, _ in line) for line in lines)


def test_state_and_figures_know_nothing_of_textual() -> None:
    """A static graph cannot see what a module loads: another process says it."""
    folder = Path(ctxcache.tui.__file__).parent
    names = sorted({path.stem for path in folder.glob("*.py")} - TEXTUAL - {"__init__"})
    names += [f"views.{path.stem}" for path in (folder / "views").glob("*.py")]
    program = f"import sys, importlib\nfor n in {names}: importlib.import_module('ctxcache.tui.' + n)\n"
    program += "print('textual' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


@given(st.lists(st.integers(0, 500), max_size=30), st.integers(1, 120), st.integers(0, 300))
def test_segments_fill_the_bar_in_order_and_never_overlap(tokens: list[int], cells: int, spare: int) -> None:
    chosen, used = [], 0
    for rank, size in enumerate(tokens, start=1):
        used += size
        chosen.append(ChosenDocument(rank=rank, tokens=size, used=used))
    parts = budget.segments(tuple(chosen), max(1, used + spare), cells)
    assert sum(part.cells for part in parts) == cells
    assert [part.start for part in parts] == [sum(p.cells for p in parts[:n]) for n in range(len(parts))]
    for colour in (True, False):
        assert width(budget.bar(parts, colour=colour)) == cells


def test_a_segment_is_as_long_as_its_tokens() -> None:
    chosen = (ChosenDocument(rank=1, tokens=10, used=10), ChosenDocument(rank=4, tokens=30, used=40))
    parts = budget.segments(chosen, 80, 40)
    assert [(part.rank, part.start, part.cells) for part in parts] == [(1, 0, 5), (4, 5, 15), (None, 20, 20)]


def test_a_budget_beyond_the_curve_is_marked_at_its_end() -> None:
    points = [CurvePoint(size, size // 100, size) for size in (100, 200, 300)]
    assert "◆" in plain(budget.curve_lines(points, 5000, 40, 8))


def test_neighbours_of_the_bar_differ_without_colour() -> None:
    chosen = tuple(ChosenDocument(rank=rank, tokens=10, used=10 * rank) for rank in range(1, 5))
    drawn = [
        text.strip("0123456789 ") for text, _ in budget.bar(budget.segments(chosen, 40, 40), colour=False)
    ]
    assert all(left[0] != right[0] for left, right in pairwise(drawn))


def test_the_totals_are_those_of_the_command(guide: Cache) -> None:
    answered = answer(guide, Question(query=QUERY, budget=250))
    result = guide.resolve(QUERY, 250)
    assert budget.totals(answered) == (
        f"{result.tokens_used} of 250 · {result.documents_selected} chosen · "
        f"{result.documents_excluded_by_budget} did not fit · 8 searched"
    )
    assert budget.totals(answer(guide, Question(query="xylophone"))) == "nothing matches · 8 searched"
    assert budget.figures(answered, None, 200) == budget.totals(answered)
    assert budget.figures(answered, 1, 200).endswith("  the agent reads 1 token, JSON included")


def test_no_figure_of_the_totals_is_cut(guide: Cache) -> None:
    answered = answer(guide, Question(query=QUERY, budget=100_000))
    allowed = set(budget.figures(answered, 5608, 200).replace(",", "").split())
    for cells in range(18, 120):
        text = budget.figures(answered, 5608, cells)
        assert len(text) <= cells
        assert set(text.replace(",", "").split()) <= allowed
    assert "agent reads 5,608" in budget.figures(answered, 5608, 78)


WIDTHS = [40, 60, 80, 96, 100, 104, 110, 120, 160, 200]


@pytest.mark.parametrize("cells", WIDTHS)
def test_figures_are_whole_and_columns_stand_below_their_names(guide: Cache, cells: int) -> None:
    """Of the list at any width: what is cut is a name, in its middle."""
    result = answer(guide, Question(query=QUERY, budget=250))
    rows = result.rows(range(1, 99))
    cells_of = [documents.row_cells(row, result.words) for row in rows]
    measured = table.measure(documents.RANKING_COLUMNS, cells_of, cells)
    lines = table.fit(documents.RANKING_COLUMNS, measured, cells_of)
    head = table.header(documents.RANKING_COLUMNS, measured)
    assert {width(line) for line in lines} == {width(head)}
    assert width(head) <= cells
    for row, line in zip(rows, lines, strict=True):
        figures = plain([line]).split()
        assert f"{row.tokens:,}" in figures and row.score.removeprefix("0") in figures
        assert row.is_chosen or f"+{row.needs_more:,}" in figures


def test_no_view_fails_without_room(guide: Cache) -> None:
    """A panel has no width at all while others take it."""
    result = answer(guide, Question(query=QUERY, budget=250))
    rows = [documents.row_cells(row, result.words) for row in result.rows(range(1, 9))]
    points = budget_curve(result.explained, budget.grid(250, result.matches, 40))
    summaries = list(guide.summaries())
    for cells in range(40):
        measured = table.measure(documents.RANKING_COLUMNS, rows, cells)
        table.fit(documents.RANKING_COLUMNS, measured, rows)
        table.header(documents.RANKING_COLUMNS, measured)
        assert width(documents.boundary(cells)) == cells
        for document in (1, result.matches, "oncall/pager.md"):
            why_lines(result.why(document), cells, result.words, tree=True)
        for height in range(12):
            budget.curve_lines(points, 250, cells, height)
        budget.bar(budget.segments(result.chosen, 250, cells), colour=True)
        documents.histogram(documents.size_counts(summaries), cells)
        documents.folder_lines(summaries, cells, 4)
        help_lines(commands.RESOLVE, cells)
        progress_line(1, 2, cells)


@pytest.mark.parametrize("cells", WIDTHS)
def test_a_table_of_large_figures_cuts_none_of_them(cells: int) -> None:
    columns = (
        table.Column(title="name", share=1, min_width=4, crop_middle=True),
        table.Column(title="n", align_right=True),
    )
    rows = [(table.Cell("x" * 300), table.Cell("12,345,678")), (table.Cell("y"), table.Cell("1"))]
    lines = table.fit(columns, table.measure(columns, rows, cells), rows)
    assert plain(lines[:1]).rstrip().endswith("12,345,678")
    assert plain(lines[1:]).rstrip().endswith(" 1")
    assert all(width(line) <= cells for line in lines)


@pytest.mark.parametrize("cells", [60, 80, 104])
def test_rows_that_would_read_the_same_show_where_they_differ(cells: int) -> None:
    """Ten sections of one chapter, and two files of one title."""
    rows = [
        documents.RankedRow(
            rank=n, id=f"book/ch09-02-recoverable-errors-with-result.md#{n}-part", title="Errors"
        )
        for n in range(1, 10)
    ]
    cells_of = [documents.row_cells(row, {}) for row in rows]
    lines = table.fit(
        documents.RANKING_COLUMNS, table.measure(documents.RANKING_COLUMNS, cells_of, cells), cells_of
    )
    assert len({plain([line])[5:] for line in lines}) == 9


def test_identical_texts_are_counted() -> None:
    row = documents.RankedRow(rank=1, id="a.md", title="A", copies=3)
    assert documents.row_cells(row, {})[2].text == "A  = 3"


def test_optional_columns_go_before_others_are_cut() -> None:
    measured = table.measure(documents.COLUMNS, [], 40)
    assert [bool(cells) for cells in measured] == [True, False, True, True]


def test_a_column_is_found_where_its_name_stands() -> None:
    for cells in (60, 100):
        measured = table.measure(documents.COLUMNS, [], cells)
        drawn = plain([table.header(documents.COLUMNS, measured)])
        for key in ("document", "tokens", "words"):
            assert documents.COLUMNS[table.column_at(measured, drawn.index(key))].key == key


def test_the_shares_of_words_fill_a_bar_as_long_as_the_score(guide: Cache) -> None:
    result = answer(guide, Question(query=QUERY, budget=250))
    for row in result.rows(range(1, 7)):
        bar = documents.word_bar(row, result.words)
        assert sum(len(text) for text, _ in bar) == max(1, round(documents.BAR_WIDTH * row.score_share))
        assert sum(value for _, value in row.shares) == result.explained.entry(row.rank).reason.value


def test_the_curve_marks_the_present_budget_and_fits(guide: Cache) -> None:
    result = answer(guide, Question(query=QUERY, budget=250))
    points = budget_curve(result.explained, budget.grid(250, result.matches, 40))
    for cells, height in ((30, 6), (46, 12), (90, 20)):
        lines = budget.curve_lines(points, 250, cells, height)
        assert len(lines) == height
        assert all(width(line) <= cells for line in lines)
        assert plain(lines).count("◆") == 1 and "250" in plain(lines[-1:])
    assert budget.curve_lines(points, 250, 10, 12) == []
    assert budget.curve_lines(points[:1], 250, 40, 12) == []


def test_what_twice_the_budget_brings_is_said(guide: Cache) -> None:
    explained = guide.explain(QUERY, 250)
    points = budget_curve(explained, (250, 500))
    more = len(guide.resolve(QUERY, 500).documents) - len(guide.resolve(QUERY, 250).documents)
    assert budget.gain(points, 250) == f"twice as much: {more:+} documents"
    assert budget.gain(points, 500) == ""


def test_tokens_lie_in_folders_and_large_documents_are_counted() -> None:
    def summary(source: str, tokens: int) -> DocumentSummary:
        return DocumentSummary(id=source, version="", source=source, title="", tokens=tokens, words=0)

    summaries = [
        summary("a/x/1.md", 6000),
        summary("a/y/2.md", 1500),
        summary("b.md", 500),
        summary("c/3.md", 9),
    ]
    assert documents.folder_tokens(summaries) == [("a/x/", 6000), ("a/y/", 1500), ("./", 500), ("c/", 9)]
    lines = documents.folder_lines(summaries, 44, 2)
    assert "2 others" in plain(lines) and "2 above 1,000" in plain(lines) and "1 above 4,000" in plain(lines)
    assert all(width(line) <= 44 for line in lines)


def test_sizes_are_counted_in_bars() -> None:
    summaries = [
        DocumentSummary(id="", version="", source="", title="", tokens=tokens, words=0)
        for tokens in (50, 51, 70, 5000)
    ]
    assert documents.size_counts(summaries) == [1, 2, 0, 0, 0, 0, 0, 0, 0, 1]
    assert "> 4,000 " in plain(documents.histogram(documents.size_counts(summaries), 40))
    assert plain(documents.histogram(documents.size_counts([]), 40)).split() == ["≤", "50", "0"]


def differences_text(comparison: Comparison) -> str:
    rows = [documents.difference_cells(difference) for difference in comparison.differences]
    measured = table.measure(documents.DIFFERENCE_COLUMNS, rows, 80)
    return plain(table.fit(documents.DIFFERENCE_COLUMNS, measured, rows))


def test_a_comparison_tells_what_entered_left_and_moved(guide: Cache) -> None:
    comparison = compare(guide.explain(QUERY, 100), guide.explain("pager", 100))
    text = plain([documents.comparison_line(comparison)])
    assert "1 entered" in text and "left" in text and "tokens" in text
    rows = differences_text(comparison)
    assert "entered" in rows and "no match" in rows
    moved = compare(guide.explain("deployment freeze", 400), guide.explain("deployment", 400))
    assert any(d.fate == "moved" for d in moved.differences)
    assert "down" in differences_text(moved)


def words(lines: list[Line]) -> str:
    """The text of lines as one, whatever was wrapped."""
    return " ".join(plain(lines).split())


@pytest.mark.parametrize("cells", [30, 56, 80, 120])
def test_the_reasons_say_everything_in_words(guide: Cache, cells: int) -> None:
    result = answer(guide, Question(query=QUERY, budget=250))
    assert all(width(line) <= cells for line in why_lines(result.why(1), cells, result.words))
    lines = why_lines(result.why(1), cells, result.words, tree=True)
    for sentence in ("● chosen", "rank 1 of 6", "ignored", "how do we a", "in the title", "log2", "factor"):
        assert sentence in words(lines)
    left_out = next(entry for entry in result.explained.entries() if not entry.chosen)
    why = result.why(left_out.rank or 0)
    assert why.next_budget is not None and why.next_budget > 250
    sentence = f"needs {left_out.tokens}, {left_out.left} left · chosen at {why.next_budget}"
    assert f"{sentence} (+{why.next_budget - 250})" in words(why_lines(why, cells))
    text = words(why_lines(result.why("oncall/pager.md"), cells))
    assert "does not match" in text and "roll (2 documents have it)" in text and "to the first" in text


@pytest.mark.parametrize(
    ("query", "label", "said"),
    [
        ("change rottation", "rottation", "read as rotation"),
        ("how do we roll back", "how", "orders only"),
        ("rollBack", "back", "part of a name"),
        ("pager oncall", "oncall", "in a name"),
    ],
)
def test_every_word_has_its_share_whatever_stands_for_it(
    guide: Cache, query: str, label: str, said: str
) -> None:
    """The shares add up to the branches of the total, and none counts among no documents."""
    result = answer(guide, Question(query=query, budget=250))
    notes: set[tuple[str, str]] = set()
    for rank in range(1, result.matches + 1):
        why = result.why(rank)
        assert sum(share.value for share in why.shares) == sum(part.value for part in why.tree.parts)
        assert all(0 < (share.doc_freq or 0) <= share.documents for share in why.shares)
        notes |= {(share.label, share.note) for share in why.shares}
        text = plain(why_lines(why, 120))
        assert all(share.note in text or share.note == "orders only" for share in why.shares)
    assert (label, said) in notes


def test_a_smaller_budget_that_has_the_document_is_told_beside_the_next_one(guide: Cache) -> None:
    """`F4` never lowers the budget, and nothing that is known is left out."""
    cases = 0
    for budget_ in range(20, 400, 5):
        result = answer(guide, Question(query=QUERY, budget=budget_))
        for row in result.rows(range(1, 7)):
            assert row.next_budget >= budget_
            why = result.why(row.rank)
            if not row.is_chosen and row.fits_from < budget_:
                cases += 1
                assert f"also at {row.fits_from}, where others are not" in words(why_lines(why, 60))
    assert cases


def test_the_older_format_is_explained_by_its_own_rule(caches: Path) -> None:
    explained = open_cache(caches / "guide-v0").explain("the deployment", 300)
    why = explain_document(explained, explained.entry(1))
    assert sum(share.value for share in why.shares) == why.tree.value
    assert "factor" not in plain(why_lines(why, 80))


def test_a_word_of_a_crafted_cache_reaches_no_terminal(guide: Cache) -> None:
    """What stands in for a word of the query is text of the cache."""
    explained = guide.explain(QUERY)
    why = explain_document(explained, explained.entry(1))
    share = why.shares[0]._replace(label="a\x1b[31m", note="read as b\x1b[31m")
    for cells in (40, 120):
        shown = plain(why_lines(replace(why, shares=(share,)), cells))
        assert "read as b" in shown and "\x1b" not in shown


def test_what_no_document_holds_is_named(guide: Cache) -> None:
    assert "xylophone" in plain(nothing_lines(guide.explain("the xylophone")))


def test_a_catalog_has_the_broken_caches_too(caches: Path) -> None:
    catalog = read_catalog(str(caches))
    assert [cache.name for cache in catalog.caches] == ["broken", "guide", "guide-v0"]
    assert [cache.opens for cache in catalog.caches] == [False, True, True]
    assert read_catalog(str(caches), catalog) == catalog
    broken, guide, _ = catalog.caches
    assert "build_config" in plain(project.about_lines(broken, [], None))
    assert "8 documents" in plain(project.about_lines(guide, build_facts(open_cache(guide.path)), "checking"))
    assert read_catalog(guide.path).caches[0].name == "guide"


def test_suggestions_are_titles_of_the_cache(guide: Cache, caches: Path) -> None:
    titles = {summary.title for summary in guide.summaries()}
    assert suggestions(guide) and set(suggestions(guide)) <= titles
    assert suggestions(open_cache(caches / "guide-v0")) == ()


def test_a_source_outside_the_folder_is_none(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("a")
    (tmp_path / "secret").write_text("s")
    session = Session(Start(root="x", sources=str(tmp_path / "docs")))
    assert session.source_of("a.md") == (tmp_path / "docs" / "a.md").resolve()
    assert session.source_of("../secret") is None
    assert session.source_of("missing.md") is None
    assert Session(Start(root="x")).source_of("a.md") is None
