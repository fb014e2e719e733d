"""One side of a comparison: its cache, its query and its budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from ...errors import InvalidBudget
from ..question import Question, read_budget, stepped
from ..views.spans import escaped
from .inputs import BudgetField, BudgetStepped, BudgetTyped, QueryInput, QueryTyped

if TYPE_CHECKING:
    from textual.app import ComposeResult


@dataclass
class BudgetRefused(Message):
    """What was typed is no budget; `problem` says what one is, and is empty when it is one again."""

    problem: str


@dataclass
class SideChanged(Message):
    """One side of a comparison asks something else."""


class Side(Vertical):
    """Asks one of the two questions that are compared."""

    DEFAULT_CSS = "Side { height: auto; }"

    cache: reactive[str] = reactive("")
    """The name of the cache that is asked."""

    def __init__(self, question: Question, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.question = question

    def compose(self) -> ComposeResult:
        """A query and a budget."""
        yield QueryInput(self.question.query)
        yield BudgetField(self.question.budget)

    def watch_cache(self, name: str) -> None:
        """Show which cache is asked."""
        self.border_title = Content(f"{self.id} · {escaped(name)}")

    def take(self, question: Question) -> None:
        """Show a question that was not typed here."""
        self.question = question
        query = self.query_one(QueryInput)
        with query.prevent(QueryInput.Changed):
            query.value = question.query
        self.query_one(BudgetField).show(question.budget)

    @on(QueryTyped)
    def _type_query(self, message: QueryTyped) -> None:
        message.stop()
        self._change(self.question.with_query(message.query))

    @on(BudgetTyped)
    def _type_budget(self, message: BudgetTyped) -> None:
        message.stop()
        try:
            budget = read_budget(message.text)
        except InvalidBudget as error:
            self._refuse(str(error))
            return
        self._refuse("")
        self._change(self.question.with_budget(budget))

    @on(BudgetStepped)
    def _step(self, message: BudgetStepped) -> None:
        message.stop()
        budget = stepped(self.question.budget, message.steps)
        self.query_one(BudgetField).show(budget)
        self._refuse("")
        self._change(self.question.with_budget(budget))

    def _refuse(self, problem: str) -> None:
        self.query_one(BudgetField).is_wrong = bool(problem)
        self.post_message(BudgetRefused(problem))

    def _change(self, question: Question) -> None:
        if question != self.question:
            self.question = question
            self.post_message(SideChanged())
