"""Lines of a text, which end with a line feed, and places between them as offsets in characters."""

from __future__ import annotations

import re

BLANK = r"\s*(?:\n|\Z)"
"""Matches blank lines, as many as there are; never in the middle of a line that is not blank."""

_LINE = re.compile(r"(?P<line>(?P<space>[ \t]*+)(?P<rest>.*))\n?")
_TAB = 4
_NEAR = 16


def line_at(text: str, start: int) -> re.Match[str]:
    """The line that begins at `start`, its line feed included: `line`, which is `space` and `rest`."""
    found = _LINE.match(text, start)
    assert found is not None  # it matches anything
    return found


def outdented(text: str, at: int, end: int, column: int) -> int:
    """The first line from `at` on with less indent than `column`, blank ones aside; `end` if none has."""
    deep = re.compile(rf"(?: {{{column}}}.*\n?|[^\S\n]*\n)*+")
    while at < end:
        found = deep.match(text, at, end)
        line = line_at(text, found.end() if found else at)
        if line.start() < end and width(line["space"]) < column and line["rest"].strip():
            return line.start()
        at = line.end()
    return end


def announces(text: str, end: int) -> bool:
    """Whether the line that ends at `end` ends with a colon, white space aside."""
    near = _NEAR  # a look at each character takes twice as long
    while not (last := text[max(end - near, 0) : end].rstrip()[-1:]) and near < end:
        near *= 4
    return last in (":", "：")  # noqa: RUF001 - the CJK colon is meant


def with_line_feeds(text: str) -> str:
    """The text with lines that end with a line feed and nothing else, as long as before: places stay."""
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text


def width(space: str, column: int = 0) -> int:
    """The columns that spaces and tabs take from `column` on; a tab reaches the next multiple of four."""
    if "\t" not in space:
        return len(space)
    return len((" " * (column % _TAB) + space).expandtabs(_TAB)) - column % _TAB
