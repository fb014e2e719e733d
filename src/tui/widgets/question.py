"""A query and a budget, typed and stepped: what the main screen asks, and each side of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical
from textual.message import Message

from ...errors import InvalidBudget
from ..question import Question, preset, read_budget, stepped
from .inputs import BudgetField, BudgetStepped, BudgetTyped, QueryInput, QueryTyped

if TYPE_CHECKING:
    from textual.app import ComposeResult


@dataclass
class BudgetRefused(Message):
    """What was typed is no budget; `problem` says what one is, and is empty when it is one again."""

    problem: str


@dataclass
class QuestionChanged(Message):
    """Something else is asked; `at_once` without a pause for more keys."""

    at_once: bool


class QuestionFields(Vertical):
    """Asks a question, and owns it."""

    DEFAULT_CSS = "QuestionFields { height: auto; }"

    def __init__(self, question: Question, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.question = question

    def compose(self) -> ComposeResult:
        """A query and a budget."""
        yield QueryInput(self.question.query, id="query")
        yield BudgetField(self.question.budget, id="budget")

    @property
    def query_input(self) -> QueryInput:
        """Where the query is typed."""
        return self.query_one(QueryInput)

    @property
    def budget_field(self) -> BudgetField:
        """Where the budget is typed."""
        return self.query_one(BudgetField)

    def show(self, question: Question) -> None:
        """Show a question that was not typed here, and tell nobody."""
        self.question = question
        query = self.query_input
        with query.prevent(QueryInput.Changed):
            query.value = question.query
        query.cursor_position = len(question.query)
        self.show_budget()

    def show_budget(self) -> None:
        """Show the budget that is asked with, whatever was typed."""
        self.budget_field.show(self.question.budget)
        self._refuse("")

    def set_budget(self, budget: int) -> None:
        """Ask with another budget."""
        asked = self.question
        self.question = asked.with_budget(budget)
        self.show_budget()
        if self.question != asked:
            self.post_message(QuestionChanged(at_once=True))

    def step_budget(self, steps: int) -> None:
        """A little more or less."""
        self.set_budget(stepped(self.question.budget, steps))

    def usual_budget(self, direction: int) -> None:
        """To the next usual budget, or the one before."""
        self.set_budget(preset(self.question.budget, direction))

    @on(QueryTyped)
    def _type_query(self, message: QueryTyped) -> None:
        message.stop()
        self._type(self.question.with_query(message.query))

    @on(BudgetTyped)
    def _type_budget(self, message: BudgetTyped) -> None:
        message.stop()
        try:
            budget = read_budget(message.text)
        except InvalidBudget as error:
            self._refuse(str(error))
            return
        self._refuse("")
        self._type(self.question.with_budget(budget))

    @on(BudgetStepped)
    def _step(self, message: BudgetStepped) -> None:
        message.stop()
        self.step_budget(message.steps)

    def _refuse(self, problem: str) -> None:
        self.budget_field.is_wrong = bool(problem)
        self.post_message(BudgetRefused(problem))

    def _type(self, question: Question) -> None:
        if question != self.question:
            self.question = question
            self.post_message(QuestionChanged(at_once=False))
