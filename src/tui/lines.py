"""A text cut into rows of a display, of any size, with matches that know where they stand.

Rows are places in one string, not copies: a line of a megabyte and a file of 200,000 lines
cost a pass over the text, made in a worker.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate

from rich.cells import cell_len, get_character_cell_size

from ..text.visible import visible

Span = tuple[int, int]

TAB = "    "


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A text made safe to show, with the matches in it."""

    text: str
    matches: tuple[Span, ...] = ()
    """Places in `text`, in order, none inside another."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """A page in rows."""

    page: Page
    width: int
    rows: tuple[Span, ...]
    """Where each row begins and ends in the text."""

    def row_of(self, place: int) -> int:
        """The row that shows a place of the text."""
        return max(0, bisect_right(self.rows, place, key=lambda row: row[0]) - 1)

    def matches_in(self, row: int) -> list[tuple[int, Span]]:
        """The matches that touch a row: each one's number, and its part in the row, from the row's start."""
        start, end = self.rows[row]
        matches = self.page.matches
        first = bisect_right(matches, start, key=lambda match: match[1])
        last = bisect_left(matches, end, key=lambda match: match[0])
        return [
            (number, (max(matches[number][0], start) - start, min(matches[number][1], end) - start))
            for number in range(first, last)
        ]


def page(text: str, matches: list[Span] | None = None) -> Page:
    """Make a text safe, and move the matches to where their words are shown."""
    safe = visible(text, newlines=True).replace("\t", TAB)
    spans = _disjoint(matches or [])
    if safe != text:
        spans = _moved(text, spans)
    return Page(text=safe, matches=tuple(spans))


def layout(shown: Page, width: int) -> Layout:
    """Cut a page into rows of at most `width` cells, at spaces where there are some."""
    rows: list[Span] = []
    start = 0
    for line in shown.text.split("\n"):
        end = start + len(line)
        rows.extend(_wrapped(shown.text, start, end, max(2, width)))
        start = end + 1
    return Layout(page=shown, width=width, rows=tuple(rows))


def _disjoint(spans: list[Span]) -> list[Span]:
    """Spans that overlap (pairs of characters of a script without spaces) as one."""
    found: list[Span] = []
    for start, end in spans:
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _moved(text: str, spans: list[Span]) -> list[Span]:
    """Where the same words stand once every odd character is spelled out."""
    odd = [match.start() for match in re.finditer(r"[^\x20-\x7e\n]", text)]
    grown = [len(visible(text[place], newlines=True).replace("\t", TAB)) - 1 for place in odd]
    shifts = [0, *accumulate(grown)]
    return [tuple(place + shifts[bisect_left(odd, place)] for place in span) for span in spans]  # type: ignore[misc]  # two in, two out


def _wrapped(text: str, start: int, end: int, width: int) -> list[Span]:
    """One line in rows."""
    line = text[start:end]
    if len(line) <= width and (line.isascii() or cell_len(line) <= width):
        return [(start, end)]
    if line.isascii():
        return _wrapped_narrow(text, start, end, width)
    return _wrapped_wide(text, start, end, width)


def _wrapped_narrow(text: str, start: int, end: int, width: int) -> list[Span]:
    """Rows of a line whose characters all take one cell."""
    rows = []
    while end - start > width:
        space = text.rfind(" ", start, start + width + 1)
        cut = space + 1 if space > start else start + width
        rows.append((start, cut))
        start = cut
    return [*rows, (start, end)]


def _wrapped_wide(text: str, start: int, end: int, width: int) -> list[Span]:
    """Rows of a line with characters of no cell or two."""
    rows = []
    cells, after_space = 0, start
    for place in range(start, end):
        character = text[place]
        cells += get_character_cell_size(character)
        while cells > width and start < place:
            cut = after_space if after_space > start else place
            rows.append((start, cut))
            start = after_space = cut
            cells = cell_len(text[cut : place + 1])
        if character == " ":
            after_space = place + 1
    return [*rows, (start, end)]
