"""Questions of earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pieces import padded, shown
from .row_list import RowList

if TYPE_CHECKING:
    from ..pieces import Piece
    from ..question import Question


class QuestionList(RowList):
    """A row for each question, the newest first."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._questions: list[Question] = []

    def show(self, questions: list[Question]) -> None:
        """Replace the rows."""
        self._questions = questions
        self.count = len(questions)
        self.renew()

    @property
    def question(self) -> Question | None:
        """The highlighted question."""
        return self._questions[self.cursor] if self._questions else None

    def header(self, width: int) -> list[Piece]:
        """The header line."""
        words = "query" if self._questions else "no query was asked yet"
        return [(f" {padded(words, max(4, width - 12))}    budget", "dim")]

    def row(self, index: int, width: int) -> list[Piece]:
        """One question."""
        question = self._questions[index]
        room = max(4, width - 12)
        return [(f" {padded(shown(question.query), room)}", ""), (f"{question.budget:>10,}", "dim")]
