"""A cache and its sources: what changed since it was built, the rebuild, and what the rebuild did."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.worker import get_current_worker

from ..authoring import jobs
from ..authoring.lines import (
    built_items,
    built_line,
    freshness_items,
    freshness_line,
    progress_line,
)
from ..authoring.messages import BuildAdvanced, Judged, Rebuilt
from ..binding import bindings
from ..command_table import SOURCES
from ..pieces import shown
from ..widgets.bars import KeyBar, TitleBar
from ..widgets.item_list import ItemList
from ..widgets.panels import Lines, Problem
from .base import ListView
from .compare import CompareScreen

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..commands import Command
    from ..question import Question
    from ..shelf import Volume


class SourcesScreen(ListView[None]):
    """One cache of the project."""

    CSS_PATH = "sources.tcss"
    AUTO_FOCUS = "ItemList"
    commands: ClassVar[tuple[Command, ...]] = SOURCES
    BINDINGS = bindings(SOURCES)

    def __init__(self, volume: Volume, question: Question) -> None:
        """`question` is what both builds are asked when they are compared."""
        super().__init__()
        self._volume = volume
        self._question = question
        self._is_building = False
        self._is_stopped = False

    def compose(self) -> ComposeResult:
        """A state, a bar, a list."""
        yield TitleBar()
        yield Problem()
        yield Lines(id="state")
        yield Lines(id="progress")
        yield ItemList()
        yield KeyBar()

    def on_mount(self) -> None:
        """Look at the sources."""
        self.query_one(TitleBar).show(
            [(" Sources of ", "strong"), (shown(self._volume.name), "accent")],
            [("what changed, and the rebuild ", "dim")],
        )
        self.query_one("#state", Lines).show([[("looking at the sources …", "dim")]])
        self.start("judge", jobs.judge, self.inspector.desk.workshop, [self._volume.path])

    @on(Judged)
    def _show_judged(self, message: Judged) -> None:
        if self._is_building or not self.inspector.desk.take_judged(message):
            return
        self.query_one(Problem).say(message.problem)
        freshness = message.freshness
        if freshness is None:
            self.query_one("#state", Lines).show([])
            return
        self.query_one("#state", Lines).show([freshness_line(freshness)])
        self.query_one(ItemList).show(freshness_items(freshness), "what changed since it was built")

    def action_rebuild(self, *, force: bool = False) -> None:
        """Bring the cache up to date."""
        if self._is_building:
            return
        if other := self.inspector.desk.begin(self._volume.path, "build"):
            self.query_one(Problem).say(f"a {other} of {self._volume.name} is still running")
            return
        self._is_building, self._is_stopped = True, False
        self.query_one(Problem).say("")
        self.query_one("#state", Lines).show([[("building …", "strong"), ("  esc stops it", "dim")]])
        self._show_progress(0, 1)

        def stopped() -> bool:
            return self._is_stopped or get_current_worker().is_cancelled

        workshop = self.inspector.desk.workshop
        self.start("build", jobs.rebuild, workshop, self._volume.path, force, stopped)

    def action_force(self) -> None:
        """Build it from nothing."""
        self.action_rebuild(force=True)

    @on(BuildAdvanced)
    def _advance(self, message: BuildAdvanced) -> None:
        if self._is_building:
            self._show_progress(message.done, message.total)

    def _show_progress(self, done: int, total: int) -> None:
        lines = self.query_one("#progress", Lines)
        lines.show([progress_line(done, total, lines.content_size.width)])
        lines.display = True

    @on(Rebuilt)
    def _show_rebuilt(self, message: Rebuilt) -> None:
        """Tell what the build did; what it replaced stays open to be compared with."""
        self._is_building = False
        self.inspector.desk.end(message.path)
        self.query_one("#progress").display = False
        self.query_one(Problem).say(message.problem)
        self.query_one("#state", Lines).show([])
        built = message.built
        if built is None:
            return
        desk = self.inspector.desk
        if message.previous is not None and built.report is not None:
            desk.previous[self._volume.name] = message.previous
        desk.states[message.path] = message.freshness
        self.query_one("#state", Lines).show([built_line(built, message.changes)])
        about = "what the build changed and left out" if built.report else "nothing changed"
        self.query_one(ItemList).show(built_items(built, message.changes), about)

    def action_compare(self) -> None:
        """The question on screen, asked of the build before and of this one."""
        if self._volume.name in self.inspector.desk.previous:
            self.app.push_screen(CompareScreen(self._question, volume=self._volume, from_previous=True))
        else:
            self.notify("No build was replaced yet, so there is none to compare with", severity="warning")

    def action_back(self) -> None:
        """Stop the build, or go back."""
        if self._is_building:
            self._is_stopped = True
            self.query_one("#state", Lines).show([[("stopping …", "strong")]])
        else:
            self.dismiss(None)
