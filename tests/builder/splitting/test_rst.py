"""reStructuredText: which lines are titles, and where a long section may be cut."""

from __future__ import annotations

import pytest

from ctxcache.builder.splitting.formats import scan
from ctxcache.builder.splitting.sections import split
from ctxcache.text import TokenCounter

CHARACTERS = TokenCounter(len, "")  # which always add up


def _titles(text: str) -> list[tuple[int, str]]:
    found = scan(text, "rst", 0)
    return [(found.levels[number], heading) for number, heading in found.headings.items()]


def _pieces(text: str, limit: int) -> list[str]:
    return [section.text for section in split(text, kind="rst", max_tokens=limit, counter=CHARACTERS)]


def test_levels_follow_the_order_of_appearance() -> None:
    """The same character above and below is another level than below alone."""
    text = "====\nBook\n====\n\nPart\n====\n\nChapter\n-------\n\nNext part\n=========\n"
    assert _titles(text) == [(1, "Book"), (2, "Part"), (3, "Chapter"), (2, "Next part")]


def test_an_underline_may_be_longer_or_somewhat_shorter_than_its_title() -> None:
    assert _titles("A\n---------\n\nA long title\n----\n\nNo\n-\n") == [(1, "A"), (1, "A long title")]


@pytest.mark.parametrize(
    "text",
    [
        "Code::\n\n    Title\n    =====\n",
        ".. note::\n\n   Title\n   =====\n",
        "text\n\n--------\n\ntext\n",
        "=====  =====\nA      B\n=====  =====\n1      2\n\n3      4\n=====  =====\n",
        "- item\n------\n",
        "first line\nsecond line\n-----------\n",
    ],
)
def test_what_only_looks_like_a_title_is_text(text: str) -> None:
    """Indented text, transitions, tables and lists hold no title; a title is one line."""
    assert _titles(text) == []


def test_a_literal_block_is_not_cut() -> None:
    code = "Code::\n\n    a\n\n    b\n\n    c\n\n"
    assert _pieces(f"Intro text.\n\n{code}After.\n", limit=32) == ["Intro text.\n\n", code, "After.\n"]


def test_a_literal_block_in_a_list_ends_with_less_indent() -> None:
    text = "- code::\n\n      a\n\n      b\n\n  after the code\n"
    assert _pieces(text, limit=30) == ["- code::\n\n      a\n\n      b\n\n", "  after the code\n"]


def test_a_directive_is_cut_only_where_its_parts_do_not_fit() -> None:
    method = "   .. method:: m()\n\n      What it does.\n\n"
    text = ".. class:: C\n\n" + method * 2
    assert _pieces(text, limit=60) == [".. class:: C\n\n" + method, method]


def test_a_table_is_not_cut_at_its_blank_lines() -> None:
    table = "==  ==\na   b\n==  ==\n1   2\n\n3   4\n==  ==\n\n"
    assert _pieces(table + "After the table.\n", limit=23) == [table, "After the table.\n"]


def test_a_label_goes_with_its_title() -> None:
    text = "A\n=\n\nSome words.\n\n.. _b:\n.. index:: single: b\n\nB\n=\n\nSome more words.\n"
    assert _pieces(text, limit=55)[1].startswith(".. _b:")
