"""Plain text: blank lines are all the structure there is."""

from __future__ import annotations

from .breaks import Break, body_level
from .lines import lines


def scan(text: str, start: int) -> list[Break]:
    """A break before each paragraph."""
    breaks: list[Break] = []
    before = ""
    fresh = True
    for line in lines(text, start):
        if line.blank:
            fresh = True
            continue
        if fresh:
            breaks.append(Break(line.start, body_level(line.indent, before)))
        fresh, before = False, line.text
    return breaks
