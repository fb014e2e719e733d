"""The documents of a cache as a table: filtered while typing, sorted by any column."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .pieces import Piece, padded, short_id, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..cache.documents import DocumentSummary

COLUMNS = ("document", "title", "tokens", "words")
BINS = (50, 100, 200, 300, 450, 700, 1000, 2000, 4000)
"""Upper bounds of the histogram's bars, in tokens; the last bar is open."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """Which documents are shown, and in which order."""

    words: str = ""
    """Each must stand in the id or the title."""
    column: str = "document"
    descending: bool = False

    def by(self, column: str) -> Order:
        """Sorted by a column; by the same once more turns it round. Numbers start with the largest."""
        turned = not self.descending if column == self.column else column in ("tokens", "words")
        return Order(words=self.words, column=column, descending=turned)

    def filtered(self, words: str) -> Order:
        """The same order of other documents."""
        return Order(words=words, column=self.column, descending=self.descending)


def arranged(headings: Sequence[DocumentSummary], order: Order) -> list[DocumentSummary]:
    """The documents that an order shows; those that are equal stay in id order."""
    wanted = order.words.casefold().split()
    found = [h for h in headings if not wanted or _holds(h, wanted)]
    if order.column == "title":
        return sorted(found, key=lambda h: h.title.casefold(), reverse=order.descending)
    if order.column != "document":
        return sorted(found, key=lambda h: int(getattr(h, order.column)), reverse=order.descending)
    return found[::-1] if order.descending else found


def _holds(heading: DocumentSummary, wanted: list[str]) -> bool:
    text = f"{heading.id}\n{heading.title}".casefold()
    return all(word in text for word in wanted)


def header(order: Order, width: int) -> list[Piece]:
    """The names of the columns, that of the order marked."""
    name, title = _widths(order, width)
    cells = {"document": name, "title": title, "tokens": 9, "words": 8}
    line: list[Piece] = [(" ", "")]
    for column in COLUMNS:
        if cells[column]:
            arrow = (" ▼" if order.descending else " ▲") if column == order.column else ""
            right = column in ("tokens", "words")
            role = "accent" if arrow else "dim"
            line += [(padded(column + arrow, cells[column], right=right), role), (" ", "")]
    return line


def column_at(x: int, order: Order, width: int) -> str:
    """The column whose name stands at a cell of the header."""
    name, title = _widths(order, width)
    for column, cells in zip(COLUMNS, (name, title, 9, 8), strict=True):
        x -= cells + 1 if cells else 0
        if x <= 0:
            return column
    return COLUMNS[-1]


def row_line(heading: DocumentSummary, order: Order, width: int) -> list[Piece]:
    """One document."""
    name, title = _widths(order, width)
    line: list[Piece] = [
        (" " + padded(short_id(heading.id, name), name) + " ", ""),
    ]
    if title:
        line.append((padded(shown(heading.title), title) + " ", "dim"))
    return [*line, (f"{heading.tokens:>9,} {heading.words:>8,} ", "")]


def _widths(order: Order, width: int) -> tuple[int, int]:
    """Cells for ids and for titles: where there is little room, ids that can be told apart come first."""
    room = max(8, width - 22)
    if width < 90 and order.column != "title":
        return room, 0
    name = room // 2
    return name, room - name - 1


def size_counts(headings: Iterable[DocumentSummary]) -> list[int]:
    """How many documents there are of each size in tokens, empty ends left out."""
    counts = [0] * (len(BINS) + 1)
    for heading in headings:
        counts[bisect_left(BINS, heading.tokens)] += 1
    while len(counts) > 1 and not counts[-1]:
        counts.pop()
    return counts


def histogram(counts: Sequence[int], width: int) -> list[list[Piece]]:
    """The sizes of the documents as bars, a line each."""
    labels = [f"≤ {most:,}" for most in BINS] + [f"> {BINS[-1]:,}"]
    room, most = max(4, width - 16), max([*counts, 1])
    return [
        [
            (f"{label:>8} ", "dim"),
            ("█" * -(-number * room // most), "bar"),
            (f" {number:,}", ""),
        ]
        for label, number in zip(labels, counts, strict=False)
    ]
