"""reStructuredText: underlined titles, and blank lines outside literal blocks and tables.

Source: the reStructuredText specification, *Sections*, *Literal Blocks* and *Simple Tables*. What is
indented (the content of directives, literal blocks, quotations) is never a title.
"""

from __future__ import annotations

import re

from .blocks import BLANK, Scanner, line_at, outdented, width

_SIGN = r"[!-/:-@\[-`{-~]"
_ADORNMENT = re.compile(rf"({_SIGN})\1*[ \t]*$")
_LITERAL = re.compile(
    r"\.\.[ ]+(?:[\w-]+:)?(?:code|code-block|sourcecode|highlight|doctest|testcode|testoutput|parsed-literal|"
    r"productionlist|math|raw|literalinclude|graphviz|mermaid|csv-table)::",
    re.A,
)
_LABEL = re.compile(r"\.\. (?:_.*:[ \t]*$|index::)")
_TABLE = re.compile(r"^=+(?:[ ]+=+)+[ \t]*$", re.M)
_ITEM = re.compile(r"[ ]*(?:[-+*\u2022]|\(?(?:\w|#|\d+)[.)])[ ]+", re.ASCII)
_UNTITLED = re.compile(r"\s|(?:[-+*\u2022|]|\.\.)(?:\s|$)")  # indented, an item, a line block, a directive
_SHORT = 4  # an underline of fewer characters must be as long as its title

_REST = r".*+(?<!\s)(?<!::)(?:\n|\Z)"  # two colons, and perhaps white space, announce a literal block
_TEXT = rf"[ \t]*+[^\s=.]{_REST}"
_COMMON = re.compile(rf"(?:{_TEXT})++(?P<below>{BLANK})?+")
_FRESH = re.compile(
    rf"[ \t]*+(?:(?<=[ \t])[^\s=.]{_REST}|[-+*|][ \t]{_REST}|[^\W_]{_REST}(?!{_SIGN}))"
    rf"(?:{_TEXT})*+(?P<below>{BLANK})?+"
)
"""What is taken at once: lines that are no more than text; below a blank line, where they are no title."""


class RstScanner(Scanner):
    """The section titles, and blank lines outside literal blocks and tables."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.levels: dict[tuple[str, int], int] = {}  # by character and number of lines

    def read(self, start: int) -> int:
        """Take what begins with the line at `start`; the offset where it ends."""
        match = (_FRESH if self.fresh else _COMMON).match(self.text, start)
        if match is None:
            return self._line(start)
        self.take_text(start, match.end())
        self.fresh = match["below"] is not None
        return match.end()

    def _line(self, at: int) -> int:
        """Take the line at `at`, and what it begins; the offset where that ends."""
        line = line_at(self.text, at)
        if self.fresh:
            if _LABEL.match(line["line"]):
                self.breaks.label(at)
                return self._past_indented(line)
            if end := self._title(at):
                return end
        self.take_text(at, line.end())
        if _TABLE.match(line["line"]):
            return self._past_table(line.end())
        text = line["line"].strip()
        if _LITERAL.match(text) or (text.endswith("::") and not text.startswith(".. ")):
            return self._past_indented(line)
        return line.end()

    def _title(self, at: int) -> int:
        """The end of the section title that begins at `at`, which is taken; 0 if none does."""
        lines = [line_at(self.text, at)]
        lines += [line_at(self.text, lines[0].end())]
        lines += [line_at(self.text, lines[1].end())]
        first, second, third = (line["line"].rstrip() for line in lines)
        over = _ADORNMENT.match(first)
        if over and second.strip() and first == third and _long_enough(first, second.strip()):
            self._take(at, second, over[1], 2)
            return lines[2].end()
        under = _ADORNMENT.match(second)
        if under and not (over or _UNTITLED.match(first)) and _long_enough(second, first):
            self._take(at, first, under[1], 1)
            return lines[1].end()
        return 0

    def _take(self, at: int, heading: str, character: str, adornments: int) -> None:
        """Take a title, whose level is that of its adornment in this file."""
        level = self.levels.setdefault((character, adornments), len(self.levels) + 1)
        self.breaks.heading(at, level, heading.strip())

    def _past_indented(self, line: re.Match[str]) -> int:
        """The end of the lines below `line` that are deeper than its text, blank ones at their end aside."""
        item = _ITEM.match(line["line"])
        edge = item.end() if item else width(line["space"])
        end = outdented(self.text, line.end(), len(self.text), edge + 1)
        while end > line.end() and self.text[end - 1].isspace():
            end -= 1
        return line_at(self.text, end).end() if end > line.end() else line.end()

    def _past_table(self, at: int) -> int:
        """The end of a simple table: its second border, or its first where a blank line follows that."""
        border = _TABLE.search(self.text, at)
        if border is None:
            return at
        below = line_at(self.text, border.end()).end()
        if not line_at(self.text, below)["line"].rstrip():
            return below
        border = _TABLE.search(self.text, below) or border
        return line_at(self.text, border.end()).end()


def _long_enough(adornment: str, title: str) -> bool:
    """Whether a line of punctuation makes the text beside it a title."""
    return len(adornment) >= min(_SHORT, len(title))
