"""Documents to be taken or left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pieces import padded, short_id
from .row_list import RowList

if TYPE_CHECKING:
    from ..pieces import Piece


class PickList(RowList):
    """A row for each id; all are taken at first."""

    def __init__(self, ids: list[str], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.ids = ids
        self._left: set[str] = set()

    def on_mount(self) -> None:
        """Show them."""
        self.show(self.ids)

    def show(self, ids: list[str]) -> None:
        """Show others, all taken."""
        self.ids, self._left = ids, set()
        self.count = len(ids)
        self.renew()

    @property
    def picked(self) -> list[str]:
        """The ids that are taken, in order."""
        return [id_ for id_ in self.ids if id_ not in self._left]

    def toggle(self) -> None:
        """Take or leave the highlighted one."""
        if self.ids:
            self._left ^= {self.ids[self.cursor]}
            self.refresh()

    def toggle_all(self) -> None:
        """Leave all; or take all, where none is taken."""
        self._left = set(self.ids) if self.picked else set()
        self.refresh()

    def header(self, width: int) -> list[Piece]:
        """The header line."""
        return [(" the answer must hold", "dim")]

    def row(self, index: int, width: int) -> list[Piece]:
        """One document."""
        id_ = self.ids[index]
        taken = id_ not in self._left
        room = max(4, width - 5)
        mark, role = ("✓", "good") if taken else ("·", "dim")
        return [(f" {mark} ", role), (padded(short_id(id_, room), room), "" if taken else "dim")]
