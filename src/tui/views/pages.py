"""A document as it is shown: its text in rows, of any size, with matches that know where they stand.

Rows are offsets in one string, not copies: a line of a megabyte and a file of 200,000 lines
cost a pass over the text, made in a worker.
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
ENDINGS = (".md", ".mdx", ".markdown")
LARGEST = 60_000
"""Characters up to which a text is rendered; a longer one is shown raw, which is instant."""
LONGEST_LINE = 4_000
MATCHED_AT_ONCE = 200_000
"""Characters in which matches are looked for before a text is shown: a tenth of a second."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A text made safe to show, with the matches in it."""

    text: str
    matches: tuple[Range, ...] = ()
    """Offsets in `text`, in order, none inside another."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """A page in rows."""

    page: Page
    width: int
    rows: tuple[Range, ...]
    """Where each row begins and ends in the text."""

    def row_of(self, offset: int) -> int:
        """The row that shows a offset in the text."""
        return max(0, bisect_right(self.rows, offset, key=lambda row: row[0]) - 1)

    def offset_of(self, row: int, column: int) -> int:
        """Where the character in a column of a row stands in the text; the end of a row that is shorter."""
        if row >= len(self.rows):
            return len(self.page.text)
        start, end = self.rows[row]
        return min(start + column, end)

    def matches_in(self, row: int) -> list[tuple[int, Range]]:
        """The matches that touch a row: each one's number, and its part in the row, from the row's start."""
        start, end = self.rows[row]
        matches = self.page.matches
        first = bisect_right(matches, start, key=lambda match: match[1])
        last = bisect_left(matches, end, key=lambda match: match[0])
        return [
            (number, (max(matches[number][0], start) - start, min(matches[number][1], end) - start))
            for number in range(first, last)
        ]


def page(text: str, matches: list[Range] | None = None) -> Page:
    """Make a text safe, and move the matches to where their words are shown."""
    safe = escape_control(text, newlines=True).replace("\t", TAB)
    spans = _disjoint(matches or [])
    if safe != text:
        spans = _moved(text, spans)
    return Page(text=safe, matches=tuple(spans))


def layout(content: Page, width: int, *, characters: int | None = None) -> Layout:
    """Cut a page into rows of at most `width` cells, at spaces where there are some.

    `characters` cuts only so many: what is in view at once, whatever the size of the text.
    """
    rows: list[Range] = []
    start = 0
    for line in content.text[:characters].split("\n"):
        end = start + len(line)
        rows.extend(_wrapped(content.text, start, end, max(2, width)))
        start = end + 1
    return Layout(page=content, width=width, rows=tuple(rows))


def _disjoint(spans: list[Range]) -> list[Range]:
    """Spans that overlap (pairs of characters of a script without spaces) as one."""
    ranges: list[Range] = []
    for start, end in spans:
        if ranges and start < ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
        else:
            ranges.append((start, end))
    return ranges


def _moved(text: str, spans: list[Range]) -> list[Range]:
    """Where the same words stand once every odd character is spelled out."""
    odd = [match.start() for match in re.finditer(r"[^\x20-\x7e\n]", text)]
    grown = [len(escape_control(text[offset], newlines=True).replace("\t", TAB)) - 1 for offset in odd]
    shifts = [0, *accumulate(grown)]
    return [tuple(offset + shifts[bisect_left(odd, offset)] for offset in span) for span in spans]  # type: ignore[misc]  # two in, two out


def _wrapped(text: str, start: int, end: int, width: int) -> list[Range]:
    """One line in rows."""
    line = text[start:end]
    if len(line) <= width and (line.isascii() or cell_len(line) <= width):
        return [(start, end)]
    if line.isascii():
        return _wrapped_narrow(text, start, end, width)
    return _wrapped_wide(text, start, end, width)


def _wrapped_narrow(text: str, start: int, end: int, width: int) -> list[Range]:
    """Rows of a line whose characters all take one cell."""
    rows = []
    while end - start > width:
        space = text.rfind(" ", start, start + width + 1)
        cut = space + 1 if space > start else start + width
        rows.append((start, cut))
        start = cut
    return [*rows, (start, end)]


def _wrapped_wide(text: str, start: int, end: int, width: int) -> list[Range]:
    """Rows of a line with characters of no cell or two."""
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
    """The same page, its matches those of a text that is looked for, in any case."""
    if not words:
        return Page(text=content.text)
    matches = re.finditer(re.escape(words), content.text, re.IGNORECASE)
    return Page(text=content.text, matches=tuple(match.span() for match in matches))


def renderable(name: str, text: str) -> str:
    """A safe text as Markdown; empty if its name says that it is none, or if it is too long.

    Front matter becomes a block of its own: Markdown would take it for a heading.
    """
    is_long = len(text) > LARGEST or any(len(line) > LONGEST_LINE for line in text.splitlines())
    if is_long or not name.lower().endswith(ENDINGS):
        return ""
    # The whole builder, not needed for a first screen.
    from ...builder.sources.front_matter import front_matter

    end = front_matter(text).end
    head = text[:end].strip().strip("-").strip()
    return f"```yaml\n{head}\n```\n\n{text[end:]}" if head else text
