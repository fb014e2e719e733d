"""Org: headings and the title, and blank lines outside blocks and drawers.

Source: the Org syntax, *Headings*, *Drawers* and *Blocks*. A block holds whatever stands between its lines;
one that is never closed is none.
"""

from __future__ import annotations

import re

from .blocks import BODY, Scanner, line_at

_HEADING = re.compile(r"(\*+)[ \t]+(\S.*)")
_TITLE = re.compile(r"#\+TITLE:[ \t]*(\S.*)", re.IGNORECASE)
_KEYWORDS = re.compile(r"#\+(?:SEQ_|TYP_)?TODO:(.*)", re.IGNORECASE)
_BLOCK = re.compile(r"[ \t]*#\+begin_(\S+)", re.IGNORECASE)
_END = re.compile(r"^[ \t]*#\+end_(\S+)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_DRAWER = re.compile(r"[ \t]*:(?!end:)[\w-]+:[ \t]*$", re.IGNORECASE)
_DRAWER_END = re.compile(r"[ \t]*:end:[ \t]*$", re.IGNORECASE)
_PRIORITY = re.compile(r"\[#[A-Z0-9]\][ \t]*")
_TAGS = re.compile(r"[ \t]+:[\w@#%:]+:[ \t]*$")
_COOKIE = re.compile(r"[ \t]*\[\d*(?:/\d*|%)\]")
_TODO = ("TODO", "DONE")
_TEXT = re.compile(r"(?:(?!\*+[ \t]|[ \t]*(?:#\+|:[\w-]+:[ \t]*$))[^\S\n]*+\S.*\n?)++", re.MULTILINE)


class OrgScanner(Scanner):
    """The headings and the title, and blank lines outside blocks and drawers."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.keywords = set(_TODO)  # of tasks: they stand before a heading's text
        self.ends = {end[1].lower(): end.start() for end in _END.finditer(text)}  # the last one of each kind

    def read(self, start: int) -> int:
        """Take what begins with the line at `start`; the offset where it ends."""
        if paragraph := _TEXT.match(self.text, start):
            return self.take_text(start, paragraph.end())
        line = line_at(self.text, start)
        if heading := _HEADING.match(line["line"]):
            return self._heading(line, min(len(heading[1]) + 1, BODY - 1), self._plain(heading[2]))
        if not self.breaks.headings and (title := _TITLE.match(line["line"])):
            return self._heading(line, 1, title[1])
        if keywords := _KEYWORDS.match(line["line"]):
            self.keywords.update(re.findall(r"\w+(?=\(|\s|$)", keywords[1]))
        if _DRAWER.match(line["line"]):
            return self.take_text(start, self._past_drawer(line.end()))
        block = _BLOCK.match(line["line"])
        return self.take_text(start, self._past_block(block[1].lower(), line.end()) if block else line.end())

    def _heading(self, line: re.Match[str], level: int, written: str) -> int:
        self.breaks.heading(line.start(), level, written)
        self.fresh = True
        return line.end()

    def _plain(self, heading: str) -> str:
        """The text of a heading without keyword, priority, tags and statistics."""
        heading = _COOKIE.sub("", _TAGS.sub("", f" {heading}")).strip()
        first, _, rest = heading.partition(" ")
        if first in self.keywords or first == "COMMENT":
            heading = rest.strip()
        return _PRIORITY.sub("", heading, count=1)

    def _past_block(self, kind: str, at: int) -> int:
        """The end of a block whose second line is at `at`; `at` if it is never closed."""
        if self.ends.get(kind, 0) < at:
            return at
        for end in _END.finditer(self.text, at):
            if end[1].lower() == kind:
                return line_at(self.text, end.end()).end()
        return at

    def _past_drawer(self, at: int) -> int:
        """The end of a drawer; a line that is blank or a heading ends one that is not closed."""
        while at < len(self.text):
            line = line_at(self.text, at)
            if not line["line"].strip() or _HEADING.match(line["line"]):
                break
            at = line.end()
            if _DRAWER_END.match(line["line"]):
                break
        return at
