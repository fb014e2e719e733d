"""Markdown (CommonMark block structure, and MDX read as such): headings and blank lines outside code.

Source: CommonMark 0.31, *Leaf blocks* and *Container blocks*. Headings in lists and quotations are text.
What most of a document consists of is taken many lines at a time: paragraphs, simple lists, fenced code.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from .blocks import BLANK, Scanner, announces, line_at, width
from .embedded import (
    HEADING,
    ends_blank,
    heading_text,
    html_end,
    is_blank,
    past_fence,
    past_html,
    past_javascript,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .blocks import Breaks

_ATX = re.compile(r"(#{1,6})(?:[ \t]|$)")
_SETEXT = re.compile(r"(?:=+|-+)$")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_ITEM = re.compile(r"([-+*]|(\d{1,9})[.)])([ \t]+|$)", re.ASCII)
_LABEL = re.compile(r"(?:<a\s[^<>]*>\s*</a>\s*|<!--(?:(?!-->).)*-->\s*)+$")
_SPECIAL = frozenset("#`~>-+*_<0123456789")
_CODE = 4  # columns of indent that make code
_MOST_ITEMS = 10  # list items that one line may open

_WORDS = r"(?:[^\s#`~>\-+*_<0-9=]|[-+*_~`]{1,2}[^\s\-+*_~`]|[0-9]++(?![.)])).*\n?"
"""A line, from its indent on, that begins nothing but a paragraph."""
_TEXT = rf"(?P<indent>[ \t]*+){_WORDS}(?:[ \t]*+{_WORDS})*+(?P<end>{BLANK})?+"
_BULLET = rf"(?P<edge>[ \t]*+)(?P<bullet>[-+*][ \t]++){_WORDS}"
_COMMON = re.compile(
    rf"(?P<text>(?! {{4}}| {{0,3}}\t){_TEXT})"
    rf"|(?P<deep>(?P<space>[ \t]++){_WORDS})"
    rf"|(?P<list>{_BULLET})"
    rf"|(?P<blank>{BLANK})"
    rf"|(?P<heading>(?P<signs>#{{1,6}})(?![^ \t\n])(?P<title>.*){BLANK})"
    r"|(?P<fence>(?P<mark>`{3,}|~{3,})[^`\n]*(?:\n|\Z))"
)
"""What is taken at once, each kind in a group of its own.

