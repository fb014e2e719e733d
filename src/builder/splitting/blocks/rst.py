"""reStructuredText: underlined titles, and blank lines outside literal blocks and tables.

Source: the reStructuredText specification, *Sections*, *Literal Blocks* and *Simple Tables*. What is
indented (the content of directives, literal blocks, quotations) is never a title.
"""

from __future__ import annotations

import re

from .breaks import Break, body_level
from .lines import Line, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*$")
_LITERAL = re.compile(
    r"\.\.[ ]+(?:[\w-]+:)?(?:code|code-block|sourcecode|highlight|doctest|testcode|testoutput|parsed-literal|"
    r"productionlist|math|raw|literalinclude|graphviz|mermaid|csv-table)::",
    re.A,
)
_TABLE = re.compile(r"=+(?:[ ]+=+)+[ \t]*$")
_SHORT = 4  # an underline of fewer characters must be as long as its title


def scan(text: str, start: int) -> list[Break]:
    """The section titles, and blank lines outside literal blocks and tables."""
    return list(_Scanner(lines(text, start)).breaks())


class _Scanner:
    """A position in the lines of a document."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.levels: dict[tuple[str, bool], int] = {}  # (character, overlined) in order of appearance
        self.borders = [at for at, line in enumerate(lines) if _TABLE.match(line.text)]
        self.border = 0
        self.before = ""

    def breaks(self) -> Iterator[Break]:
        """The breaks, in order."""
        at, fresh = 0, True
        while at < len(self.lines):
            line = self.lines[at]
            if line.blank:
                at, fresh = at + 1, True
                continue
            title = self._title(at) if fresh else None
            if title:
                yield title[0]
                at += title[1]
                continue
            if fresh:
                yield Break(line.start, body_level(line.indent, self.before))
            self.before = line.text
            fresh = False
            at = self._past(at)

    def _title(self, at: int) -> tuple[Break, int] | None:
        """A section title that begins here, and how many lines it takes."""
        first, second, third = (self._text(at + n) for n in range(3))
        over = _ADORNMENT.match(first)
        if over and second.strip() and first == third and _long_enough(first, second.strip()):
            return self._break(at, second, over[1], True), 3
        under = _ADORNMENT.match(second)
        if under and not over and first[0] not in " \t" and _long_enough(second, first):
            return self._break(at, first, under[1], False), 2
        return None

    def _break(self, at: int, heading: str, character: str, overlined: bool) -> Break:
        """A title of the level that its adornment has in this file."""
        level = self.levels.setdefault((character, overlined), len(self.levels) + 1)
        return Break(self.lines[at].start, level, heading.strip())

    def _text(self, at: int) -> str:
        return self.lines[at].text.rstrip() if at < len(self.lines) else ""

    def _past(self, at: int) -> int:
        """The line after this one, or after the literal block or table that begins with it."""
        line = self.lines[at]
        if _TABLE.match(line.text):
            return self._past_table(at)
        text = line.text.strip()
        if _LITERAL.match(text) or (text.endswith("::") and not text.startswith(".. ")):
            return self._past_indented(at)
        return at + 1

    def _past_indented(self, at: int) -> int:
        """The first line after `at` that is no deeper than it."""
        edge, at = self.lines[at].indent, at + 1
        end = at
        while at < len(self.lines) and (self.lines[at].blank or self.lines[at].indent > edge):
            at += 1
            if not self.lines[at - 1].blank:
                end = at
        return end

    def _past_table(self, at: int) -> int:
        """The first line after a simple table: below its second border, or below one that ends it early."""
        while self.border < len(self.borders) and self.borders[self.border] <= at:
            self.border += 1
        for end in self.borders[self.border : self.border + 2]:
            last = end == self.borders[min(self.border + 1, len(self.borders) - 1)]
            if last or not self._text(end + 1):
                return end + 1
        return at + 1


def _long_enough(adornment: str, title: str) -> bool:
    """Whether a line of punctuation makes the text beside it a title."""
    return len(adornment) >= min(_SHORT, len(title))
