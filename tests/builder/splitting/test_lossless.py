"""The sections of a file, joined, are the file; their slugs are unique; their lines are right."""

from __future__ import annotations

import re
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from ctxcache.builder.splitting.sections import split
from ctxcache.text import TokenCounter

if TYPE_CHECKING:
    from ctxcache.builder.splitting.sections import Section

CHARACTERS = TokenCounter(len, "")  # which always add up
_PIECES = [
    *("# A", "## A", "### b", "A", "===", "---", "~~~", "```", "````py", "----", "....", "|===", "::", "-- "),
    *("text", "text:", "> q", "- i", "1. i", "  ", "    ", "\t", " ", "\n", "\r", "\r\n", "\n\n", "\r\n\r\n"),
    *(
        "<!--",
        "-->",
        "<div>",
        "<pre>",
        "</pre>",
        ".. code::",
        "== T",
        "=== ==",
        "\u2028",
        "\x0b",
        "\x0c",
        "\x85",
    ),
    *("é", "日本", "\ufffd", "\ufeff", "A-1", "top", "section", "[a](b)", "`c`", "#", "\ud800"),
]
_TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(_PIECES), max_size=80).map("".join))
_KINDS = st.sampled_from(["markdown", "rst", "asciidoc", "text"])


def _sections(text: str, kind: str, limit: int, body_start: int = 0) -> list[Section]:
    return split(text, kind=kind, max_tokens=limit, counter=CHARACTERS, body_start=body_start)


@given(_TEXTS, _KINDS, st.integers(1, 60), st.data())
def test_sections_joined_are_the_text(text: str, kind: str, limit: int, data: st.DataObject) -> None:
    """No character is lost, added or moved, wherever the body begins."""
    body_start = data.draw(st.integers(0, len(text)))
    sections = _sections(text, kind, limit, body_start)
    assert "".join(section.text for section in sections) == text


@given(_TEXTS, _KINDS, st.integers(1, 60))
def test_slugs_are_unique_and_only_a_whole_file_has_none(text: str, kind: str, limit: int) -> None:
    """A slug completes the id of a document."""
    slugs = [section.slug for section in _sections(text, kind, limit)]
    assert len(set(slugs)) == len(slugs)
    assert ("" in slugs) == (len(slugs) == 1)


@given(_TEXTS, _KINDS, st.integers(1, 60))
def test_a_section_knows_the_line_where_it_begins(text: str, kind: str, limit: int) -> None:
    """Lines end with LF, CR or CRLF, as in every editor."""
    before = ""
    for section in _sections(text, kind, limit):
        assert section.line == 1 + before.replace("\r\n", "\n").replace("\r", "\n").count("\n")
        before += section.text


@given(_TEXTS, _KINDS, st.integers(1, 60))
def test_only_a_line_above_the_limit_is_cut(text: str, kind: str, limit: int) -> None:
    """The CR of a CRLF is never parted from its LF, not even in such a line."""
    sections = _sections(text, kind, limit)
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    ends = {end: line for end, line in zip(accumulate(map(len, lines)), lines, strict=True) if line}
    at = 0
    for section, following in pairwise(sections):
        at += len(section.text)
        if at not in ends:
            assert len(ends[min(end for end in ends if end > at)]) > limit
        assert not (section.text.endswith("\r") and following.text.startswith("\n"))
