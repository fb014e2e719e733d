"""Lines of a text with their offsets."""

from __future__ import annotations

import re
from typing import NamedTuple

_LINE = re.compile(r"([^\r\n]*)(?:\r\n?|\n)|([^\r\n]+)")
_TAB = 4


class Line(NamedTuple):
    """One line without its ending, which is a line feed, a carriage return or both."""

    start: int
    """Offset in the text, in characters."""
    text: str

    @property
    def blank(self) -> bool:
        """Whether nothing but white space stands here."""
        return not self.text or self.text.isspace()

    @property
    def indent(self) -> int:
        """Width of the leading white space, in columns; a tab reaches the next multiple of four."""
        return width(self.text[: len(self.text) - len(self.text.lstrip(" \t"))])


def lines(text: str, start: int = 0) -> list[Line]:
    """The lines of `text` from the offset `start` on."""
    return [Line(found.start(), found[1] or found[2] or "") for found in _LINE.finditer(text, start)]


def line_number(text: str, start: int, end: int) -> int:
    """How many lines end between two offsets."""
    crlf = text.count("\r\n", start, end)
    return text.count("\n", start, end) + text.count("\r", start, end) - crlf


def width(space: str, column: int = 0) -> int:
    """The columns that spaces and tabs take which begin at `column`."""
    if "\t" not in space:
        return len(space)
    return len((" " * (column % _TAB) + space).expandtabs(_TAB)) - column % _TAB
