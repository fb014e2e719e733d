"""Columns for people: aligned by what a terminal draws, safe by construction."""

from __future__ import annotations

import unicodedata

from ..text.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(rows: Iterable[Sequence[str]], align: str) -> str:
    """Lay `rows` out in columns; `align` has `<` or `>` for each. Cells may hold untrusted text."""
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(width, column)) for column in zip(*shown, strict=True)]
    lines = ["  ".join(map(_padded, row, widths, align)).rstrip() for row in shown]
    return "".join(f"{line}\n" for line in lines)


def width(text: str) -> int:
    """How many terminal cells `text` takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def fitted(text: str, most: int) -> str:
    """`text` in at most so many terminal cells: what is too long loses its middle."""
    if width(text) <= most:
        return text
    half = max(1, (most - 1) // 2)
    head, tail = "", ""
    for character in text:
        if width(head + character) > half:
            break
        head += character
    for character in reversed(text):
        if width(character + tail) > most - 1 - half:
            break
        tail = character + tail
    return f"{head}…{tail}"


def count(number: int, noun: str) -> str:
    """`1 document`, `1,204 documents`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _padded(text: str, to: int, align: str) -> str:
    space = " " * (to - width(text))
    return space + text if align == ">" else text + space
