"""The project's query tests: run them, see what is missed, ask one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import VerticalScroll

from ..authoring import jobs
from ..authoring.lines import outcome_details, outcomes_pieces
from ..authoring.messages import Tested
from ..binding import bindings
from ..command_table import QUERY_TESTS
from ..library import QueryTest
from ..widgets.bars import KeyBar, TitleBar
from ..widgets.outcome_list import OutcomeList
from ..widgets.panels import Lines, Problem
from .base import ListView

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..commands import Command


class QueryTestsScreen(ListView[QueryTest | None]):
    """A list of tests, and what came of the highlighted one; its outcome is a test to be asked."""

    CSS_PATH = "query_tests.tcss"
    AUTO_FOCUS = "OutcomeList"
    commands: ClassVar[tuple[Command, ...]] = QUERY_TESTS
    BINDINGS = bindings(QUERY_TESTS)

    def compose(self) -> ComposeResult:
        """A list and the details of one."""
        yield TitleBar()
        yield Problem()
        yield OutcomeList()
        with VerticalScroll(id="details", can_focus=False):
            yield Lines()
        yield KeyBar()

    def on_mount(self) -> None:
        """Run them."""
        self.query_one("#details").border_title = "outcome"
        self.action_run()

    def action_run(self) -> None:
        """Run all of them as they are written now."""
        self.query_one(TitleBar).show([(" Query tests", "strong")], [("running … ", "dim")])
        self.start("tests", jobs.run_tests, self.inspector.desk.workshop)

    @on(Tested)
    def _show(self, message: Tested) -> None:
        problem = message.problem
        if message.outcomes is not None and not message.outcomes.outcomes:
            problem = f"{self._file} has no tests yet; `Save as a test` on the main screen writes one"
        self.query_one(Problem).say(problem)
        outcomes = message.outcomes.outcomes if message.outcomes is not None else []
        figures = outcomes_pieces(message.outcomes) if message.outcomes is not None else []
        self.query_one(TitleBar).show([(" Query tests", "strong")], figures)
        self.query_one(OutcomeList).show(outcomes)

    @property
    def _file(self) -> str:
        file = self.inspector.desk.workshop.file
        return file.name if file is not None else "ctx.toml"

    @on(OutcomeList.Moved)
    def _explain(self) -> None:
        outcome = self.query_one(OutcomeList).outcome
        lines = outcome_details(outcome, self._file) if outcome is not None else []
        self.query_one("#details Lines", Lines).show(lines)

    @on(OutcomeList.Opened)
    def action_take(self) -> None:
        """Ask what the highlighted test asks, on the main screen."""
        outcome = self.query_one(OutcomeList).outcome
        if outcome is not None:
            self.dismiss(outcome.test)
