"""How often a document's body and title hold a term, in one byte.

    bits 0-4   occurrences in the body, up to 30
    bits 5-6   occurrences in the title, up to 2
    bit 7      set when a word that holds the term in the body yields other terms too

Larger numbers are written as `OVERFLOW` and stand in a table beside the postings.
"""

from __future__ import annotations

MOST_BODY = 30
MOST_TITLE = 2
OVERFLOW = 0x7F
COMPOUND = 0x80


class Occurrences:
    """What one posting says: occurrences in body and title, and whether words overlap."""

    __slots__ = ("body", "compound", "title")

    def __init__(self, body: int, title: int, compound: bool) -> None:
        """`compound`: some word counted in `body` yields other terms too."""
        self.body = body
        self.title = title
        self.compound = compound


def _unpacked(byte: int) -> Occurrences | None:
    if byte & 0x7F == OVERFLOW:
        return None
    return Occurrences(byte & 0x1F, byte >> 5 & 0x3, bool(byte & COMPOUND))


UNPACKED = tuple(map(_unpacked, range(256)))
"""For each byte the occurrences in it, or None when they stand in the overflow table."""
