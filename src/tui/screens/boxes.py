"""What lies over a screen: help, a line to type, a thing to pick, a question to be saved as a test."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

from textual import on
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input

from ...resolver.query_tests import QueryTest
from ..commands import HELP, PICK, SAVE_TEST, available_commands, help_lines
from ..project import save_query_test
from ..views.spans import Cell, Column, escaped, has_words
from ..widgets.lines import Lines, Problem
from ..widgets.question import ControlHighlighter
from ..widgets.table import Table
from ..work import start
from .base import CommandScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.screen import Screen

    from ..result import Result
    from ..session import Question, Session
    from ..views.spans import Row
    from .base import SessionScreen

MOST_PICKS = 500
"""Names that are offered at once: nobody reads more."""
MOST_EXPECTED = 50
"""Documents that a test made here can expect: nobody picks from more."""

Outcome = TypeVar("Outcome")
T = TypeVar("T")


class Box(CommandScreen[Outcome], ModalScreen[Outcome], Generic[Outcome]):
    """A frame with a title above, and its keys below."""

    CSS_PATH = "boxes.tcss"
    KEYS = "⏎ takes it · esc closes"

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def on_mount(self) -> None:
        """Name it."""
        box = self.query_one("#box")
        box.border_title, box.border_subtitle = self._title, self.KEYS


class HelpBox(Box[None]):
    """The keys of a screen and what the marks mean, made of the commands that work on it."""

    KEYS = "esc closes"
    AUTO_FOCUS = "#box"
    commands = HELP

    def __init__(self, screen: Screen[object]) -> None:
        super().__init__("help")
        self._commands = [command for command, _ in available_commands(screen)]

    def compose(self) -> ComposeResult:
        """The lines."""
        with VerticalScroll(id="box"):
            yield Lines()

    def on_resize(self) -> None:
        """Wrap the lines for the room that there is."""
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        width = self.query_one("#box").scrollable_content_region.width
        self.query_one(Lines).show(help_lines(self._commands, width))


class LineBox(Box[str]):
    """One line to type; its outcome is the line."""

    AUTO_FOCUS = "Input"

    def __init__(self, title: str, words: str, text: str = "") -> None:
        """`words` say what to type, `text` stands there already."""
        super().__init__(title)
        self._input = Input(text, placeholder=words, highlighter=ControlHighlighter())

    def compose(self) -> ComposeResult:
        """A field."""
        with Vertical(id="box"):
            yield self._input

    @on(Input.Submitted)
    def _take(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)


class PickBox(Box[T], Generic[T]):
    """Things by a part of their name; its outcome is the one that was picked."""

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
        """`words` say what to type; `find` gives what has it, in a thread; `cells` gives the row of one."""
        super().__init__(title)
        self._words = words
        self._columns = columns
        self._find = find
        self._cells = cells
        self._things: list[T] | None = None
        """What was found; None while it is looked for."""
        self._is_taken = False

    def compose(self) -> ComposeResult:
        """A field and a list."""
        with Vertical(id="box"):
            yield Input(placeholder=self._words, highlighter=ControlHighlighter())
            yield Problem()
            yield Table(self._columns)

    def on_mount(self) -> None:
        """Offer what there is."""
        self._look_for("")

    @on(Input.Changed)
    def _type(self, event: Input.Changed) -> None:
        event.stop()
        self._look_for(event.value)

    def _look_for(self, words: str) -> None:
        self._things = None
        start(self, "find", lambda: self._find(words), self._show, self.query_one(Problem).say)

    def _show(self, things: list[T]) -> None:
        self._things = things
        self.table.show(len(things), lambda index: self._cells(things[index]), cursor=0)
        if self._is_taken:
            self.action_take()

    @on(Input.Submitted)
    @on(Table.Opened)
    def action_take(self) -> None:
        """Pick the highlighted one; where that is not known yet, the first of what will be found."""
        self._is_taken = self._things is None
        if self._things:
            self.dismiss(self._things[self.table.index])


def history_box(questions: list[Question]) -> PickBox[Question]:
    """Earlier queries."""

    def find(words: str) -> list[Question]:
        return [question for question in questions if has_words(question.query, words)]

    def cells(question: Question) -> Row:
        return (Cell(escaped(question.query)), Cell(f"{question.budget:,}", "dim"))

    columns = (Column(title="query", share=1, min_width=10), Column(title="budget", align_right=True))
    words = "words of an earlier query" if questions else "no query was asked yet"
    return PickBox("earlier queries", words, columns, find, cells)


Name = tuple[str, str, str]
"""`cache` or `document`, its name or id, its title."""


def name_box(session: Session, title: str, *, caches: bool) -> PickBox[Name]:
    """The documents of the open cache, and the caches if these are wanted too."""

    def cells(name: Name) -> Row:
        kind, id_, title = map(escaped, name)
        return (Cell(kind, "dim"), Cell(id_, full=id_), Cell(title, "dim"))

    columns = (
        Column(title="what"),
        Column(title="name", share=3, min_width=14, crop_middle=True),
        Column(title="title", share=2, min_width=10, crop_middle=True, optional=True),
    )
    words = "a part of its name or title"
    return PickBox(title, words, columns, lambda words: find_names(session, words, caches), cells)


def find_names(session: Session, words: str, with_caches: bool) -> list[Name]:
    """The caches and documents whose name or title holds some words. Raises `CacheInvalid`."""
    caches = session.catalog.caches if with_caches else ()
    names: list[Name] = [("cache", cache.name, "") for cache in caches if has_words(cache.name, words)]
    for summary in session.cache.summaries() if session.cache is not None else ():
        if len(names) >= MOST_PICKS:
            break
        if has_words(f"{summary.id}\n{summary.title}", words):
            names.append(("document", summary.id, summary.title))
    return names


def save_as_test(screen: SessionScreen[None], result: Result, path: str, rank: int) -> None:
    """Ask what the answer of the cache at `path` must hold, the document at `rank` at first; save that."""
    project, question = screen.session.project, result.question

    def refuse(problem: str) -> None:
        screen.notify(escaped(problem), title="The test is not saved", severity="error", markup=False)

    def ask(offers: tuple[list[str], list[str]]) -> None:
        box = SaveTestBox(question, *offers, result.chosen_index(rank) or 0)
        screen.app.push_screen(box, save)

    def save(expected: list[str] | None) -> None:
        if expected is None:
            return

        def test(name: str) -> QueryTest:
            budget = question.budget
            return QueryTest(cache=name, query=question.query, budget=budget, expect=expected, forbid=[])

        def saved(file: str) -> None:
            screen.notify(f"Saved in {escaped(file)}; ^t runs the tests", markup=False)

        screen.start("save", lambda: save_query_test(project, path, test), saved, refuse)

    if project.file is None:
        refuse("there is no ctx.toml for these caches: leave, and `ctx init` writes one")
    elif not result.chosen:
        refuse("nothing is chosen within this budget, so there is nothing to expect")
    else:
        screen.start("expected", lambda: result.chosen_names(MOST_EXPECTED), ask, refuse)


class SaveTestBox(Box[list[str]]):
    """The question and the chosen documents; its outcome is what the answer must hold."""

    COLUMNS = (Column(), Column(title="the answer must hold", share=1, min_width=10, crop_middle=True))
    KEYS = "⏎ saves · space one · a all or none · f files, folders · esc"
    AUTO_FOCUS = "Table"
    commands = SAVE_TEST

    def __init__(self, question: Question, ids: list[str], files: list[str], highlighted: int) -> None:
        """`files` are those of the documents `ids`; that at the index `highlighted` is taken at first.

        A heading is renamed more often than a file: a test may expect files or folders instead.
        """
        super().__init__("save as a test")
        self._question = question
        folders = [f"{file.rpartition('/')[0]}/**" if "/" in file else "" for file in files]
        others = [offer for offer in (files, folders) if any(offer) and offer != ids]
        self._offers = deque([ids, *others])
        """The name of each document, that of its file, that of its folder; what is on offer stands first."""
        self._taken = {highlighted} if highlighted < len(ids) else set()
        """The indices of the documents that are taken."""

    def compose(self) -> ComposeResult:
        """The question, and a list to pick from."""
        with Vertical(id="box"):
            yield Lines()
            yield Table(self.COLUMNS)

    def on_mount(self) -> None:
        """Fill it."""
        budget = f"within {self._question.budget:,} tokens"
        lines = [[(escaped(self._question.query), "strong")], [(budget, "dim")], []]
        self.query_one(Lines).show(lines)
        self._show(min(self._taken, default=0))

    @property
    def names(self) -> list[str]:
        """What is on offer, each once: documents, files, or folders."""
        return list(dict.fromkeys(filter(None, self._offers[0])))

    @property
    def picked(self) -> list[str]:
        """The names that are taken, in order."""
        taken = {self._offers[0][index] for index in self._taken}
        return [name for name in self.names if name in taken]

    def _show(self, cursor: int | None = None) -> None:
        names, picked = self.names, set(self.picked)

        def cells(index: int) -> Row:
            name, taken = escaped(names[index]), names[index] in picked
            mark = Cell(*(("✓", "good") if taken else ("·", "dim")))
            return (mark, Cell(name, "" if taken else "dim", full=name))

        self.table.show(len(names), cells, cursor=cursor)

    @on(Table.Opened)
    def action_pick(self) -> None:
        """Take or leave the highlighted one: a file with all of its sections."""
        name = self.names[self.table.index]
        same = {index for index, other in enumerate(self._offers[0]) if other == name}
        self._taken = self._taken - same if self._taken & same else self._taken | same
        self._show()

    def action_whole_files(self) -> None:
        """Offer files instead of their sections, then folders, then sections again."""
        self._offers.rotate(-1)
        self._show(0)

    def action_pick_all(self) -> None:
        """Take all or none."""
        self._taken = set() if self.picked else set(range(len(self._offers[0])))
        self._show()

    def action_save(self) -> None:
        """Save what is picked."""
        if self.picked:
            self.dismiss(self.picked)
        else:
            self.notify("A test must expect something: take at least one document", severity="warning")
