"""What lies over a screen: help, earlier queries, a line to type, a name to pick."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Input

from ..commands import HELP, HISTORY, INPUT, PICK
from ..palette import available, bindings
from ..question import Question
from ..views.help import help_lines
from ..views.spans import escaped
from ..views.table import Cell, Column
from ..widgets.inputs import Revealing
from ..widgets.lines import Lines, Problem
from ..widgets.table import Table
from ..workers import start
from .base import Box

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.screen import Screen

    from ..commands import Command
    from ..session import Session
    from ..views.table import Row

MOST_PICKS = 500
"""Names that are offered at once: nobody reads more."""


class HelpBox(Box[None]):
    """The keys of a screen and what the marks mean, made of the commands that work on it."""

    commands: ClassVar[tuple[Command, ...]] = HELP
    BINDINGS = bindings(HELP)

    def __init__(self, screen: Screen[object]) -> None:
        super().__init__()
        self._commands = [command for command, _ in available(screen)]

    def compose(self) -> ComposeResult:
        """The lines."""
        with VerticalScroll(id="box"):
            yield Lines()

    def on_mount(self) -> None:
        """Name it."""
        box = self.query_one("#box")
        box.border_title, box.border_subtitle = "help", "esc closes"
        box.focus()

    def on_resize(self) -> None:
        """Wrap the lines for the room that there is."""
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        width = self.query_one("#box").scrollable_content_region.width
        self.query_one(Lines).show(help_lines(self._commands, width))


class LineBox(Box[str | None]):
    """One line to type; its outcome is the line, None when it was left."""

    AUTO_FOCUS = "Input"
    commands: ClassVar[tuple[Command, ...]] = INPUT
    BINDINGS = bindings(INPUT)

    def __init__(self, session: Session, title: str, words: str, text: str = "") -> None:
        super().__init__()
        self.session = session
        self._title = title
        self._words = words
        self._text = text

    def compose(self) -> ComposeResult:
        """A field."""
        with Vertical(id="box"):
            yield Input(self._text, placeholder=self._words, highlighter=Revealing())

    def on_mount(self) -> None:
        """Name it."""
        box = self.query_one("#box")
        box.border_title, box.border_subtitle = self._title, "⏎ takes it · esc closes"

    @on(Input.Submitted)
    def _take(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)


class HistoryBox(Box[Question | None]):
    """Earlier queries with a filter; its outcome is the question that was picked."""

    COLUMNS = (Column(title="query", share=1, least=10), Column(title="budget", right=True))
    AUTO_FOCUS = "Input"
    commands: ClassVar[tuple[Command, ...]] = HISTORY
    BINDINGS = bindings(HISTORY)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._all = session.history.questions
        self._questions: list[Question] = []

    def compose(self) -> ComposeResult:
        """A filter and a list."""
        with Vertical(id="box"):
            yield Input(placeholder="words of an earlier query", highlighter=Revealing())
            yield Table(self.COLUMNS)

    def on_mount(self) -> None:
        """Show all."""
        box = self.query_one("#box")
        box.border_title, box.border_subtitle = "earlier queries", "⏎ asks again · esc closes"
        self._show(self._all)

    def _show(self, questions: list[Question]) -> None:
        self._questions = questions
        title = "query" if questions else "no query was asked yet"
        self.query_one(Table).show(len(questions), self._cells, titles=(title, "budget"), cursor=0)

    def _cells(self, index: int) -> Row:
        question = self._questions[index]
        return (Cell(escaped(question.query)), Cell(f"{question.budget:,}", "dim"))

    @on(Input.Changed)
    def _filter(self, event: Input.Changed) -> None:
        words = event.value.casefold().split()
        self._show([q for q in self._all if all(word in q.query.casefold() for word in words)])

    @on(Input.Submitted)
    @on(Table.Opened)
    def action_take(self) -> None:
        """Pick the highlighted one."""
        index = self.query_one(Table).index
        if index >= 0:
            self.dismiss(self._questions[index])


Pick = tuple[str, str]
"""`cache` or `document`, and its name or id."""


class PickBox(Box[Pick | None]):
    """A document, or a cache, by a part of its name; its outcome is what was picked."""

    COLUMNS = (
        Column(title="what"),
        Column(title="name", share=3, least=14, middle=True),
        Column(title="title", share=2, least=10, middle=True, optional=True),
    )
    AUTO_FOCUS = "Input"
    commands: ClassVar[tuple[Command, ...]] = PICK
    BINDINGS = bindings(PICK)

    def __init__(self, session: Session, title: str, *, caches: bool) -> None:
        super().__init__()
        self.session = session
        self._title = title
        self._with_caches = caches
        self._picks: list[tuple[Pick, str]] = []

    def compose(self) -> ComposeResult:
        """A field and a list."""
        with Vertical(id="box"):
            yield Input(placeholder="a part of its name or title", highlighter=Revealing())
            yield Problem()
            yield Table(self.COLUMNS)

    def on_mount(self) -> None:
        """Offer what there is."""
        box = self.query_one("#box")
        box.border_title, box.border_subtitle = self._title, "⏎ takes it · esc closes"
        self._find("")

    @on(Input.Changed)
    def _type(self, event: Input.Changed) -> None:
        event.stop()
        self._find(event.value)

    def _find(self, words: str) -> None:
        session, with_caches = self.session, self._with_caches
        start(self, "find", lambda: find_names(session, words, with_caches), self._show, self._say)

    def _say(self, problem: str) -> None:
        self.query_one(Problem).say(problem)

    def _show(self, picks: list[tuple[Pick, str]]) -> None:
        self._picks = picks
        self.query_one(Table).show(len(picks), self._cells, cursor=0)

    def _cells(self, index: int) -> Row:
        (kind, name), title = self._picks[index]
        full = escaped(name)
        return (Cell(kind, "dim"), Cell(full, full=full), Cell(escaped(title), "dim"))

    @on(Input.Submitted)
    @on(Table.Opened)
    def action_take(self) -> None:
        """Pick the highlighted one."""
        index = self.query_one(Table).index
        if index >= 0:
            self.dismiss(self._picks[index][0])


def find_names(session: Session, words: str, with_caches: bool) -> list[tuple[Pick, str]]:
    """The caches and documents whose name or title holds some words. Raises `CacheInvalid`."""
    wanted = words.casefold().split()
    picks: list[tuple[Pick, str]] = []
    if with_caches:
        names = [cache.name for cache in session.catalog.caches]
        picks = [(("cache", name), "") for name in names if all(word in name.casefold() for word in wanted)]
    for summary in session.cache.summaries() if session.cache is not None else ():
        if len(picks) >= MOST_PICKS:
            break
        text = f"{summary.id}\n{summary.title}".casefold()
        if all(word in text for word in wanted):
            picks.append((("document", summary.id), summary.title))
    return picks
