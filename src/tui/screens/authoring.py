"""The screens for authors: the changed sources of a cache with the rebuild, the query tests, a new test."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical, VerticalScroll

from ...resolver.query_tests import Outcome, Outcomes, QueryTest
from ..commands import QUERY_TESTS, SAVE_TEST, SOURCES
from ..project import (
    FreshnessCheck,
    RebuildResult,
    check_freshness,
    rebuild,
    run_query_tests,
    save_query_test,
)
from ..views.project import (
    ITEM_COLUMNS,
    OUTCOME_COLUMNS,
    Item,
    built_items,
    built_line,
    freshness_items,
    freshness_line,
    item_cells,
    outcome_cells,
    outcome_details,
    outcomes_spans,
    verified_lines,
)
from ..views.spans import Cell, Column, Row, escaped
from ..widgets.lines import Lines, TitleBar
from ..widgets.table import Table
from .base import BuildScreen, SessionScreen
from .compare import CompareScreen
from .dialogs import Dialog

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ...builder.build import Reporter
    from ..catalog import CacheInfo
    from ..result import Result
    from ..session import Question, Session


class SourcesScreen(BuildScreen[None]):
    """The changes of a cache's sources since its build, and the rebuild."""

    CSS_PATH = "authoring.tcss"
    AUTO_FOCUS = "Table"
    commands = SOURCES

    def __init__(self, session: Session, info: CacheInfo) -> None:
        super().__init__(session)
        self._info = info
        self.items: list[Item] = []

    def parts(self) -> ComposeResult:
        """The state, the progress of a build, the table of changes."""
        yield Lines(id="state")
        yield Lines(id="progress")
        yield Table(ITEM_COLUMNS, id="items")

    def on_mount(self) -> None:
        """Compare the cache with its sources in a thread."""
        self.query_one(TitleBar).show(
            [(" Sources of ", "strong"), (escaped(self._info.name), "accent")],
            [("what changed, and the rebuild ", "dim")],
        )
        self.query_one("#state", Lines).show([[("looking at the sources …", "dim")]])
        project, path = self.session.project, self._info.path
        self.start("freshness", lambda: check_freshness(project, path), self.show_freshness)

    def show_freshness(self, check: FreshnessCheck) -> None:
        """Show a comparison with the sources, unless the cache is being built or was built meanwhile."""
        if self.is_building or not self.session.record_freshness(check):
            return
        self.say(check.problem)
        freshness = check.freshness
        if freshness is None:
            self.query_one("#state", Lines).show([])
            return
        self.query_one("#state", Lines).show([freshness_line(freshness)])
        self._show(freshness_items(freshness), "what changed since it was built")

    def _show(self, items: list[Item], about: str) -> None:
        self.items = items
        self.table.border_title = about
        self.table.show(len(items), lambda index: item_cells(items[index]), cursor=0)

    def action_rebuild(self, *, force: bool = False) -> None:
        """Rebuild the cache unless it is fresh; with `force` in any case, from nothing."""
        if self.is_building:
            return
        running = self.session.begin(self._info.path, "build")
        if running:
            self.say(f"the {running} of {self._info.name} is still running")
            return
        project, path = self.session.project, self._info.path
        self.query_one("#state", Lines).show([])

        def operation(progress: Reporter) -> RebuildResult:
            return rebuild(project, path, force=force, progress=progress)

        self.build(operation, self._show_rebuilt, self._fail)

    def _fail(self, problem: str) -> None:
        """Show why the build failed."""
        self.session.end(self._info.path)
        self.say(problem)

    def on_unmount(self) -> None:
        """End the operation on the cache, so that another one may begin."""
        if self.is_building:
            self.session.end(self._info.path)

    def action_force(self) -> None:
        """Rebuild the cache from nothing."""
        self.action_rebuild(force=True)

    def _show_rebuilt(self, result: RebuildResult) -> None:
        """Show the outcome of a build; the replaced cache stays open for a comparison."""
        session, info, built = self.session, self._info, result.built
        session.end(info.path)
        if result.previous is not None:
            session.previous[info.name] = result.previous
        session.freshness[info.path] = result.freshness
        session.verified.pop(info.path, None)
        self.query_one("#state", Lines).show([built_line(built, result.changes)])
        about = "what the build changed and left out" if built.report else "nothing changed"
        self._show(built_items(built, result.changes), about)

    def action_verify(self) -> None:
        """Verify the cache."""
        self.verify(self._info, self._draw_verified)

    def _draw_verified(self) -> None:
        outcome = self.session.verified.get(self._info.path)
        if outcome is not None and not self.is_building:
            self.query_one("#state", Lines).show(verified_lines(outcome))

    def action_compare(self) -> None:
        """Open the comparison of the previous and the present build."""
        if self._info.name in self.session.previous:
            self.app.push_screen(CompareScreen(self.session, info=self._info, from_previous=True))
        else:
            self.notify("No build was replaced yet, so there is none to compare with", severity="warning")


