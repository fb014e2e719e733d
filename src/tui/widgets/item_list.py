"""What changed, or what a build did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..authoring.lines import item_line
from .row_list import RowList

if TYPE_CHECKING:
    from ..authoring.lines import Item
    from ..pieces import Piece


class ItemList(RowList):
    """A row for each item, under a line that says what they are."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.items: list[Item] = []
        self._about = ""

    def show(self, items: list[Item], about: str) -> None:
        """Replace the rows; `about` says what they are."""
        self.items, self._about = items, about
        self.cursor = 0
        self.count = len(items)
        self.renew()

    def header(self, width: int) -> list[Piece]:
        """What they are."""
        return [(f" {self._about}", "dim")]

    def row(self, index: int, width: int) -> list[Piece]:
        """One item."""
        return item_line(self.items[index], width)
