"""AsciiDoc: section titles, and blank lines outside delimited blocks.

Source: the AsciiDoc language documentation, *Section Titles and Levels* and *Delimited Blocks*; the
two-line titles are those of its older form, still common.
"""

from __future__ import annotations

import re

from .blocks import Scanner, line_at
from .headings import in_word

_TITLE = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_DELIMITER = re.compile(r"(?:(?P<same>[-.+/=*_])(?P=same){3,}|--|`{3,}[\w+-]*|[|,:!]===+)$", re.ASCII)
_ATTRIBUTES = re.compile(r"\[.*\]$")  # of the block below, its anchor among them
_BETWEEN = re.compile(r"//|:!?\w[^:]*:|\[.*\]$|\w+::[^\s\[]*\[.*\]$", re.ASCII)
"""A comment, an attribute, or what stands in brackets: lines that are no running text, like delimiters."""
_VERBATIM = frozenset("-.+/`")
_UNDERLINE = re.compile(r"(?:=+|-+|~+|\^+|\++)$")
_UNDERLINES = "=-~^+"  # outermost first
_INSIDE = 8  # levels by which a blank line inside an example or a table is a worse place to cut

_TEXT = r"(?:[ \t]++\S|[^\s=#\-.+/*_`|,:!\[]).*+\n?+"
"""A line that is neither a delimiter nor attributes, nor a title by itself."""
_COMMON = re.compile(rf"(?:{_TEXT})++")
_FRESH = re.compile(rf"{_TEXT}(?![=\-~^+])(?:{_TEXT})*+")
"""What is taken at once: lines of running text; after a blank line, where none is underlined."""


class AsciidocScanner(Scanner):
    """The section titles, and blank lines: none of listings and comments, poor ones inside other blocks."""

    closing = ""
    """The line that ends the delimited block."""

    def read(self, start: int) -> int:
        """Take what begins with the line at `start`; the offset where it ends."""
        if self.closing:
            return self._inside(start)
        if common := (_FRESH if self.fresh else _COMMON).match(self.text, start):
            return self.take_text(start, common.end())
        line = line_at(self.text, start)
        mark = line["line"].rstrip()
        if self.fresh and _ATTRIBUTES.match(mark):
            self.breaks.label(start)
            return line.end()
        if end := self._title(line):
            self.fresh = True
            return end
        end = self.take_text(start, line.end())
        if _DELIMITER.match(mark):
            self.closing = "```" if mark[0] == "`" else mark
            if mark[0] in _VERBATIM and mark != "--":
                return self._past_verbatim(end)
        return end

    def _past_verbatim(self, at: int) -> int:
        """The end of a listing or a comment, below the line that closes it."""
        while at < len(self.text):
            line = line_at(self.text, at)
            at = line.end()
            if line["line"].rstrip() == self.closing:
                break
        self.closing, self.fresh = "", False
        return at

    def _inside(self, start: int) -> int:
        """Take a line of a delimited block whose content is text; its last line repeats the first."""
        line = line_at(self.text, start)
        if line["line"].rstrip() == self.closing:
            self.closing, self.fresh = "", False
            return line.end()
        return self.take_text(start, line.end(), _INSIDE)

    def _title(self, line: re.Match[str]) -> int:
        """The end of the section title that begins with the line, which is taken; 0 if none does."""
        if (one := _TITLE.match(line["line"])) and not self._in_paragraph(line.start()):
            self.breaks.heading(line.start(), len(one[1]), _opened(one[1], one[2]))
            return line.end()
        below = line_at(self.text, line.end())
        if self.fresh and (level := _underlined(line["line"].rstrip(), below["line"].rstrip())):
            self.breaks.heading(line.start(), level, line["line"])
            return below.end()
        return 0

    def _in_paragraph(self, start: int) -> bool:
        """Whether the line at `start` goes on with a paragraph: "(default = true)" may be broken anywhere."""
        before = self.text[self.text.rfind("\n", 0, max(start - 1, 0)) + 1 : start].rstrip()
        return not (self.fresh or _BETWEEN.match(before) or _DELIMITER.match(before))


def _opened(mark: str, title: str) -> str:
    """A title without the mark that may stand behind it, too, as in `== Title ==`."""
    before = title.rstrip().removesuffix(mark)
    return before if before[-1:] in (" ", "\t") else title


def _underlined(title: str, below: str) -> int:
    """The level of a title that has a line of about its length below, 0 when it is none."""
    if not in_word(title[0]) or abs(len(title) - len(below)) > 1 or not _UNDERLINE.match(below):
        return 0
    return _UNDERLINES.index(below[0]) + 1