class QueryTestsScreen(SessionScreen[QueryTest]):
    """The outcomes of the query tests; the screen's result is a test whose query is to be asked."""

    CSS_PATH = "authoring.tcss"
    AUTO_FOCUS = "Table"
    commands = QUERY_TESTS

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._outcomes: list[Outcome] = []

    def parts(self) -> ComposeResult:
        """The table of tests, and the details of the highlighted one."""
        yield Table(OUTCOME_COLUMNS, title="tests", id="outcomes")
        with VerticalScroll(id="details", can_focus=False) as details:
            details.border_title = "outcome"
            yield Lines()

    def on_mount(self) -> None:
        """Run the tests."""
        self.action_run()

    def action_run(self) -> None:
        """Read all tests from the configuration, and run them in a thread."""
        self.query_one(TitleBar).show([(" Query tests", "strong")], [("running … ", "dim")])
        project = self.session.project
        self.start("tests", lambda: run_query_tests(project), self._show, self._fail)

    def _fail(self, problem: str) -> None:
        self.query_one(TitleBar).show([(" Query tests", "strong")], [])
        self._list([])
        self.say(problem)

    def _show(self, outcomes: Outcomes) -> None:
        empty = f"{self._file} has no tests yet; `Save as a test` on the main screen writes one"
        self.say("" if outcomes.outcomes else empty)
        self.query_one(TitleBar).show([(" Query tests", "strong")], outcomes_spans(outcomes))
        self._list(outcomes.outcomes)

    def _list(self, outcomes: list[Outcome]) -> None:
        self._outcomes = outcomes
        self.table.show(len(outcomes), lambda index: outcome_cells(outcomes[index]))
        self.explain()

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the highlighted test."""
        return self._outcomes[self.table.index] if self._outcomes and self.table.index >= 0 else None

    @property
    def _file(self) -> str:
        file = self.session.project.file
        return file.name if file is not None else "ctx.toml"

    @on(Table.Moved)
    def explain(self) -> None:
        """Show the details of the highlighted test."""
        lines = outcome_details(self.outcome, self._file) if self.outcome is not None else []
        self.query_one("#details Lines", Lines).show(lines)

    @on(Table.Opened)
    def action_take(self) -> None:
        """Close the screen with the highlighted test; refuse if its cache does not open."""
        if self.outcome is None:
            return
        name = self.outcome.test.cache
        info = self.session.catalog.find(name)
        if info is not None and info.opens:
            self.dismiss(self.outcome.test)
        else:
            self.say(info.fault if info is not None else f"{name} is not among the caches shown here")


MOST_EXPECTED = 50
"""The most documents that the form of a test offers."""


def save_as_test(screen: SessionScreen[None], result: Result, path: str, rank: int) -> None:
    """Open the form that saves a question to the cache at `path` as a test.

    The document at `rank` is taken at first.
    """
    project, question = screen.session.project, result.question

    def refuse(problem: str) -> None:
        screen.notify(escaped(problem), title="The test is not saved", severity="error", markup=False)

    def saved(file: str) -> None:
        screen.notify(f"Saved in {escaped(file)}; ^t runs the tests", markup=False)

    def save(expected: list[str]) -> None:
        test = QueryTest(cache="", query=question.query, budget=question.budget, expect=expected, forbid=[])
        screen.start("save", lambda: save_query_test(project, path, test), saved, refuse)

    def ask(offers: tuple[list[str], list[str]]) -> None:
        screen.push(SaveTestDialog(question, *offers, result.chosen_index(rank) or 0), save)

    if project.file is None:
        refuse("there is no ctx.toml for these caches: leave, and `ctx init` writes one")
    elif not result.chosen:
        refuse("nothing is chosen within this budget, so there is nothing to expect")
    else:
        screen.start("expected", lambda: result.chosen_names(MOST_EXPECTED), ask, refuse)


class SaveTestDialog(Dialog[list[str]]):
    """The form of a query test: the question, and the chosen documents; its result are the expected names."""

    COLUMNS = (Column(), Column(title="the answer must hold", share=1, min_width=10, crop_middle=True))
    KEYS = "⏎ saves · space one · a all or none · f files, folders · esc"
    AUTO_FOCUS = "Table"
    commands = SAVE_TEST

    def __init__(self, question: Question, ids: list[str], files: list[str], highlighted: int) -> None:
        """`files` are the source files of the documents `ids`; that at `highlighted` is taken at first.

        Headings are renamed more often than files, so a test may also expect files or folders.
        """
        super().__init__("save as a test")
        self._question = question
        folders = [f"{file.rpartition('/')[0]}/**" if "/" in file else "" for file in files]
        others = [offer for offer in (files, folders) if any(offer) and offer != ids]
        self._offers = deque([ids, *others])
        """For each document its id, its file, its folder; the list shows the first of these."""
        self._taken = {highlighted} if highlighted < len(ids) else set()
        """The indices of the taken documents."""

    def compose(self) -> ComposeResult:
        """The question, and the list of names."""
        with Vertical(id="dialog"):
            yield Lines()
            yield Table(self.COLUMNS)

    def on_mount(self) -> None:
        """Show the question and the names."""
        budget = f"within {self._question.budget:,} tokens"
        lines = [[(escaped(self._question.query), "strong")], [(budget, "dim")], []]
        self.query_one(Lines).show(lines)
        self._show(min(self._taken, default=0))

    @property
    def names(self) -> list[str]:
        """The names in the list, each once: documents, files or folders."""
        return list(dict.fromkeys(filter(None, self._offers[0])))

    @property
    def picked(self) -> list[str]:
        """The taken names, in order."""
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
        """Take or leave the highlighted name, with all of its documents."""
        name = self.names[self.table.index]
        same = {index for index, offer in enumerate(self._offers[0]) if offer == name}
        self._taken = self._taken - same if self._taken & same else self._taken | same
        self._show()

    def action_whole_files(self) -> None:
        """Show files instead of documents, then folders, then documents again."""
        self._offers.rotate(-1)
        self._show(0)

    def action_pick_all(self) -> None:
        """Take all or none."""
        self._taken = set() if self.picked else set(range(len(self._offers[0])))
        self._show()

    def action_save(self) -> None:
        """Close the form with the taken names; refuse if there are none."""
        if self.picked:
            self.dismiss(self.picked)
        else:
            self.notify("A test must expect something: take at least one document", severity="warning")
