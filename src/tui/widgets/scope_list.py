"""The contexts of the project's directories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pieces import padded
from ..scope_lines import scope_line
from .row_list import RowList

if TYPE_CHECKING:
    from ..pieces import Piece
    from ..scope_lines import Scope


class ScopeList(RowList):
    """A row for each scope, with its state."""

    BORDER_TITLE = "scopes"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._scopes: tuple[Scope, ...] = ()

    def show(self, scopes: tuple[Scope, ...]) -> None:
        """Replace the rows."""
        self._scopes = scopes
        self.count = len(scopes)
        self.renew()

    @property
    def scope(self) -> Scope | None:
        """The highlighted scope."""
        return self._scopes[self.cursor] if self._scopes else None

    def header(self, width: int) -> list[Piece]:
        """The header line."""
        return [(f"  {padded('directory', max(4, width - 11))}   state ", "dim")]

    def row(self, index: int, width: int) -> list[Piece]:
        """One scope."""
        return scope_line(self._scopes[index], width)
