"""Plain text: blank lines are all the structure there is."""

from __future__ import annotations

import re

from .breaks import Breaks
from .lines import BLANK, announces, width

_PARAGRAPH = re.compile(r"(?P<indent>[ \t]*+)(?:[^\S\n]*+\S.*\n?)++")
_BLANK = re.compile(BLANK)


def scan(text: str, start: int) -> Breaks:
    """A break before each paragraph."""
    breaks = Breaks()
    at, last = start, 0
    while at < len(text):
        if paragraph := _PARAGRAPH.match(text, at):
            breaks.begin(at, width(paragraph["indent"]), announces(text, last))
            last = at = paragraph.end()
        elif blank := _BLANK.match(text, at):
            at = blank.end()
    return breaks
