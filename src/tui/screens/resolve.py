"""The screen on which a question is typed, and its answer seen and understood."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.widgets import Input

from .. import jobs
from ..binding import bindings
from ..commands import RESOLVE
from ..messages import CacheOpened, ExamplePicked, RankPicked, ReadAsked, ShelfRead, Verified
from ..pieces import count, shown
from ..question import Question, preset, stepped
from ..shelf import facts
from ..shelf_lines import about_lines
from ..welcome_lines import welcome_foot, welcome_head
from ..widgets.asking import BudgetField, QueryInput
from ..widgets.bars import KeyBar, TitleBar
from ..widgets.budget_bar import BudgetBar
from ..widgets.panels import Lines, Problem, WhyPanel
from ..widgets.ranking import Ranking
from ..widgets.shelf_list import ShelfList
from ..widgets.text_view import TextView
from ..widgets.welcome import Welcome
from .agent import AgentScreen
from .asking import Asking
from .compare import CompareScreen
from .documents import DocumentsScreen
from .history import HistoryBox

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ...builder.verification import Verification
    from ..commands import Command
    from ..shelf import Volume

ELSEWHERE = ("documents", "caches", "history")
"""Commands that the welcome points to."""
LOOK = 1.0
"""Seconds between two looks at the directory of caches."""


class ResolveScreen(Asking):
    """Caches on the left, the question above, the answer and its reasons below."""

    CSS_PATH = "resolve.tcss"
    AUTO_FOCUS = "#query"
    commands: ClassVar[tuple[Command, ...]] = RESOLVE
    BINDINGS = bindings(RESOLVE)

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self._titles: tuple[str, ...] = ()
        self._verified: dict[str, Verification | str] = {}

    def compose(self) -> ComposeResult:
        """The parts."""
        yield TitleBar()
        with Horizontal(id="body"):
            with Vertical(id="side"):
                yield ShelfList(id="shelf")
                with VerticalScroll(id="about", can_focus=False):
                    yield Lines()
            with Vertical(id="main"):
                with Horizontal(id="ask"):
                    yield QueryInput(self.question.query, id="query")
                    yield BudgetField(self.question.budget, id="budget")
                yield Problem()
                yield BudgetBar()
                yield Welcome()
                with Container(id="results"):
                    yield Ranking(id="ranking")
                    with Vertical(id="reasons"):
                        yield WhyPanel(id="why")
                        yield TextView(id="preview")
        yield KeyBar()

    def on_mount(self) -> None:
        """Look at the caches, now and again."""
        self.query_one("#about").border_title = "about"
        self.look()
        self.set_interval(LOOK, self.look)

    # The shelf

    def look(self) -> None:
        """Look at the directory of caches."""
        desk = self.inspector.desk
        job = partial(jobs.read_caches, self.post_message, desk.place, desk.shelf)
        self.run_worker(job, thread=True, exclusive=True, group="look")

    @on(ShelfRead)
    def _show_shelf(self, message: ShelfRead) -> None:
        """Show the caches; open the first, or once more the open one when it was replaced."""
        desk, before = self.inspector.desk, self.inspector.desk.shelf
        if message.shelf == before and desk.volume is not None:
            return
        desk.shelf = message.shelf
        volume = desk.volume and desk.shelf.named(desk.volume.name)
        if desk.volume is None:
            first = desk.shelf.first_sound()
            if first:
                self.open(first)
            else:
                self._nothing_to_open()
        elif volume is None:
            self.query_one(Problem).say(
                f"{desk.volume.name} is gone from the disk; its last state is still open"
            )
        elif volume.fault:
            self.query_one(Problem).say(f"{volume.fault} (its last state is still open)")
        elif volume.stamp != desk.volume.stamp:
            self.open(volume)
        self._draw_shelf()

    def _nothing_to_open(self) -> None:
        shelf = self.inspector.desk.shelf
        broken = next((volume for volume in shelf.volumes if volume.fault), None)
        self.query_one(Problem).say(shelf.fault or (broken.fault if broken else ""))
        self.add_class("-empty")

    def _draw_shelf(self) -> None:
        desk = self.inspector.desk
        self.query_one(ShelfList).show(desk.shelf.volumes, desk.volume.name if desk.volume else "")
        self._draw_about()

    @on(ShelfList.Moved, "#shelf")
    def _draw_about(self) -> None:
        """Say what is known of the highlighted cache."""
        desk, volume = self.inspector.desk, self.query_one(ShelfList).volume
        if volume is None:
            return
        known = facts(desk.cache) if desk.cache and desk.volume and volume.name == desk.volume.name else []
        self.query_one("#about Lines", Lines).show(
            about_lines(volume, known, self._verified.get(volume.name))
        )

    def open(self, volume: Volume) -> None:
        """Open a cache."""
        job = partial(jobs.open_volume, self.post_message, volume)
        self.run_worker(job, thread=True, exclusive=True, group="open")

    @on(CacheOpened)
    async def _show_cache(self, message: CacheOpened) -> None:
        """Ask the new cache what is on screen."""
        desk = self.inspector.desk
        if message.cache is None:
            self.query_one(Problem).say(message.problem)
            self.look()
            return
        again = desk.volume is not None and desk.volume.path == message.volume.path
        if again:
            self.notify(f"{shown(message.volume.name)} was rebuilt: this is its new state", markup=False)
        self.remove_class("-empty")
        self.query_one(Problem).say("")
        self._verified.pop(message.volume.name, None)
        desk.volume, desk.cache, self._titles = message.volume, message.cache, message.titles
        self._draw_title(message.volume)
        self._draw_shelf()
        head, foot = (
            welcome_head(message.volume, len(self._titles)),
            welcome_foot(len(self._titles), [command for command in RESOLVE if command.action in ELSEWHERE]),
        )
        await self.query_one(Welcome).show(head, self._titles, foot)
        self.ask(self.question, at_once=True)

    @property
    def _root_name(self) -> str:
        """The directory that the open cache lies in."""
        volume = self.inspector.desk.volume
        return Path(volume.path).absolute().parent.name if volume else ""

    def _draw_title(self, volume: Volume) -> None:
        tokens = f" · {count(volume.tokens, 'token')}" if volume.tokens is not None else ""
        self.query_one(TitleBar).show(
            [(" ctx  ", "strong"), (f"{shown(self._root_name)} › ", "dim"), (shown(volume.name), "accent")],
            [(f"{count(volume.documents, 'document')}{tokens} ", "dim")],
        )

    @on(ShelfList.Opened, "#shelf")
    def _open_highlighted(self) -> None:
        volume = self.query_one(ShelfList).volume
        if volume is None:
            return
        if volume.fault:
            self.query_one(Problem).say(volume.fault)
            return
        self.remove_class("-shelf")
        self.query_one(QueryInput).focus()
        if self.inspector.desk.volume is None or volume.name != self.inspector.desk.volume.name:
            self.inspector.desk.volume = None
            self.open(volume)

    # What was asked

    def no_answer(self) -> None:
        """Say how to begin."""
        super().no_answer()
        self.set_class(False, "-asked")
        self.set_class(False, "-nothing")

    @on(ExamplePicked)
    def _ask_example(self, message: ExamplePicked) -> None:
        self.take(self.question.with_query(message.query))

    def take(self, question: Question) -> None:
        """Ask a question that was not typed."""
        query = self.query_one(QueryInput)
        with query.prevent(Input.Changed):
            query.value = question.query
        query.cursor_position = len(question.query)
        self.query_one(BudgetField).show(question.budget)
        self.ask(question, at_once=True)

    @on(RankPicked)
    def _pick(self, message: RankPicked) -> None:
        self.query_one(Ranking).cursor = message.rank - 1

    @on(ReadAsked)
    @on(Ranking.Opened, "#ranking")
    def action_read(self) -> None:
        """Open what is highlighted where the focus is."""
        if isinstance(self.focused, ShelfList):
            self._open_highlighted()
        elif not self.question.is_asked and self._titles:
            self.take(self.question.with_query(self._titles[0]))
        elif self.answered is not None and self.query_one(Ranking).rank:
            self.inspector.desk.history.add(self.question)
            self.inspector.show_ranked(self.answered, self.query_one(Ranking).rank)

    # Commands

    def action_budget_up(self) -> None:
        """A little more."""
        self.set_budget(stepped(self.question.budget, 1))

    def action_budget_down(self) -> None:
        """A little less."""
        self.set_budget(stepped(self.question.budget, -1))

    def action_preset_up(self) -> None:
        """To the next usual budget."""
        self.set_budget(preset(self.question.budget, 1))

    def action_preset_down(self) -> None:
        """To the previous usual budget."""
        self.set_budget(preset(self.question.budget, -1))

    def action_fit(self) -> None:
        """To the smallest budget at which the highlighted document gets in."""
        ranking = self.query_one(Ranking)
        row = ranking.row_at(ranking.rank)
        if row and row.fits_from:
            self.set_budget(row.fits_from)

    def action_edit_budget(self) -> None:
        """To the budget."""
        self.query_one("#budget-text", Input).focus()

    def action_ask(self) -> None:
        """To the query."""
        self.remove_class("-shelf")
        self.query_one(QueryInput).focus()

    def action_caches(self) -> None:
        """To the caches."""
        self.add_class("-shelf")
        self.query_one(ShelfList).focus()

    def action_move(self, steps: int) -> None:
        """Move in the list that has the focus, or in the answer."""
        (self.query_one(ShelfList) if isinstance(self.focused, ShelfList) else self.query_one(Ranking)).move(
            steps
        )

    def action_page(self, pages: int) -> None:
        """Move by pages, or scroll the reasons when they have the focus."""
        self.query_one(Ranking).page(pages)

    def action_documents(self) -> None:
        """All documents of the cache."""
        if self.inspector.desk.cache is not None:
            self.app.push_screen(DocumentsScreen())

    def action_agent(self) -> None:
        """The exact call and answer."""
        desk = self.inspector.desk
        if desk.volume is not None and desk.cache is not None:
            self.app.push_screen(AgentScreen(desk.volume.name, self.question))

    def action_compare(self) -> None:
        """Two questions side by side."""
        if self.inspector.desk.cache is not None:
            self.app.push_screen(CompareScreen(self.question))

    def action_history(self) -> None:
        """Earlier queries."""
        self.inspector.desk.history.add(self.question)
        self.app.push_screen(HistoryBox(self.inspector.desk.history.questions), self._take_earlier)

    def _take_earlier(self, question: Question | None) -> None:
        if question is not None:
            self.take(question)

    def action_arithmetic(self) -> None:
        """Show or hide the whole score."""
        panel = self.query_one(WhyPanel)
        panel.arithmetic = not panel.arithmetic

    def action_verify(self) -> None:
        """Check the highlighted cache, or the open one."""
        shelf, desk = self.query_one(ShelfList), self.inspector.desk
        volume = shelf.volume if isinstance(self.focused, ShelfList) else desk.volume or shelf.volume
        if volume is None:
            return
        self._verified[volume.name] = "checking every byte …"
        self._draw_about()
        job = partial(jobs.check_volume, self.post_message, volume)
        self.run_worker(job, thread=True, exclusive=True, group="verify")

    @on(Verified)
    def _show_verified(self, message: Verified) -> None:
        self._verified[message.name] = message.verification or message.problem
        self._draw_about()
        self.inspector.tell_verified(message)
