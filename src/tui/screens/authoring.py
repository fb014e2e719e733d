"""What an author does: see what changed since a build and rebuild, and run the project's query tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import VerticalScroll

from ...resolver.query_tests import QueryTest
from ..commands import QUERY_TESTS, SOURCES
from ..project import check_freshness, rebuild, run_query_tests
from ..views.project import (
    ITEM_COLUMNS,
    OUTCOME_COLUMNS,
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
from ..views.spans import escaped
from ..widgets.lines import Lines, TitleBar
from ..widgets.table import Table
from .base import BuildScreen, SessionScreen
from .compare import CompareScreen

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ...builder.build import Reporter
    from ...resolver.query_tests import Outcome, Outcomes
    from ..catalog import CacheInfo
    from ..project import FreshnessCheck, RebuildResult
    from ..session import Session
    from ..views.project import Item


class SourcesScreen(BuildScreen[None]):
    """One cache of the project and its sources."""

    CSS_PATH = "authoring.tcss"
    AUTO_FOCUS = "Table"
    commands = SOURCES

    def __init__(self, session: Session, info: CacheInfo) -> None:
        super().__init__(session)
        self._info = info
        self.items: list[Item] = []

    def parts(self) -> ComposeResult:
        """A state, a bar, a list."""
        yield Lines(id="state")
        yield Lines(id="progress")
        yield Table(ITEM_COLUMNS, id="items")

    def on_mount(self) -> None:
        """Look at the sources."""
        self.query_one(TitleBar).show(
            [(" Sources of ", "strong"), (escaped(self._info.name), "accent")],
            [("what changed, and the rebuild ", "dim")],
        )
        self.query_one("#state", Lines).show([[("looking at the sources …", "dim")]])
        project, path = self.session.project, self._info.path
        self.start("freshness", lambda: check_freshness(project, path), self.show_freshness)

    def show_freshness(self, check: FreshnessCheck) -> None:
        """Show whether the cache is fresh, unless it is being built or was built meanwhile."""
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
        """Bring the cache up to date."""
        if self.is_building:
            return
        other = self.session.begin(self._info.path, "build")
        if other:
            self.say(f"the {other} of {self._info.name} is still running")
            return
        project, path = self.session.project, self._info.path
        self.query_one("#state", Lines).show([])

        def operation(progress: Reporter) -> RebuildResult:
            return rebuild(project, path, force=force, progress=progress)

        self.build(operation, self._show_rebuilt, self._fail)

    def _fail(self, problem: str) -> None:
        """Say why it was not built; the cache is as it was."""
        self.session.end(self._info.path)
        self.say(problem)

    def on_unmount(self) -> None:
        """Another operation on the cache may begin."""
        if self.is_building:
            self.session.end(self._info.path)

    def action_force(self) -> None:
        """Build it from nothing."""
        self.action_rebuild(force=True)

    def _show_rebuilt(self, result: RebuildResult) -> None:
        """Tell what the build did; what it replaced stays open to be compared with."""
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
        """Check every byte of the cache."""
        self.verify(self._info, self._draw_verified)

    def _draw_verified(self) -> None:
        outcome = self.session.verified.get(self._info.path)
        if outcome is not None and not self.is_building:
            self.query_one("#state", Lines).show(verified_lines(outcome))

    def action_compare(self) -> None:
        """The question on screen, asked of the build before and of this one."""
        if self._info.name in self.session.previous:
            self.app.push_screen(CompareScreen(self.session, info=self._info, from_previous=True))
        else:
            self.notify("No build was replaced yet, so there is none to compare with", severity="warning")


class QueryTestsScreen(SessionScreen[QueryTest | None]):
    """A list of tests, and what came of the highlighted one; its outcome is a test to be asked."""

    CSS_PATH = "authoring.tcss"
    AUTO_FOCUS = "Table"
    commands = QUERY_TESTS

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._outcomes: list[Outcome] = []

    def parts(self) -> ComposeResult:
        """A list and the details of one."""
        yield Table(OUTCOME_COLUMNS, title="tests", id="outcomes")
        with VerticalScroll(id="details", can_focus=False):
            yield Lines()

    def on_mount(self) -> None:
        """Run them."""
        self.query_one("#details").border_title = "outcome"
        self.action_run()

    def action_run(self) -> None:
        """Run all of them as they are written now."""
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
        """The highlighted one."""
        return self._outcomes[self.table.index] if self._outcomes and self.table.index >= 0 else None

    @property
    def _file(self) -> str:
        file = self.session.project.file
        return file.name if file is not None else "ctx.toml"

    @on(Table.Moved)
    def explain(self) -> None:
        """Say what the highlighted test expects and got."""
        lines = outcome_details(self.outcome, self._file) if self.outcome is not None else []
        self.query_one("#details Lines", Lines).show(lines)

    @on(Table.Opened)
    def action_take(self) -> None:
        """Ask what the highlighted test asks, on the main screen, of the cache that it names."""
        if self.outcome is None:
            return
        name = self.outcome.test.cache
        info = self.session.catalog.find(name)
        if info is not None and info.opens:
            self.dismiss(self.outcome.test)
        else:
            self.say(info.fault if info is not None else f"{name} is not among the caches shown here")
