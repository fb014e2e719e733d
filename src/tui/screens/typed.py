"""The question of the main screen as it is typed, stepped, or taken from elsewhere."""

from __future__ import annotations

from textual import on
from textual.widgets import Input

from ..library import InvalidBudget
from ..messages import BudgetStepped, BudgetTyped, QueryTyped
from ..question import Question, preset, read_budget, stepped
from ..widgets.asking import BudgetField, QueryInput
from ..widgets.panels import Problem
from .asking import Asking


class Typed(Asking):
    """Owns the two fields."""

    def take(self, question: Question) -> None:
        """Ask a question that was not typed."""
        self.show_question(question)
        self.ask(question, at_once=True)

    def show_question(self, question: Question) -> None:
        """Show a question that was not typed; it is asked once the cache that is being opened is there."""
        self.question = question
        query = self.query_one(QueryInput)
        with query.prevent(Input.Changed):
            query.value = question.query
        query.cursor_position = len(question.query)
        self.show_budget(question.budget)

    @on(QueryTyped)
    def _type_query(self, message: QueryTyped) -> None:
        if message.query != self.question.query:
            self.ask(self.question.with_query(message.query))

    @on(BudgetTyped)
    def _type_budget(self, message: BudgetTyped) -> None:
        try:
            budget = read_budget(message.text)
        except InvalidBudget as error:
            self._refuse_budget(str(error))
            return
        self._refuse_budget("")
        if budget != self.question.budget:
            self.ask(self.question.with_budget(budget))

    def _refuse_budget(self, problem: str) -> None:
        """Say below the budget what is wrong with it; an empty sentence takes it back."""
        self.query_one(BudgetField).is_wrong = bool(problem)
        self.query_one("#budget-problem", Problem).say(problem)

    def show_budget(self, budget: int) -> None:
        """Show a budget that was not typed."""
        self.query_one(BudgetField).show(budget)
        self._refuse_budget("")

    @on(BudgetStepped)
    def _step(self, message: BudgetStepped) -> None:
        self.set_budget(stepped(self.question.budget, message.steps))

    def set_budget(self, budget: int) -> None:
        """Ask with another budget, and show it."""
        self.show_budget(budget)
        self.ask(self.question.with_budget(budget), at_once=True)

    def action_budget_up(self) -> None:
        """A little more."""
        self.set_budget(stepped(self.question.budget, 1))

    def action_budget_down(self) -> None:
        """A little less."""
        self.set_budget(stepped(self.question.budget, -1))

    def action_preset_up(self) -> None:
        """To the next usual budget."""
        self.set_budget(preset(self.question.budget, 1))

    def action_preset_down(self) -> None:
        """To the previous usual budget."""
        self.set_budget(preset(self.question.budget, -1))

    def action_edit_budget(self) -> None:
        """To the budget."""
        self.query_one("#budget-text", Input).focus()
