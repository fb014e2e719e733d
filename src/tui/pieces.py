"""Text with roles instead of colours: what every view is made of before it is painted.

A role is a word such as `dim` or `slot2`; `painting` alone knows how it looks. Text that
comes from documents, names or queries enters a piece through `shown`.
"""

from __future__ import annotations

from rich.cells import cell_len, get_character_cell_size

from ..text.visible import visible

Piece = tuple[str, str]
"""A text and its role; the empty role is plain text."""

SLOTS = 6
"""How many colours tell the chosen documents apart; they repeat in order."""


def shown(text: str, *, limit: int = 2000) -> str:
    """Untrusted text on one line: safe, and cut where nobody would read on."""
    return visible(text[:limit]) + ("…" if len(text) > limit else "")


def slot(place: int) -> str:
    """The role of the chosen document at a place, from 0."""
    return f"slot{place % SLOTS + 1}"


def width(pieces: list[Piece]) -> int:
    """Terminal cells that pieces take."""
    return sum(cell_len(text) for text, _ in pieces)


def padded(text: str, to: int, *, right: bool = False) -> str:
    """`text` filled with spaces, or cut with an ellipsis, to exactly `to` cells."""
    cut = cropped(text, to)
    space = " " * (to - cell_len(cut))
    return space + cut if right else cut + space


def cropped(text: str, to: int) -> str:
    """`text` in at most `to` cells; an ellipsis stands for what was cut."""
    if cell_len(text) <= to:
        return text
    return _head(text, to - 1) + "…" if to > 0 else ""


def short_id(id_: str, to: int) -> str:
    """A document's id in at most `to` cells: the outer folders go first, then the end."""
    left = shown(id_)
    while cell_len(left) > to:
        outer, slash, rest = left.removeprefix("…/").partition("/")
        if not slash or "#" in outer:
            return cropped(left, to)
        left = f"…/{rest}"
    return left


def _head(text: str, to: int) -> str:
    """The longest beginning of at most `to` cells."""
    cells = 0
    for place, character in enumerate(text):
        cells += get_character_cell_size(character)
        if cells > to:
            return text[:place]
    return text


def count(number: int, noun: str) -> str:
    """`1 document`, `1,204 documents`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(number: int) -> str:
    """Bytes for people: `812 B`, `4.2 kB`, `1.3 GB`."""
    value = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"
