"""Markdown (CommonMark block structure, and MDX read as such): headings and blank lines outside code.

Source: CommonMark 0.31, *Leaf blocks* and *Container blocks*. Headings in lists and quotations are text.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from .breaks import Break, Breaks, body_level
from .lines import Line, lines, width
from .markdown_html import html_end

_ATX = re.compile(r"(#{1,6})(?:[ \t]|$)")
_SETEXT = re.compile(r"(?:=+|-+)$")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_ITEM = re.compile(r"([-+*]|(\d{1,9})[.)])([ \t]+|$)", re.ASCII)
_LABEL = re.compile(r"(?:<a\s[^<>]*>\s*</a>\s*|<!--(?:(?!-->).)*-->\s*)+$")
_SPECIAL = frozenset("#`~>-+*_<0123456789")
_CODE = 4  # columns of indent that make code
_MOST_ITEMS = 10  # list items that one line may open


def scan(text: str, start: int) -> list[Break]:
    """The headings of the top level, and blank lines outside code, comments and raw HTML."""
    scanner = _Scanner()
    for line in lines(text, start):
        scanner.read(line)
    return scanner.breaks.found


class _Scanner:
    """What is open at the line being read."""

    def __init__(self) -> None:
        self.breaks = Breaks()
        self.items: list[int] = []  # the column where the content of each open list item begins
        self.fence: tuple[str, int] | None = None  # its character and length
        self.html: re.Pattern[str] | None = None  # what ends the raw HTML
        self.column = 0  # where the content begins that holds the fence or the HTML
        self.paragraph: list[Line] = []  # of the top level: it may turn out to be a heading
        self.nested = False  # a paragraph in a list item or a quotation is open
        self.quoted = False  # and it is in a quotation
        self.hollow = False  # the last line began a list item and nothing more
        self.code = False  # the last line was indented code
        self.fresh = True  # a blank line or a heading came last
        self.broke = -1  # the line before which the last break in running text stands
        self.before = ""

    def read(self, line: Line) -> None:
        """Take the next line."""
        if self._inside(line):
            return
        if line.blank:
            self._end_paragraph()
            self.fresh = True
            if self.hollow:  # one blank line, and the item stays empty
                self.items.pop()
            self.hollow = False
        elif self.paragraph and line.indent < _CODE and _SETEXT.match(line.text.strip()):
            self._underline(line)
        else:
            self._content(line)
            self.before = line.text

    def _inside(self, line: Line) -> bool:
        """Whether the line belongs to the open fence or raw HTML, which it may end."""
        if not (self.fence or self.html):
            return False
        if not line.blank and line.indent < self.column:  # the list item around it has ended
            self.fence = self.html = None
            return False
        if self.html:
            if self.html.search(line.text):
                self.html = None
                return not line.blank
        elif self.fence:
            character, length = self.fence
            mark = line.text.strip()
            closes = len(mark) >= length and mark == character * len(mark)
            if closes and line.indent - self.column < _CODE:
                self.fence = None
        return True

    def _content(self, line: Line) -> None:
        """Take a line that is neither blank nor inside something raw."""
        was_code, fresh, known = self.code, self.fresh, len(self.breaks.found)
        self.code = self.fresh = self.hollow = False
        depth = bisect_right(self.items, line.indent)
        if line.indent - self._edge(depth) >= _CODE:
            self._indented(line, depth)
        elif not self._begins(line, depth):
            self._text(line, depth)
        if not fresh or len(self.breaks.found) > known or (was_code and self.code):
            return
        if _LABEL.match(line.text):
            self.breaks.label(line.start)
            self.fresh = True
        else:
            self.breaks.add(line.start, body_level(line.indent, self.before))
            self.broke = line.start

    def _edge(self, depth: int) -> int:
        """The column where the content of the first `depth` list items begins."""
        return self.items[depth - 1] if depth else 0

    def _indented(self, line: Line, depth: int) -> None:
        """Code, unless a paragraph goes on."""
        if self.paragraph or self.nested:
            self._text(line, depth)
        else:
            self.code = True
            del self.items[depth:]

    def _text(self, line: Line, depth: int) -> None:
        """A line of a paragraph, which may go on lazily with less indent."""
        if self.paragraph:
            self.paragraph.append(line)
        elif not self.nested:
            del self.items[depth:]
            self.nested = bool(self.items)
            self.paragraph = [] if self.items else [line]

    def _end_paragraph(self) -> None:
        self.paragraph = []
        self.nested = self.quoted = False

    def _underline(self, line: Line) -> None:
        """Make the open paragraph a heading."""
        start = self.paragraph[0].start
        if self.broke >= start:
            start = self.breaks.found.pop().start
        heading = " ".join(part.text.strip() for part in self.paragraph)
        self.breaks.add(start, 1 if "=" in line.text else 2, heading)
        self._end_paragraph()
        self.fresh = True

    def _begins(self, line: Line, depth: int) -> bool:
        """Whether the line begins something other than a paragraph; if so, take it."""
        rest, column, begun = line.text.lstrip(" \t"), line.indent, False
        goes_on = bool(self.paragraph) or (self.nested and not self.quoted and depth == len(self.items))
        for _ in range(_MOST_ITEMS):
            item = None if _RULE.match(rest) else _ITEM.match(rest)
            if not item or (goes_on and (item.end() == len(rest) or item[2] not in (None, "1"))):
                break
            del self.items[depth:]
            column += len(item[1])
            gap = width(item[3], column)
            column += gap if 0 < gap <= _CODE else 1
            self.items.append(column)
            self._end_paragraph()
            rest, depth, begun, goes_on = rest[item.end() :], depth + 1, True, False
            self.hollow = not rest
            if not rest or gap > _CODE:
                return True
        if self._leaf(line, rest, depth):
            return True
        self.nested |= begun
        return begun

    def _leaf(self, line: Line, rest: str, depth: int) -> bool:
        """Whether a heading, fence, quotation, rule or raw HTML begins; if so, take it."""
        if rest[0] not in _SPECIAL:
            return False
        quote = rest[0] == ">"
        if fence := _FENCE.match(rest):
            self.fence = (rest[0], len(fence[1] or fence[2]))
        elif heading := _ATX.match(rest):
            if depth == 0:
                self.breaks.add(line.start, len(heading[1]), _unclosed(rest[heading.end() :]))
                self.fresh = True
        elif rest[0] == "<" and (end := html_end(rest, interrupts=bool(self.paragraph or self.nested))):
            self.html = None if end.search(rest) else end
        elif not (quote or _RULE.match(rest)):
            return False
        del self.items[depth:]
        self.column = self._edge(depth)
        self._end_paragraph()
        quoted = rest.lstrip("> \t") if quote else ""
        self.nested = self.quoted = bool(quoted) and not (_ATX.match(quoted) or _RULE.match(quoted))
        return True


def _unclosed(heading: str) -> str:
    """A heading without the number signs that may close it."""
    heading = heading.strip(" \t")
    bare = heading.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else heading
