"""reStructuredText: underlined titles, and blank lines outside literal blocks and tables.

Source: the reStructuredText specification, *Sections*, *Literal Blocks* and *Simple Tables*. What is
indented (the content of directives, literal blocks, quotations) is never a title.
"""

from __future__ import annotations

import re

from .breaks import Break, Breaks, body_level
from .lines import Line, lines

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*$")
_LITERAL = re.compile(
    r"\.\.[ ]+(?:[\w-]+:)?(?:code|code-block|sourcecode|highlight|doctest|testcode|testoutput|parsed-literal|"
    r"productionlist|math|raw|literalinclude|graphviz|mermaid|csv-table)::",
    re.A,
)
_LABEL = re.compile(r"\.\. (?:_.*:[ \t]*$|index::)")
_TABLE = re.compile(r"=+(?:[ ]+=+)+[ \t]*$")
_ITEM = re.compile(r"[ ]*(?:[-+*\u2022]|\(?(?:\w|#|\d+)[.)])[ ]+", re.ASCII)
_UNTITLED = re.compile(r"\s|(?:[-+*\u2022|]|\.\.)(?:\s|$)")  # indented, an item, a line block, a directive
_SHORT = 4  # an underline of fewer characters must be as long as its title


def scan(text: str, start: int) -> list[Break]:
    """The section titles, and blank lines outside literal blocks and tables."""
    scanner = _Scanner(lines(text, start))
    scanner.run()
    return scanner.breaks.found


class _Scanner:
    """A position in the lines of a document."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.breaks = Breaks()
        self.levels: dict[tuple[str, int], int] = {}  # by character and number of lines
        self.borders = [at for at, line in enumerate(lines) if _TABLE.match(line.text)]
        self.border = 0
        self.before = ""

    def run(self) -> None:
        """Find the breaks, in order."""
        at, fresh = 0, True
        while at < len(self.lines):
            line = self.lines[at]
            if line.blank:
                at, fresh = at + 1, True
            elif fresh and _LABEL.match(line.text):
                self.breaks.label(line.start)
                at = self._past_indented(at)
            elif fresh and (taken := self._title(at)):
                at += taken
            else:
                if fresh:
                    self.breaks.add(line.start, body_level(line.indent, self.before))
                fresh, self.before = False, line.text
                at = self._past(at)

    def _title(self, at: int) -> int:
        """The number of lines of the section title that begins here, which is taken; 0 if none does."""
        first, second, third = (self._text(at + n) for n in range(3))
        over = _ADORNMENT.match(first)
        if over and second.strip() and first == third and _long_enough(first, second.strip()):
            return self._take(at, 3, second, over[1])
        under = _ADORNMENT.match(second)
        if under and not (over or _UNTITLED.match(first)) and _long_enough(second, first):
            return self._take(at, 2, first, under[1])
        return 0

    def _take(self, at: int, taken: int, heading: str, character: str) -> int:
        """Take a title, whose level is that of its adornment in this file."""
        level = self.levels.setdefault((character, taken), len(self.levels) + 1)
        self.breaks.add(self.lines[at].start, level, heading.strip())
        return taken

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
        """The first line after `at` that is no deeper than its text."""
        item = _ITEM.match(self.lines[at].text)
        edge = item.end() if item else self.lines[at].indent
        end = at = at + 1
        while at < len(self.lines) and (self.lines[at].blank or self.lines[at].indent > edge):
            at += 1
            if not self.lines[at - 1].blank:
                end = at
        return end

    def _past_table(self, at: int) -> int:
        """The line after a simple table: below its second border, or below one with a blank line under it."""
        while self.border < len(self.borders) and self.borders[self.border] <= at:
            self.border += 1
        following = self.borders[self.border : self.border + 2] or [at]
        return (following[0] if not self._text(following[0] + 1) else following[-1]) + 1


def _long_enough(adornment: str, title: str) -> bool:
    """Whether a line of punctuation makes the text beside it a title."""
    return len(adornment) >= min(_SHORT, len(title))
