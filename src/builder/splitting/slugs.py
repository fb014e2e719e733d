"""Anchors of headings, as GitHub makes them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache

from ...text.unicode14 import EDGES  # a slug is part of a document's id: no Python may spell it otherwise

_UNNAMED = "section"
_LEFT_OUT = re.compile(r"[^a-zA-Z0-9 _-]")  # of ASCII


@lru_cache(maxsize=1 << 12)
def slug(heading: str) -> str:
    """Lower case, spaces as hyphens, punctuation dropped, letters of every script kept; NFC."""
    if heading.isascii():
        return _LEFT_OUT.sub("", heading.strip()).lower().replace(" ", "-") or _UNNAMED
    kept = "".join(character for character in heading.strip() if character in " -_" or in_word(character))
    lowered = unicodedata.normalize("NFC", kept).lower()
    return unicodedata.normalize("NFC", lowered).replace(" ", "-") or _UNNAMED


@lru_cache(maxsize=1 << 12)
def in_word(character: str) -> bool:
    """Whether a character is a letter, a digit or a mark, in Unicode 14 whatever Python runs; no for ""."""
    if character.isascii():
        return character.isalnum()
    return bool(bisect_right(EDGES, ord(character)) % 2)


class Slugs:
    """The slugs of one file; a repeated one gets -1, -2 and so on."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def take(self, base: str) -> str:
        """`base`, or `base` with the first number that makes it new."""
        new = base
        while new in self._next:
            new = f"{base}-{self._next[base]}"
            self._next[base] += 1
        self._next[new] = 1
        return new
