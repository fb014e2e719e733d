"""The documents of a cache, filtered and sorted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..listing import Order, column_at, header, row_line
from ..messages import ColumnPicked
from .row_list import RowList

if TYPE_CHECKING:
    from textual import events

    from ..library import DocumentSummary
    from ..pieces import Piece


class DocumentList(RowList):
    """A row for each document; a click on a column's name sorts by it."""

    BORDER_TITLE = "documents"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.headings: list[DocumentSummary] = []
        self._order = Order()

    def show(self, headings: list[DocumentSummary], order: Order) -> None:
        """Replace the rows."""
        self.headings, self._order = headings, order
        self.count = len(headings)
        self.renew()

    def header(self, width: int) -> list[Piece]:
        """The header line."""
        return header(self._order, width)

    def row(self, index: int, width: int) -> list[Piece]:
        """One document."""
        return row_line(self.headings[index], self._order, width)

    def on_click(self, event: events.Click) -> None:
        """Sort, where a column's name is clicked."""
        offset = event.get_content_offset(self)
        if offset is not None and offset.y == 0:
            event.prevent_default()
            width = self.scrollable_content_region.width
            self.post_message(ColumnPicked(column_at(offset.x, self._order, width)))
