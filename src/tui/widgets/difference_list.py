"""The documents of two answers, and what became of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..compare_lines import header, row_line
from .row_list import RowList

if TYPE_CHECKING:
    from ..library import Difference
    from ..pieces import Piece


class DifferenceList(RowList):
    """A row for each document that either answer holds."""

    BORDER_TITLE = "documents"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._differences: list[Difference] = []

    def show(self, differences: list[Difference]) -> None:
        """Replace the rows."""
        self._differences = differences
        self.count = len(differences)
        self.renew()

    @property
    def difference(self) -> Difference | None:
        """The highlighted row."""
        return self._differences[self.cursor] if self._differences else None

    def header(self, width: int) -> list[Piece]:
        """The header line."""
        return header(width)

    def row(self, index: int, width: int) -> list[Piece]:
        """One document."""
        return row_line(self._differences[index], width)
