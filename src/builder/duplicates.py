"""Identical documents of a cache are one: the first id by order; the ids of the others are its aliases.

Documents are identical when content and title are. A copy of a folder for another version of a program brings
many of them, and an answer would say the same again and again.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_STRING = rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"'
_BEGINNING = re.compile(
    rb'\{"id":%s,"version":%s,"source":%s,"title":%s,' % (_STRING, _STRING, _STRING, _STRING)
)
"""How every line of a documents file begins."""


class Fingerprint(NamedTuple):
    """What tells whether documents are identical, and where they come from."""

    source: bytes
    """As JSON spells it."""
    key: bytes
    """Equal for identical documents only."""


def fingerprint(line: bytes) -> Fingerprint:
    """The fingerprint of the document of a line, which is in the form of a documents file."""
    match = _BEGINNING.match(line)
    assert match is not None  # `Document.line` writes nothing else
    key = hashlib.blake2b(match[2] + b"\n" + match[4], digest_size=16).digest()
    return Fingerprint(match[3], key)


def duplicates(keys: Sequence[bytes], order: Iterable[int]) -> dict[int, list[int]]:
    """The first of each set of identical documents → the others, all in the given order."""
    first: dict[bytes, int] = {}
    others: dict[int, list[int]] = {}
    for number in order:
        kept = first.setdefault(keys[number], number)
        if kept != number:
            others.setdefault(kept, []).append(number)
    return others


def source_of_alias(alias: str) -> str:
    """The source of a document by its id: what precedes the `#` of a section.

    The slug of a section holds no dot and no slash.
    """
    source, _, slug = alias.rpartition("#")
    return source if source and not {".", "/"} & set(slug) else alias
