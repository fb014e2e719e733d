"""Saving a question and what its answer must hold as a query test of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Vertical

from ...resolver.query_tests import QueryTest
from ..commands import SAVE_TEST
from ..palette import bindings
from ..project import save_query_test
from ..views.spans import escaped
from ..views.table import Cell, Column
from ..widgets.lines import Lines
from ..widgets.table import Table
from .base import Box

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..commands import Command
    from ..result import Result
    from ..session import Session
    from ..views.table import Row
    from .base import View

MOST_EXPECTED = 50
"""Documents that a test made here can expect: nobody picks from more."""


def save_as_test(screen: View[None], result: Result, path: str, rank: int) -> None:
    """Ask what the answer of the cache at `path` must hold, the document at `rank` at first; save that."""
    if screen.session.project.file is None:
        _refuse(screen, "there is no ctx.toml for these caches; `ctx init` writes one")
        return
    if not result.chosen:
        _refuse(screen, "nothing is chosen within this budget, so there is nothing to expect")
        return

    def ask(offers: tuple[list[str], list[str]]) -> None:
        box = SaveTestBox(screen.session, *offers, result.chosen_index(rank) or 0)
        screen.app.push_screen(box, lambda expected: _save(screen, result, path, expected))

    screen.start(
        "expected",
        lambda: (result.chosen_ids(MOST_EXPECTED), result.chosen_sources(MOST_EXPECTED)),
        ask,
        lambda problem: _refuse(screen, problem),
    )


def _save(screen: View[None], result: Result, path: str, expected: list[str] | None) -> None:
    if expected is None:
        return
    project, question = screen.session.project, result.question

    def test(name: str) -> QueryTest:
        return QueryTest(cache=name, query=question.query, budget=question.budget, expect=expected, forbid=[])

    screen.start(
        "save",
        lambda: save_query_test(project, path, test),
        lambda file: screen.notify(f"Saved in {escaped(file)}; ^t runs the tests", markup=False),
        lambda problem: _refuse(screen, problem),
    )


def _refuse(screen: View[None], problem: str) -> None:
    screen.notify(escaped(problem), title="The test is not saved", severity="error", markup=False)


class SaveTestBox(Box[list[str] | None]):
    """The question and the chosen documents; its outcome is what the answer must hold."""

    COLUMNS = (Column(), Column(title="the answer must hold", share=1, least=10, middle=True))
    AUTO_FOCUS = "Table"
    commands: ClassVar[tuple[Command, ...]] = SAVE_TEST
    BINDINGS = bindings(SAVE_TEST)

    def __init__(self, session: Session, chosen: list[str], files: list[str], highlighted: int) -> None:
        """The document at the index `highlighted` is taken at first.

        `files` are those of the chosen documents: a heading is renamed more often than a file.
        """
        super().__init__()
        self._question = session.question
        folders = dict.fromkeys(f"{file.rpartition('/')[0]}/**" for file in files if "/" in file)
        self._offers = [offer for offer in (chosen, files, list(folders)) if offer]
        self._offer = 0
        self._taken = {chosen[highlighted]} if highlighted < len(chosen) else set()

    def compose(self) -> ComposeResult:
        """The question, and a list to pick from."""
        with Vertical(id="box"):
            yield Lines()
            yield Table(self.COLUMNS)

    def on_mount(self) -> None:
        """Fill it."""
        box = self.query_one("#box")
        box.border_title = "save as a test"
        box.border_subtitle = "⏎ saves · space one · a all or none · f files, folders · esc"
        budget = f"within {self._question.budget:,} tokens"
        lines = [[(escaped(self._question.query), "strong")], [(budget, "dim")], []]
        self.query_one(Lines).show(lines)
        taken = [index for index, name in enumerate(self.names) if name in self._taken]
        self._show(taken[0] if taken else 0)

    @property
    def names(self) -> list[str]:
        """What is on offer: documents, files, or folders."""
        return self._offers[self._offer]

    @property
    def picked(self) -> list[str]:
        """The names that are taken, in order."""
        return [name for name in self.names if name in self._taken]

    def _show(self, cursor: int | None = None) -> None:
        self.query_one(Table).show(len(self.names), self._cells, cursor=cursor)

    def _cells(self, index: int) -> Row:
        name = self.names[index]
        taken = name in self._taken
        full = escaped(name)
        return (
            Cell(*(("✓", "good") if taken else ("·", "dim"))),
            Cell(full, "" if taken else "dim", full=full),
        )

    @on(Table.Opened)
    def action_pick(self) -> None:
        """Take or leave the highlighted one."""
        index = self.query_one(Table).index
        if index >= 0:
            self._taken ^= {self.names[index]}
            self._show()

    def action_whole_files(self) -> None:
        """Offer files instead of their sections, then folders, then sections again; all of them taken."""
        self._offer = (self._offer + 1) % len(self._offers)
        self._taken = set(self.names)
        self._show(0)

    def action_pick_all(self) -> None:
        """Take all or none."""
        self._taken = set() if self.picked else set(self.names)
        self._show()

    def action_save(self) -> None:
        """Save what is picked."""
        if self.picked:
            self.dismiss(self.picked)
        else:
            self.notify("A test must expect something: take at least one document", severity="warning")
