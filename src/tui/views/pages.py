"""The text of a document for the screen: control characters escaped, matches found, lines cut into rows.

A row is a pair of offsets in the text, not a copy: a line of a megabyte or a file of 200,000 lines costs one
pass over the text, in a worker.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate

from rich.cells import cell_len, split_graphemes

from ...text.display import escape_control

Range = tuple[int, int]

TAB = "    "
MARKDOWN_SUFFIXES = (".md", ".mdx", ".markdown")
MAX_RENDERED = 60_000
"""Characters of a text that is rendered as Markdown; a longer one is shown raw, which takes no time."""
MAX_RENDERED_LINE = 4_000
MATCHED_AT_ONCE = 200_000
"""Characters that are searched for matches before a text is shown, which takes a tenth of a second."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A text without control characters, and the matches in it."""

    text: str
    matches: tuple[Range, ...] = ()
    """Offsets in `text`, in order, none inside another."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """A page in rows."""

    page: Page
    width: int
    rows: tuple[Range, ...]
    """The offsets at which each row begins and ends in the text."""

    def row_of(self, offset: int) -> int:
        """The row that shows an offset of the text."""
        return max(0, bisect_right(self.rows, offset, key=lambda row: row[0]) - 1)

    def offset_of(self, row: int, column: int) -> int:
        """The offset in the text of a column of a row; the end of the row if the row is shorter."""
        if row >= len(self.rows):
            return len(self.page.text)
        start, end = self.rows[row]
        return min(start + column, end)

    def matches_in(self, row: int) -> list[tuple[int, Range]]:
        """(number, range) of each match that overlaps a row; a range is relative to the start of the row."""
        start, end = self.rows[row]
        matches = self.page.matches
        first = bisect_right(matches, start, key=lambda match: match[1])
        last = bisect_left(matches, end, key=lambda match: match[0])
        return [
            (number, (max(matches[number][0], start) - start, min(matches[number][1], end) - start))
            for number in range(first, last)
        ]


def page(text: str, matches: list[Range] | None = None) -> Page:
    """Escape the control characters of a text, and shift the offsets of the matches accordingly."""
    safe = escape_control(text, newlines=True).replace("\t", TAB)
    spans = _merge_overlaps(matches or [])
    if safe != text:
        spans = _shift(text, spans)
    return Page(text=safe, matches=tuple(spans))


def layout(content: Page, width: int, *, characters: int | None = None) -> Layout:
    """Cut a page into rows of at most `width` cells, at spaces where there are some.

    `characters` limits the work to the first so many characters, which are enough for a first screen.
    """
    rows: list[Range] = []
    start = 0
    for line in content.text[:characters].split("\n"):
        end = start + len(line)
        rows.extend(_wrap(content.text, start, end, max(2, width)))
        start = end + 1
    return Layout(page=content, width=width, rows=tuple(rows))


def _merge_overlaps(spans: list[Range]) -> list[Range]:
    """Join spans that overlap, as pairs of characters do in a script without spaces."""
    ranges: list[Range] = []
    for start, end in spans:
        if ranges and start < ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
        else:
            ranges.append((start, end))
    return ranges


def _shift(text: str, spans: list[Range]) -> list[Range]:
    """The offsets of the same words in the text whose control characters are escaped."""
    odd = [match.start() for match in re.finditer(r"[^\x20-\x7e\n]", text)]
    grown = [len(escape_control(text[offset], newlines=True).replace("\t", TAB)) - 1 for offset in odd]
    shifts = [0, *accumulate(grown)]
    return [tuple(offset + shifts[bisect_left(odd, offset)] for offset in span) for span in spans]  # type: ignore[misc]  # two in, two out


def _wrap(text: str, start: int, end: int, width: int) -> list[Range]:
    """The rows of one line."""
    line = text[start:end]
    if len(line) <= width and (line.isascii() or cell_len(line) <= width):
        return [(start, end)]
    if line.isascii():
        return _wrap_narrow(text, start, end, width)
    return _wrap_wide(text, start, end, width)


def _wrap_narrow(text: str, start: int, end: int, width: int) -> list[Range]:
    """The rows of a line whose characters all take one cell."""
    rows = []
    while end - start > width:
        space = text.rfind(" ", start, start + width + 1)
        cut = space + 1 if space > start else start + width
        rows.append((start, cut))
        start = cut
    return [*rows, (start, end)]


def _wrap_wide(text: str, start: int, end: int, width: int) -> list[Range]:
    """The rows of a line with characters of no cell or of two."""
    rows = []
    line, cells, after_space = start, 0, start
    for first, last, size in split_graphemes(text[start:end])[0]:
        here, behind = line + first, line + last
        cells += size
        while cells > width and start < here:
            cut = after_space if after_space > start else here
            rows.append((start, cut))
            start = after_space = cut
            cells = cell_len(text[cut:behind])
        if text[here] == " ":
            after_space = behind
    return [*rows, (start, end)]


def find_text(content: Page, words: str) -> Page:
    """The page with the places where a text stands, in upper or lower case, as its matches."""
    if not words:
        return Page(text=content.text)
    matches = re.finditer(re.escape(words), content.text, re.IGNORECASE)
    return Page(text=content.text, matches=tuple(match.span() for match in matches))


def as_markdown(name: str, text: str) -> str:
    """An escaped text as Markdown to render; empty if its name is none of Markdown, or if it is too long.

    Front matter becomes a code block: Markdown would take it for a heading.
    """
    is_long = len(text) > MAX_RENDERED or any(len(line) > MAX_RENDERED_LINE for line in text.splitlines())
    if is_long or not name.lower().endswith(MARKDOWN_SUFFIXES):
        return ""
    from ...builder.sources.front_matter import front_matter  # the whole builder, not for a first screen

    end = front_matter(text).end
    head = text[:end].strip().strip("-").strip()
    return f"```yaml\n{head}\n```\n\n{text[end:]}" if head else text
