"""Where a query, a budget or a filter is typed. They ask; they never resolve."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.highlighter import Highlighter
from textual import on
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from ...text.visible import visible
from ..views.spans import slot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.text import Text
    from textual import events
    from textual.app import ComposeResult


@dataclass
class QueryTyped(Message):
    """Somebody is typing a query."""

    query: str


@dataclass
class ReadAsked(Message):
    """The highlighted document is to be opened."""


@dataclass
class BudgetTyped(Message):
    """Somebody typed a budget, which may not be one."""

    text: str


@dataclass
class BudgetEntered(Message):
    """Somebody is done with the budget."""


@dataclass
class BudgetStepped(Message):
    """The budget is to go some steps up or down."""

    steps: int


@dataclass
class AnswerStepped(Message):
    """The budget is to go to the next, or the previous, that changes the answer."""

    steps: int


class Revealing(Highlighter):
    """Draws a mark for each character that a terminal would obey or hide, one for one."""

    def highlight(self, text: Text) -> None:
        """Replace them in place."""
        plain = text.plain
        if not plain.isascii() or not plain.isprintable():
            text.plain = "".join("␦" if visible(letter) != letter else letter for letter in plain)


class Words(Revealing):
    """Draws the words of the query that are scored in the colours that they have in the rows."""

    def __init__(self, style_of: Callable[[str], str]) -> None:
        self.words: Mapping[str, int] = {}
        self._style_of = style_of

    def highlight(self, text: Text) -> None:
        """Colour each word, and reveal what hides."""
        super().highlight(text)
        for match in re.finditer(r"\S+", text.plain):
            index = self.words.get(match[0], self.words.get(match[0].strip("?!.,;:\"'()")))
            if index is not None:
                text.stylize(self._style_of(slot(index)), *match.span())


class QueryInput(Input):
    """The query as it is typed."""

    BORDER_TITLE = "query"
    DEFAULT_CSS = "QueryInput { height: 3; }"

    def __init__(self, query: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        self._words = Words(self._style_of)
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
        """Colour the words that are scored; name those that are ignored."""
        self.border_subtitle = Content(ignored)  # a text would be read as markup
        if words != self._words.words:
            self._words.words = words
            self.refresh()

    async def on_paste(self, event: events.Paste) -> None:
        """Take all lines of what is pasted, as one; a terminal may end them with CR, LF or both."""
        event.text = " ".join(event.text.splitlines())

    @on(Input.Changed)
    def _type(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(QueryTyped(event.value))

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(ReadAsked())


class Step(Static):
    """An arrow that steps the budget when it is clicked."""

    DEFAULT_CSS = "Step { width: 3; height: 1; content-align: center middle; }"
    ALLOW_SELECT = False

    def __init__(self, arrow: str, steps: int, tooltip: str) -> None:
        super().__init__(arrow, markup=False)
        self.tooltip = tooltip
        self._steps = steps

    def on_click(self) -> None:
        """Ask for a step."""
        self.post_message(BudgetStepped(self._steps))


class BudgetField(Horizontal):
    """The budget: typed, stepped with the wheel, or with the arrows."""

    BORDER_TITLE = "budget"
    DEFAULT_CSS = """
    BudgetField { height: 3; }
    BudgetField Input { width: 1fr; height: 1; border: none; padding: 0 1; background: transparent; }
    """

    def __init__(self, budget: int, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._budget = budget

    def compose(self) -> ComposeResult:
        """The field and its arrows."""
        yield Input(f"{self._budget:,}", id="budget-text", select_on_focus=True, highlighter=Revealing())
        yield Step("◀", -1, "less budget")
        yield Step("▶", 1, "more budget")

    def show(self, budget: int) -> None:
        """Show a budget that was not typed here."""
        field = self.query_one(Input)
        with field.prevent(Input.Changed):
            field.value = f"{budget:,}"
        self.is_wrong = False

    @property
    def is_wrong(self) -> bool:
        """Whether what was typed is no budget."""
        return self.has_class("-wrong")

    @is_wrong.setter
    def is_wrong(self, wrong: bool) -> None:
        self.set_class(wrong, "-wrong")

    @on(Input.Changed)
    def _type(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(BudgetTyped(event.value))

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(BudgetEntered())

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """More."""
        event.stop()
        self.post_message(BudgetStepped(1))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Less."""
        event.stop()
        self.post_message(BudgetStepped(-1))
