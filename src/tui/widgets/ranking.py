"""The list of matching documents, chosen or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ranking_lines import header, row_line
from .row_list import RowList

if TYPE_CHECKING:
    from ..answered import Row
    from ..pieces import Piece


class Ranking(RowList):
    """Shows the rows that were read; the others are blank until they are."""

    BORDER_TITLE = "documents"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._rows: dict[int, Row] = {}

    def show(self, matches: int, rows: list[Row]) -> None:
        """Another answer: how many documents match, and its first rows."""
        self._rows = {row.rank: row for row in rows}
        self.count = matches
        self.renew()

    def add(self, rows: list[Row]) -> None:
        """Rows of the same answer."""
        self._rows.update((row.rank, row) for row in rows)
        self.refresh()

    @property
    def rank(self) -> int:
        """The rank of the highlighted document; 0 when there is none."""
        return self.cursor + 1 if self.count else 0

    @property
    def missing(self) -> range:
        """Ranks in view whose rows were not read yet."""
        ranks = [index + 1 for index in self.window if index + 1 not in self._rows]
        return range(ranks[0], ranks[-1] + 1) if ranks else range(0)

    def row_at(self, rank: int) -> Row | None:
        """A row that was read."""
        return self._rows.get(rank)

    def header(self, width: int) -> list[Piece]:
        """The header line."""
        return header(width, self.count)

    def row(self, index: int, width: int) -> list[Piece]:
        """One document."""
        row = self._rows.get(index + 1)
        return [(f" {index + 1:,} …", "dim")] if row is None else row_line(row, width, self.count)
