"""The list of matching documents as lines of pieces: columns that fit the width there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .pieces import Piece, padded, short_id, shown, slot

if TYPE_CHECKING:
    from .answered import Row

CHOSEN, LEFT_OUT = "●", "○"
_FIGURES = 27  # cells of mark, score, tokens and what was used
_TITLE_FROM = 90  # cells from which a title has a column of its own


def header(width: int, matches: int) -> list[Piece]:
    """The names of the columns."""
    rank, name, title = _widths(width, matches)
    line = f" {padded('#', rank, right=True)}   {padded('document', name)}"
    if title:
        line += f" {padded('title', title)}"
    return [(f"{line} {'score':>6} {'tokens':>7} {'used':>8} ", "dim")]


def row_line(row: Row, width: int, matches: int) -> list[Piece]:
    """One document: its rank, whether it is chosen, and the numbers that decided."""
    rank, name, title = _widths(width, matches)
    role = slot(row.place) if row.place is not None else "dim"
    line: list[Piece] = [
        (f" {row.rank:>{rank},} ", "dim"),
        (f"{CHOSEN if row.chosen else LEFT_OUT} ", role),
        (padded(short_id(row.id, name), name), "" if row.chosen else "soft"),
    ]
    if row.fault:
        return [*line, (f" {shown(row.fault)}", "bad")]
    if title:
        line.append((f" {padded(shown(row.title), title)}", "dim"))
    line += [(f" {row.score:>6}", "" if row.chosen else "soft"), (f" {row.tokens:>7,} ", "")]
    if row.chosen:
        return [*line, (f"{row.used:>8,} ", role)]
    return [*line, (f"{f'at {row.fits_from:,}':>8} ", "warn")]


def _widths(width: int, matches: int) -> tuple[int, int, int]:
    """Cells of the rank, of the document's name, and of its title (0 where there is no room)."""
    rank = max(2, len(f"{matches:,}"))
    room = max(8, width - rank - _FIGURES - 2)
    if width < _TITLE_FROM:
        return rank, room, 0
    name = room * 55 // 100
    return rank, name, room - name - 1