A match that may turn out to be code is of one line: what is matched is taken, so that none is matched twice.
"""
_MDX = re.compile(rf"(?P<js>(?:import|export)(?=[\s{{*\"'])|\{{)|{_COMMON.pattern}")
_PARAGRAPH = re.compile(_TEXT)
_BULLETS = re.compile(rf"{_BULLET}(?:(?P=edge)(?P=bullet){_WORDS})*+")
"""What goes on below a line that is no code: the whole paragraph, the items of a list with equal marks."""


class MarkdownScanner(Scanner):
    """The headings of the top level, and blank lines outside code, comments and raw HTML."""

    pattern = _COMMON

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.looked = 0  # how far JavaScript was looked for
        self.items: list[int] = []  # the column where the content of each open list item begins
        self.fence = ""  # the shortest mark that closes it
        self.html: re.Pattern[str] | None = None  # what ends the raw HTML
        self.column = 0  # where the content begins that holds the fence or the HTML
        self.paragraph = -1  # where one of the top level began: it may turn out to be a heading
        self.nested = False  # a paragraph in a list item or a quotation is open
        self.quoted = False  # and it is in a quotation
        self.hollow = False  # the last line began a list item and nothing more
        self.code = False  # the last line was indented code
        self.broke = -1  # the line before which the last break in running text stands

    def scan(self, start: int) -> Breaks:
        """The breaks from `start` on; most lines are taken many at a time."""
        text, match, size, at = self.text, self.pattern.match, len(self.text), start
        takers: dict[str | None, Callable[[re.Match[str]], int]] = {
            "text": self._paragraph, "deep": self._indented, "list": self._bullets,
            "blank": self._blank, "heading": self._heading, "fence": self._fence, "js": self._javascript,
        }  # fmt: skip
        while at < size:
            line = match(text, at)
            at = takers[line.lastgroup](line) if line else self.read(at)
        return self.breaks

    def _paragraph(self, line: re.Match[str]) -> int:
        """Take lines of a paragraph."""
        start, edge = line.span("indent")
        indent = width(line["indent"]) if edge > start else 0
        if not (indent or self.items or self.nested) and self.paragraph < 0 <= line.start("end"):
            return self._whole_paragraph(start, line.end())
        self._text(start, bisect_right(self.items, indent))
        end = self._taken(start, indent, line.end())
        return end if line.start("end") < 0 else self._blank(line)

    def _indented(self, line: re.Match[str]) -> int:
        """Take a line of code, or the lines of a paragraph."""
        start, indent = line.start(), width(line["space"])
        closed = self.paragraph < 0 and not self.nested
        if closed and indent - self._edge(bisect_right(self.items, indent)) >= _CODE:
            return self.read(start)
        paragraph = _PARAGRAPH.match(self.text, start)
        assert paragraph is not None  # its first line is the one that was found
        return self._paragraph(paragraph)

    def _javascript(self, line: re.Match[str]) -> int:
        """Take JavaScript in MDX, or the line where it would begin if there is none."""
        start, is_javascript = line.start(), False
        if start >= self.looked and self.paragraph < 0 and not self.nested:
            self.looked, is_javascript = past_javascript(self.text, start)
        if not is_javascript:
            return self.read(start)
        self.items.clear()
        return self._taken(start, 0, self.looked)

    def _whole_paragraph(self, start: int, end: int) -> int:
        """Take a paragraph of the top level and the blank lines below, which much of most texts is."""
        if self.fresh:
            self.breaks.begin(start, 0, announces(self.text, self.last))
            self.broke = start
        self.code = self.hollow = False
        self.fresh = True
        self.last = end
        return end

    def _bullets(self, line: re.Match[str]) -> int:
        """Take list items of a line each; only one line if it turns out to be something else."""
        start, indent = line.start(), width(line["edge"])
        gap = width(line["bullet"][1:], indent + 1)
        depth = bisect_right(self.items, indent)
        if gap > _CODE or indent - self._edge(depth) >= _CODE:
            return self.read(start)
        self.items[depth:] = [indent + 1 + gap]
        self._end_paragraph()
        self.nested = True
        bullets = _BULLETS.match(self.text, start)
        assert bullets is not None  # its first line is the one that was found
        return self._taken(start, indent, bullets.end())

    def _heading(self, line: re.Match[str]) -> int:
        """Take a heading of the top level, and blank lines below."""
        self.breaks.heading(line.start(), len(line["signs"]), _unclosed(line["title"]))
        self.items.clear()
        self._end_paragraph()
        self.code = self.hollow = False
        self.fresh = True
        self.last = line.end()
        return line.end()

    def _fence(self, line: re.Match[str]) -> int:
        """Take fenced code of the top level."""
        self.items.clear()
        self._end_paragraph()
        return past_fence(self.text, self._taken(line.start(), 0, line.end()), line["mark"], 0)

    def _taken(self, start: int, indent: int, end: int) -> int:
        """Note what has been taken from `start` to `end`, which is returned."""
        if self.fresh:
            self._break(start, indent)
        self.code = self.fresh = self.hollow = False
        self.last = end
        return end

    def _blank(self, line: re.Match[str]) -> int:
        """Take blank lines."""
        self._end_paragraph()
        self.fresh = True
        if self.hollow:  # one blank line, and the item stays empty
            self.items.pop()
        self.hollow = False
        return line.end()

    def read(self, start: int) -> int:
        """Take one line that is neither blank nor inside something raw, or the raw block that it begins."""
        line = line_at(self.text, start)
        indent = width(line["space"])
        if self.paragraph >= 0 and indent < _CODE and _SETEXT.match(line["rest"].strip()):
            self._underline(start, line["rest"])
            return line.end()
        was_code, fresh, known = self.code, self.fresh, len(self.breaks)
        self.code = self.fresh = self.hollow = False
        depth = bisect_right(self.items, indent)
        deep = indent - self._edge(depth) >= _CODE
        if deep and self.paragraph < 0 and not self.nested:
            self.code = True
            del self.items[depth:]
        elif deep or not self._begins(start, line["rest"], indent, depth):
            self._text(start, depth)
        if fresh and len(self.breaks) == known and not (was_code and self.code):
            if _LABEL.match(line["line"]):
                self.breaks.label(start)
                self.fresh = True
            else:
                self._break(start, indent)
        self.last = line.end()
        return self._past_raw(line.end())

    def _past_raw(self, at: int) -> int:
        """The end of the fence or the raw HTML that the line before `at` has begun; `at` if it has not."""
        fence, html, self.fence, self.html = self.fence, self.html, "", None
        if html:
            end = past_html(self.text, at, html, self.column)
            if ends_blank(html) and not self.column:
                self._html_headings(self.text.rfind("\n", 0, at - 1) + 1, end)
            return end
        return past_fence(self.text, at, fence, self.column) if fence else at

    def _html_headings(self, start: int, end: int) -> None:
        """Take the headings in raw HTML that begin a line or the whole of it."""
        text, behind = self.text, start
        for heading in HEADING.finditer(text, start, end):
            line = max(text.rfind("\n", start, heading.start()) + 1, start)
            leads = behind == start and is_blank(text[start : heading.start()])
            if leads or not text[line : heading.start()].strip():
                begin = start if leads else line
                if self.broke == begin:
                    self.breaks.take_back()
                    self.broke = -1
                self.breaks.heading(begin, int(heading[1]), heading_text(heading[2]))
                self.fresh = True
            behind = heading.end()

    def _break(self, start: int, indent: int) -> None:
        """Something in running text begins after a blank line or a heading."""
        self.breaks.begin(start, indent, announces(self.text, self.last))
        self.broke = start

    def _edge(self, depth: int) -> int:
        """The column where the content of the first `depth` list items begins."""
        return self.items[depth - 1] if depth else 0

    def _text(self, start: int, depth: int) -> None:
        """A line of a paragraph, which may go on lazily with less indent."""
        if self.paragraph < 0 and not self.nested:
            del self.items[depth:]
            self.nested = bool(self.items)
            self.paragraph = -1 if self.items else start

    def _end_paragraph(self) -> None:
        self.paragraph = -1
        self.nested = self.quoted = False

    def _underline(self, start: int, mark: str) -> None:
        """Make the open paragraph, which ends at `start`, a heading."""
        begin = self.paragraph
        heading = " ".join(line.strip() for line in self.text[begin:start].strip().split("\n"))
        if self.broke >= begin:
            begin = self.breaks.take_back()
        self.breaks.heading(begin, 1 if "=" in mark else 2, heading)
        self._end_paragraph()
        self.fresh = True

    def _begins(self, start: int, rest: str, column: int, depth: int) -> bool:
        """Whether the line begins something other than a paragraph; if so, take it.

        `rest` is the line without its indent, which is `column` wide.
        """
        begun = False
        goes_on = self.paragraph >= 0 or (self.nested and not self.quoted and depth == len(self.items))
        for _ in range(_MOST_ITEMS):
            item = None if _RULE.match(rest) else _ITEM.match(rest)
            if not item or (goes_on and (item.end() == len(rest) or item[2] not in (None, "1"))):
                break
            del self.items[depth:]
            column += len(item[1])
            gap = width(item[3], column)
            rest, depth, begun, goes_on = rest[item.end() :], depth + 1, True, False
            column += gap if rest and gap <= _CODE else 1
            self.items.append(column)
            self._end_paragraph()
            self.hollow = not rest
            if not rest or gap > _CODE:
                return True
        if self._leaf(start, rest, depth):
            return True
        self.nested |= begun
        return begun

    def _leaf(self, start: int, rest: str, depth: int) -> bool:
        """Whether a heading, fence, quotation, rule or raw HTML begins; if so, take it."""
        if rest[0] not in _SPECIAL:
            return False
        quote = rest[0] == ">"
        if fence := _FENCE.match(rest):
            self.fence = fence[1] or fence[2]
        elif heading := _ATX.match(rest):
            if depth == 0:
                self.breaks.heading(start, len(heading[1]), _unclosed(rest[heading.end() :]))
                self.fresh = True
        elif rest[0] == "<" and (end := html_end(rest, interrupts=self.paragraph >= 0 or self.nested)):
            self.html = None if end.search(rest) else end
        elif not (quote or _RULE.match(rest)):
            return False
        del self.items[depth:]
        self.column = self._edge(depth)
        self._end_paragraph()
        quoted = rest.lstrip("> \t") if quote else ""
        self.nested = self.quoted = bool(quoted) and not (_ATX.match(quoted) or _RULE.match(quoted))
        return True


class MdxScanner(MarkdownScanner):
    """The same in MDX: outside its JavaScript too."""

    pattern = _MDX


def _unclosed(heading: str) -> str:
    """A heading without the number signs that may close it."""
    heading = heading.strip(" \t")
    if heading[-1:] != "#":
        return heading
    bare = heading.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else heading
