"""Modal screens: the help, an input line, and lists to pick from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from textual import on
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

from ..commands import HELP, PICK, available_commands, help_lines
from ..views.spans import Cell, Column, Row, escaped, has_words
from ..widgets.lines import Lines, Problem
from ..widgets.question import ControlHighlighter
from ..widgets.table import Table
from ..workers import start
from .base import CommandScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult

    from ..session import Question, Session

MOST_PICKS = 500
"""The most names that a list offers."""

Outcome = TypeVar("Outcome")
T = TypeVar("T")


class Dialog(CommandScreen[Outcome], ModalScreen[Outcome], Generic[Outcome]):
    """A modal frame with a title above, and its keys below."""

    CSS_PATH = "dialogs.tcss"
    KEYS = "⏎ takes it · esc closes"

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def on_mount(self) -> None:
        """Set the title and the keys."""
        dialog = self.query_one("#dialog")
        dialog.border_title, dialog.border_subtitle = self._title, self.KEYS


class HelpDialog(Dialog[None]):
    """The help of a screen: its commands with their keys, and the meaning of the marks."""

    KEYS = "esc closes"
    AUTO_FOCUS = "#dialog"
    commands = HELP

    def __init__(self, screen: Screen[object]) -> None:
        super().__init__("help")
        self._commands = [command for command, _ in available_commands(screen)]

    def compose(self) -> ComposeResult:
        """The scrolling text."""
        with VerticalScroll(id="dialog"):
            yield Lines()

    def on_resize(self) -> None:
        """Wrap the lines for the new width."""
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        width = self.query_one("#dialog").scrollable_content_region.width
        self.query_one(Lines).show(help_lines(self._commands, width))


class LineDialog(Dialog[str]):
    """An input line; its result is the typed text."""

    AUTO_FOCUS = "Input"

    def __init__(self, title: str, words: str, text: str = "") -> None:
        """`words` are the placeholder, `text` is the initial text."""
        super().__init__(title)
        self._input = Input(text, placeholder=words, highlighter=ControlHighlighter())

    def compose(self) -> ComposeResult:
        """The input field."""
        with Vertical(id="dialog"):
            yield self._input

    @on(Input.Submitted)
    def _take(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)


class PickDialog(Dialog[T], Generic[T]):
    """A list that is filtered while typing; its result is the picked item."""

    AUTO_FOCUS = "Input"
    commands = PICK

    def __init__(
        self,
        title: str,
        words: str,
        columns: Sequence[Column],
        find: Callable[[str], list[T]],
        cells: Callable[[T], Row],
    ) -> None:
        """`words` are the placeholder; `find` searches for a text, in a thread; `cells` makes a row."""
        super().__init__(title)
        self._words = words
        self._columns = columns
        self._find = find
        self._cells = cells
        self._items: list[T] | None = None
        """The items on offer; None during a search."""
        self._is_taken = False
        """Whether the first item is to be picked once the search ends."""

    def compose(self) -> ComposeResult:
        """The input field and the list."""
        with Vertical(id="dialog"):
            yield Input(placeholder=self._words, highlighter=ControlHighlighter())
            yield Problem()
            yield Table(self._columns)

    def on_mount(self) -> None:
        """Offer all items."""
        self._search("")

    @on(Input.Changed)
    def _type(self, event: Input.Changed) -> None:
        event.stop()
        self._search(event.value)

    def _search(self, words: str) -> None:
        self._items = None
        start(self, "find", lambda: self._find(words), self._show, self.query_one(Problem).say)

    def _show(self, items: list[T]) -> None:
        self._items = items
        self.table.show(len(items), lambda index: self._cells(items[index]), cursor=0)
        if self._is_taken:
            self.action_take()

    @on(Input.Submitted)
    @on(Table.Opened)
    def action_take(self) -> None:
        """Pick the highlighted item; during a search, the first item that it finds."""
        self._is_taken = self._items is None
        if self._items:
            self.dismiss(self._items[self.table.index])


def history_dialog(questions: list[Question]) -> PickDialog[Question]:
    """A list of earlier questions to pick from."""

    def find(words: str) -> list[Question]:
        return [question for question in questions if has_words(question.query, words)]

    def cells(question: Question) -> Row:
        return (Cell(escaped(question.query)), Cell(f"{question.budget:,}", "dim"))

    columns = (Column(title="query", share=1, min_width=10), Column(title="budget", align_right=True))
    words = "words of an earlier query" if questions else "no query was asked yet"
    return PickDialog("earlier queries", words, columns, find, cells)


class Named(NamedTuple):
    """A cache or a document in a list to pick from."""

    kind: str
    """`cache` or `document`."""
    name: str
    """The name of a cache, the id of a document."""
    title: str


def name_dialog(session: Session, title: str, *, caches: bool) -> PickDialog[Named]:
    """A list of the documents of the open cache, and with `caches` of the caches, to pick from."""

    def cells(item: Named) -> Row:
        kind, name, title = map(escaped, item)
        return (Cell(kind, "dim"), Cell(name, full=name), Cell(title, "dim"))

    columns = (
        Column(title="what"),
        Column(title="name", share=3, min_width=14, crop_middle=True),
        Column(title="title", share=2, min_width=10, crop_middle=True, optional=True),
    )
    words = "a part of its name or title"
    return PickDialog(title, words, columns, lambda words: find_names(session, words, caches), cells)


def find_names(session: Session, words: str, with_caches: bool) -> list[Named]:
    """The caches and documents whose name or title contains each of some words. Raises `CacheInvalid`."""
    caches = session.catalog.caches if with_caches else ()
    names = [Named("cache", cache.name, "") for cache in caches if has_words(cache.name, words)]
    for summary in session.cache.summaries() if session.cache is not None else ():
        if len(names) >= MOST_PICKS:
            break
        if has_words(f"{summary.id}\n{summary.title}", words):
            names.append(Named("document", summary.id, summary.title))
    return names
