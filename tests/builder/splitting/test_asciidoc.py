"""AsciiDoc and plain text: titles, blocks and blank lines."""

from __future__ import annotations

import pytest

from ctxcache.builder.splitting.formats import scan
from ctxcache.builder.splitting.sections import split
from ctxcache.text import TokenCounter

CHARACTERS = TokenCounter(len, "")  # which always add up


def _titles(text: str) -> list[tuple[int, str]]:
    found = scan(text, "asciidoc", 0)
    return [(found.levels[number], heading) for number, heading in found.headings.items()]


def _pieces(text: str, limit: int, kind: str = "asciidoc") -> list[str]:
    return [section.text for section in split(text, kind=kind, max_tokens=limit, counter=CHARACTERS)]


def test_titles_stand_behind_equals_signs_or_above_a_line() -> None:
    text = "= Book\n\n== Part\n\n=== Chapter\n\nNAME\n----\ntext\n\nsub\n~~~\n"
    assert _titles(text) == [(1, "Book"), (2, "Part"), (3, "Chapter"), (2, "NAME"), (3, "sub")]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("== Title ==", "Title"),
        ("=== C# === ", "C#"),
        ("# Title #", "Title"),
        ("== Title =", "Title ="),
        ("== a===", "a==="),
        ("== ==", "=="),
    ],
)
def test_the_mark_of_a_title_may_stand_behind_it_too(line: str, title: str) -> None:
    assert [heading.strip() for _, heading in _titles(f"{line}\n\ntext\n")] == [title]


@pytest.mark.parametrize("fence", ["----", "....", "++++", "////", "====", "****", "--", "```", "|==="])
def test_a_delimited_block_holds_no_title(fence: str) -> None:
    assert _titles(f"{fence}\n\n== No\n\nNo\n~~\n\n{fence}\n\n== Yes\n") == [(2, "Yes")]


def test_a_listing_is_never_cut_and_an_example_only_at_need() -> None:
    listing, example = "----\na\n\nb\n----\n\n", "====\na b c\n\nd e f\n====\n\n"
    assert _pieces(listing + example, limit=25) == [listing, example]
    assert _pieces(listing + example, limit=12) == [listing, "====\na b c\n\n", "d e f\n====\n\n"]


def test_a_line_of_a_paragraph_that_begins_with_an_equals_sign_is_no_title() -> None:
    """A sentence may be broken there, and the first title names the file."""
    assert _titles("a::\n\tIt is bare (bare\n= true).\n\n== Yes\n") == [(2, "Yes")]


@pytest.mark.parametrize(
    "line", ["// a comment", ":toc:", "ifdef::site[]", "----\ncode\n----", "x\n[[anchor]]"]
)
def test_a_title_may_follow_without_a_blank_line_what_is_no_paragraph(line: str) -> None:
    assert _titles(f"{line}\n== Yes\n") == [(2, "Yes")]


def test_an_anchor_goes_with_the_title_below_it() -> None:
    assert _pieces("== A\n\ntext text\n\n[[b]]\n== B\n\ntext\n", limit=25)[1] == "[[b]]\n== B\n\ntext\n"


def test_plain_text_is_cut_at_blank_lines_and_unindented_ones_first() -> None:
    """Source code, too, keeps the lines of a function together while they fit."""
    functions = ["def a():\n    x\n\n    y\n\n\n", "def b():\n    x\n\n    y\n"]
    assert _pieces("".join(functions), limit=30, kind="text") == functions
