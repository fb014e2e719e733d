"""Texts cut into rows, of any size and kind."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxcache.tui.views.pages import find_text, layout, page

SIGNS = ["⚠\ufe0f", *"ab \n\t世é\u0301🙂\x1b\u202e[/]"]
TEXTS = st.lists(st.sampled_from(SIGNS), max_size=200).map("".join)


@given(TEXTS, st.integers(2, 20))
def test_rows_hold_the_whole_text_and_fit_the_width(text: str, width: int) -> None:
    """Nothing is lost between rows but line breaks, whatever the characters are."""
    shown = page(text)
    laid = layout(shown, width)
    joined = "".join(shown.text[start:end] for start, end in laid.rows)
    assert joined == shown.text.replace("\n", "")
    for start, end in laid.rows:
        assert cell_len(shown.text[start:end].rstrip()) <= width


@given(TEXTS)
def test_a_page_holds_nothing_that_a_terminal_obeys(text: str) -> None:
    assert not set(page(text).text) & {"\x1b", "\u202e", "\t"}


def test_matches_move_with_what_is_spelled_out_before_them() -> None:
    shown = page("\x1b[31mred \u202e word", [(11, 15)])
    ((start, end),) = shown.matches
    assert shown.text[start:end] == "word"


def test_a_match_over_a_line_end_is_marked_in_both_rows() -> None:
    laid = layout(page("aaaa bbbb", [(3, 6)]), 5)
    assert laid.matches_in(0) == [(0, (3, 5))]
    assert laid.matches_in(1) == [(0, (0, 1))]


def test_overlapping_pairs_are_one_match() -> None:
    """Scripts without spaces match in overlapping pairs of characters."""
    assert page("部署回滚", [(0, 2), (1, 3), (2, 4)]).matches == ((0, 4),)


def test_a_line_of_a_megabyte_and_many_lines_are_laid_out() -> None:
    assert len(layout(page("x" * 1_000_000), 100).rows) == 10_000
    assert len(layout(page("x\n" * 200_000), 100).rows) == 200_001


def test_an_offset_is_found_in_its_row() -> None:
    laid = layout(page("one\ntwo\nthree"), 10)
    assert [laid.row_of(offset) for offset in (0, 4, 9)] == [0, 1, 2]


def test_the_first_rows_of_a_huge_text_are_those_of_all_of_it() -> None:
    """What is in view at once stays where it is when the rest is there."""
    shown = page("one two three\n" * 200_000)
    first, whole = layout(shown, 8, characters=20_000), layout(shown, 8)
    assert first.rows[:-1] == whole.rows[: len(first.rows) - 1]


def test_a_text_is_found_in_any_case_and_as_it_stands() -> None:
    assert find_text(page("a.b A.B axb"), "a.b").matches == ((0, 3), (4, 7))
    assert find_text(page("a.b"), "").matches == ()
