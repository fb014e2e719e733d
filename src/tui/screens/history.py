"""Earlier queries, to be asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Vertical
from textual.widgets import Input

from ..binding import bindings
from ..command_table import HISTORY
from ..question import Question
from ..widgets.asking import Revealing
from ..widgets.question_list import QuestionList
from .base import Box

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..commands import Command


class HistoryBox(Box[Question | None]):
    """A list with a filter; its outcome is the question that was picked."""

    CSS_PATH = "boxes.tcss"
    AUTO_FOCUS = "Input"
    commands: ClassVar[tuple[Command, ...]] = HISTORY
    BINDINGS = bindings(HISTORY)

    def __init__(self, questions: list[Question]) -> None:
        super().__init__()
        self._questions = questions

    def compose(self) -> ComposeResult:
        """A filter and a list."""
        with Vertical(id="box"):
            yield Input(placeholder="words of an earlier query", highlighter=Revealing())
            yield QuestionList()

    def on_mount(self) -> None:
        """Show all."""
        self.query_one("#box").border_title = "earlier queries"
        self.query_one("#box").border_subtitle = "⏎ asks again · esc closes"
        self.query_one(QuestionList).show(self._questions)

    @on(Input.Changed)
    def _filter(self, event: Input.Changed) -> None:
        words = event.value.casefold().split()
        found = [q for q in self._questions if all(word in q.query.casefold() for word in words)]
        self.query_one(QuestionList).show(found)

    def action_move(self, steps: int) -> None:
        """Move by queries."""
        self.query_one(QuestionList).move(steps)

    @on(Input.Submitted)
    @on(QuestionList.Opened)
    def action_take(self) -> None:
        """Pick the highlighted one."""
        picked = self.query_one(QuestionList).question
        if picked is not None:
            self.dismiss(picked)
