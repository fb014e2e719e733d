"""Two queries, budgets or caches side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal

from .. import jobs
from ..binding import bindings
from ..command_table import COMPARE
from ..compare_lines import account
from ..messages import BudgetRefused, CacheOpened, Compared, ReadAsked, SideChanged
from ..widgets.bars import KeyBar, TitleBar
from ..widgets.difference_list import DifferenceList
from ..widgets.panels import Lines, Problem
from ..widgets.side import Side
from .base import View

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.timer import Timer

    from ..commands import Command
    from ..library import Cache
    from ..question import Question
    from ..shelf import Volume

PAUSE = 0.06
"""Seconds without a key before both sides are asked."""
BEFORE = " · the build before"
"""What follows the name of a cache that was replaced."""


class CompareScreen(View[None]):
    """Before on the left, after on the right, what changed below."""

    CSS_PATH = "compare.tcss"
    AUTO_FOCUS = "#after QueryInput"
    commands: ClassVar[tuple[Command, ...]] = COMPARE
    BINDINGS = bindings(COMPARE)

    def __init__(
        self, question: Question, *, volume: Volume | None = None, from_previous: bool = False
    ) -> None:
        """Both sides begin with the question on screen and with the cache `volume`, the open one if None.

        `from_previous` begins with the build before it on the left.
        """
        super().__init__()
        self._question = question
        self._volume = volume
        self._from_previous = from_previous
        self._caches: dict[str, Cache] = {}
        self._sequence = 0
        self._asked: list[tuple[Cache, Question]] = []
        """The two sides of the comparison on screen."""
        self._pending: list[tuple[Cache, Question]] = []
        """Those of the one that is being made."""
        self._pause: Timer | None = None

    def compose(self) -> ComposeResult:
        """Two sides and a list."""
        yield TitleBar()
        with Horizontal(id="sides"):
            yield Side(self._question, id="before")
            yield Side(self._question, id="after")
        yield Problem()
        yield Lines(id="account")
        yield DifferenceList()
        yield KeyBar()

    def on_mount(self) -> None:
        """Begin with the open cache on both sides."""
        self.query_one(TitleBar).show([(" Compare", "strong")], [("what changes from left to right ", "dim")])
        desk = self.inspector.desk
        self._caches |= {f"{name}{BEFORE}": cache for name, cache in desk.previous.items()}
        volume = self._volume or desk.volume
        if volume is None:
            return
        before, after = self._sides
        after.cache = volume.name
        before.cache = f"{volume.name}{BEFORE}" if self._from_previous else volume.name
        if desk.cache is not None and volume == desk.volume and not self._from_previous:
            self._caches[volume.name] = desk.cache
            self._compare()
        else:
            self.start("open", jobs.open_volume, volume)

    @property
    def _sides(self) -> list[Side]:
        return [self.query_one("#before", Side), self.query_one("#after", Side)]

    @on(SideChanged)
    def _wait(self) -> None:
        """Compare after a short pause."""
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE, self._compare)

    def _compare(self) -> None:
        self._sequence += 1
        asked = [
            (self._caches[side.cache], side.question) for side in self._sides if side.cache in self._caches
        ]
        if len(asked) == 2:
            self._pending = asked
            self.start("compare", jobs.compare_two, self._sequence, asked[0], asked[1])
        else:
            self._show_nothing()

    def _show_nothing(self) -> None:
        """One side has no cache that opens: what was compared before would only mislead."""
        self._asked = []
        self.query_one("#account", Lines).show([])
        self.query_one(DifferenceList).show([])

    @on(Compared)
    def _show(self, message: Compared) -> None:
        if message.sequence != self._sequence:
            return
        self.query_one(Problem).say(message.problem)
        self._asked = self._pending
        if message.comparison is not None:
            self.query_one("#account", Lines).show([account(message.comparison)])
            self.query_one(DifferenceList).show(message.comparison.differences)

    @on(BudgetRefused)
    def _tell_refused(self, message: BudgetRefused) -> None:
        self.query_one(Problem).say(message.problem)

    def action_swap(self) -> None:
        """Change the sides."""
        before, after = self._sides
        first, second = before.question, after.question
        before.cache, after.cache = after.cache, before.cache
        before.take(second)
        after.take(first)
        self._compare()

    def action_next_cache(self, place: int) -> None:
        """Take the next cache that opens on one side."""
        side, shelf = self._sides[place], self.inspector.desk.shelf
        names = [volume.name for volume in shelf.volumes if volume.sound]
        names += [name for name in self._caches if name.endswith(BEFORE)]
        if side.cache in names:
            side.cache = names[(names.index(side.cache) + 1) % len(names)]
            volume = shelf.named(side.cache)
            if side.cache in self._caches or volume is None:
                self._compare()
            else:
                self.start("open", jobs.open_volume, volume)

    @on(CacheOpened)
    def _take_cache(self, message: CacheOpened) -> None:
        self.query_one(Problem).say(message.problem)
        if message.cache is not None:
            self._caches[message.volume.name] = message.cache
        self._compare()

    def action_move(self, steps: int) -> None:
        """Move by documents."""
        self.query_one(DifferenceList).move(steps)

    @on(ReadAsked)
    @on(DifferenceList.Opened)
    def action_read(self) -> None:
        """Open the highlighted document, in the cache on the right where it is there, else on the left."""
        difference = self.query_one(DifferenceList).difference
        if difference is None or not self._asked:
            return
        cache, question = self._asked[1 if difference.after is not None else 0]
        self.inspector.show_one(cache, difference.id, question.query)
