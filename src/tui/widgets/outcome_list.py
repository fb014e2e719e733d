"""Query tests and what came of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..authoring.lines import outcome_line
from ..pieces import padded
from .row_list import RowList

if TYPE_CHECKING:
    from ..library import Outcome
    from ..pieces import Piece


class OutcomeList(RowList):
    """A row for each test, in the order of the file."""

    BORDER_TITLE = "tests"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._outcomes: list[Outcome] = []

    def show(self, outcomes: list[Outcome]) -> None:
        """Replace the rows."""
        self._outcomes = outcomes
        self.count = len(outcomes)
        self.renew()
        self.post_message(self.Moved(self))

    @property
    def outcome(self) -> Outcome | None:
        """The highlighted one."""
        return self._outcomes[self.cursor] if self._outcomes else None

    def header(self, width: int) -> list[Piece]:
        """The header line."""
        return [(f"   {padded('cache', 16)} {padded('query', max(8, width - 32))}     budget", "dim")]

    def row(self, index: int, width: int) -> list[Piece]:
        """One test."""
        return outcome_line(self._outcomes[index], width)
