"""Input fields for a query and a budget, used by the main screen and by each side of a comparison."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.highlighter import Highlighter
from textual import events, on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from ...arguments import read_budget
from ...errors import InvalidBudget
from ...text.display import escape_control
from ..session import Question, next_usual_budget, step_budget
from ..views.spans import slot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.text import Text
    from textual.app import ComposeResult


@dataclass
class BudgetStepped(Message):
    """The budget is to go a step up (1) or down (-1)."""

    direction: int


class ControlHighlighter(Highlighter):
    """Draws `␦` for each control or invisible character, so that the number of characters stays the same."""

    def highlight(self, text: Text) -> None:
        """Replace these characters of `text`."""
        plain = text.plain
        if not plain.isascii() or not plain.isprintable():
            text.plain = "".join("␦" if escape_control(letter) != letter else letter for letter in plain)


class QueryHighlighter(ControlHighlighter):
    """Draws the scored words of the query in the colours that they have in the ranking."""

    def __init__(self, style_of: Callable[[str], str]) -> None:
        self.words: Mapping[str, int] = {}
        self._style_of = style_of

    def highlight(self, text: Text) -> None:
        """Colour the words of `text`."""
        super().highlight(text)
        for match in re.finditer(r"\S+", text.plain):
            index = self.words.get(match[0], self.words.get(match[0].strip("?!.,;:\"'()")))
            if index is not None:
                text.stylize(self._style_of(slot(index)), *match.span())


class QueryInput(Input):
    """The input field of the query."""

    BORDER_TITLE = "query"

    def __init__(self, query: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        self._words = QueryHighlighter(self._style_of)
        super().__init__(
            query,
            placeholder="What would an agent ask?",
            highlighter=self._words,
            select_on_focus=False,
            id=id,
        )

    def _style_of(self, role: str) -> str:
        colour = self.app.theme_variables.get(role.replace("slot", "slot-"), "")
        return "bold" if self.app.no_color else f"bold {colour}"

    def show_words(self, words: Mapping[str, int], ignored: str = "") -> None:
        """Colour the scored words, which `words` maps to their indices; `ignored` becomes the subtitle."""
        self.border_subtitle = Content(ignored)  # a string would be parsed as markup
        if words != self._words.words:
            self._words.words = words
            self.refresh()

    async def on_paste(self, event: events.Paste) -> None:
        """Paste all lines as one, not the first alone; a terminal may end them with CR, LF or both."""
        event.text = " ".join(event.text.splitlines())


class StepButton(Static):
    """An arrow that steps the budget when it is clicked."""

    ALLOW_SELECT = False

    def __init__(self, arrow: str, direction: int, tooltip: str) -> None:
        super().__init__(arrow, markup=False)
        self.tooltip = tooltip
        self._direction = direction

    def on_click(self) -> None:
        """Post the step."""
        self.post_message(BudgetStepped(self._direction))


class BudgetField(Horizontal):
    """The input field of the budget, which the mouse wheel and two arrow buttons step."""

    BORDER_TITLE = "budget"

    def __init__(self, budget: int, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._budget = budget

    def compose(self) -> ComposeResult:
        """The field and its arrows."""
        yield Input(
            f"{self._budget:,}", id="budget-text", select_on_focus=True, highlighter=ControlHighlighter()
        )
        yield StepButton("◀", -1, "less budget")
        yield StepButton("▶", 1, "more budget")

    def show(self, budget: int) -> None:
        """Show a budget without posting a change."""
        field = self.query_one(Input)
        with field.prevent(Input.Changed):
            field.value = f"{budget:,}"

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Post a step up."""
        event.stop()
        self.post_message(BudgetStepped(1))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Post a step down."""
        event.stop()
        self.post_message(BudgetStepped(-1))


@dataclass
class BudgetRefused(Message):
    """The typed text is no budget; `problem` says why, and is empty when it is one again."""

    problem: str


@dataclass
class QuestionChanged(Message):
    """The question changed."""

    at_once: bool
    """Whether to ask it now, without a delay for more keys."""


class QuestionFields(Vertical):
    """The fields of a query and a budget; owns the question that they make."""

    def __init__(self, question: Question, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.question = question

    def compose(self) -> ComposeResult:
        """The two fields."""
        yield QueryInput(self.question.query, id="query")
        yield BudgetField(self.question.budget, id="budget")

    @property
    def query_input(self) -> QueryInput:
        """The field of the query."""
        return self.query_one(QueryInput)

    @property
    def budget_field(self) -> BudgetField:
        """The field of the budget."""
        return self.query_one(BudgetField)

    def show(self, question: Question) -> None:
        """Show a question without posting a change."""
        self.question = question
        query = self.query_input
        with query.prevent(QueryInput.Changed):
            query.value = question.query
        query.cursor_position = len(question.query)
        self.show_budget()

    def show_budget(self) -> None:
        """Show the budget of the question, instead of an invalid text."""
        self.budget_field.show(self.question.budget)
        self._refuse("")

    def set_budget(self, budget: int) -> None:
        """Change the budget of the question."""
        before = self.question
        self.question = before.with_budget(budget)
        self.show_budget()
        if self.question != before:
            self.post_message(QuestionChanged(at_once=True))

    def step_budget(self, direction: int) -> None:
        """Step the budget up (1) or down (-1)."""
        self.set_budget(step_budget(self.question.budget, direction))

    def usual_budget(self, direction: int) -> None:
        """Change to the next usual budget above (1) or below (-1)."""
        self.set_budget(next_usual_budget(self.question.budget, direction))

    @on(Input.Changed, "#query")
    def _type_query(self, event: Input.Changed) -> None:
        event.stop()
        self._type(self.question.with_query(event.value))

    @on(Input.Changed, "#budget-text")
    def _type_budget(self, event: Input.Changed) -> None:
        event.stop()
        try:
            budget = read_budget(event.value)
        except InvalidBudget as error:
            self._refuse(str(error))
            return
        self._refuse("")
        self._type(self.question.with_budget(budget))

    @on(BudgetStepped)
    def _step(self, message: BudgetStepped) -> None:
        message.stop()
        self.step_budget(message.direction)

    def _refuse(self, problem: str) -> None:
        self.budget_field.set_class(bool(problem), "-wrong")
        self.post_message(BudgetRefused(problem))

    def _type(self, question: Question) -> None:
        if question != self.question:
            self.question = question
            self.post_message(QuestionChanged(at_once=False))
