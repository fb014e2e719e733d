"""Pieces with roles become content with styles: the only place that knows how a role looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from .pieces import SLOTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .pieces import Piece

STYLES = {
    "": "",
    "soft": "$text-soft",
    "dim": "$text-dim",
    "strong": "bold",
    "accent": "$accent",
    "good": "$success",
    "bad": "$error",
    "warn": "$warning",
    "term": "bold $accent",
    "bar": "$accent",
    **{f"slot{number}": f"$slot-{number}" for number in range(1, SLOTS + 1)},
    **{f"on-slot{number}": f"bold $slot-text on $slot-{number}" for number in range(1, SLOTS + 1)},
}


MATCH, CURRENT = "bold on $match", "bold $slot-text on $warning"
"""A word that the query found, and the one that the reader is at."""
PLAIN_MATCH, PLAIN_CURRENT = "bold underline", "bold reverse"
"""The same without colour."""


def paint(pieces: Iterable[Piece]) -> Content:
    """One line, or a few words, as content that holds no markup."""
    return Content.assemble(*((text, STYLES[role]) for text, role in pieces))


def paint_lines(lines: Iterable[Iterable[Piece]]) -> Content:
    """Several lines."""
    return Content("\n").join(paint(line) for line in lines)
