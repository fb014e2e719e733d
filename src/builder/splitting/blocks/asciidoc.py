"""AsciiDoc: section titles, and blank lines outside delimited blocks.

Source: the AsciiDoc language documentation, *Section Titles and Levels* and *Delimited Blocks*; the
two-line titles are those of its older form, still common.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ..slugs import in_word
from .breaks import Break, Breaks, body_level
from .lines import Line, lines

_TITLE = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_DELIMITER = re.compile(r"(?:(?P<same>[-.+/=*_])(?P=same){3,}|--|`{3,}[\w+-]*|[|,:!]===+)$", re.ASCII)
_ATTRIBUTES = re.compile(r"\[.*\]$")  # of the block below, its anchor among them
_VERBATIM = frozenset("-.+/`")
_UNDERLINE = re.compile(r"(?:=+|-+|~+|\^+|\++)$")
_UNDERLINES = "=-~^+"  # outermost first
_INSIDE = 8  # levels by which a blank line inside an example or a table is a worse place to cut


def scan(text: str, start: int) -> list[Break]:
    """The section titles, and blank lines: none of listings and comments, poor ones inside other blocks."""
    scanner = _Scanner()
    for line, below in pairwise([*lines(text, start), Line(len(text), "")]):
        scanner.read(line, below)
    return scanner.breaks.found


class _Scanner:
    """What is open at the line being read."""

    def __init__(self) -> None:
        self.breaks = Breaks()
        self.closing = ""  # the line that ends the delimited block
        self.verbatim = False
        self.underline = -1  # offset of the second line of a title
        self.fresh = True  # a blank line or a title came last
        self.before = ""

    def read(self, line: Line, below: Line) -> None:
        """Take the next line, seeing the one below it."""
        mark = line.text.rstrip()
        if self.closing:
            self._inside(line, mark)
        elif not mark or line.start == self.underline:
            self.fresh = True
        elif self.fresh and _ATTRIBUTES.match(mark):
            self.breaks.label(line.start)
        elif not self._title(line, below):
            self._paragraph(line, 0)
            if _DELIMITER.match(mark):
                self.closing = "```" if mark[0] == "`" else mark
                self.verbatim = mark[0] in _VERBATIM and mark != "--"

    def _inside(self, line: Line, mark: str) -> None:
        """A line of a delimited block, whose last line repeats the first."""
        if mark == self.closing:
            self.closing, self.fresh = "", False
        elif not mark:
            self.fresh = True
        elif not self.verbatim:
            self._paragraph(line, _INSIDE)

    def _paragraph(self, line: Line, depth: int) -> None:
        if self.fresh:
            self.breaks.add(line.start, body_level(line.indent + depth, self.before))
        self.fresh, self.before = False, line.text

    def _title(self, line: Line, below: Line) -> bool:
        """Whether a section title begins here; if so, take it."""
        if one := _TITLE.match(line.text):
            self.breaks.add(line.start, len(one[1]), one[2])
        elif self.fresh and (level := _underlined(line.text.rstrip(), below.text.rstrip())):
            self.breaks.add(line.start, level, line.text)
            self.underline = below.start
        else:
            return False
        self.fresh = True
        return True


def _underlined(title: str, below: str) -> int:
    """The level of a title that has a line of about its length below, 0 when it is none."""
    if not in_word(title[0]) or abs(len(title) - len(below)) > 1 or not _UNDERLINE.match(below):
        return 0
    return _UNDERLINES.index(below[0]) + 1
