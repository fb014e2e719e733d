"""The screen that compares the answers to two queries, budgets or caches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Horizontal
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input

from ...resolver.compare import Comparison, Difference, compare
from ..catalog import CacheInfo, OpenedCache, open_info
from ..commands import COMPARE
from ..views.documents import DIFFERENCE_COLUMNS, comparison_line, difference_cells
from ..views.spans import escaped
from ..widgets.lines import KeyBar, Lines, Problem, TitleBar
from ..widgets.question import BudgetRefused, QuestionChanged, QuestionFields
from ..widgets.table import Table
from ..workers import start_later
from .base import SessionScreen
from .document import DocumentScreen

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ...resolver.cache import Cache
    from ..session import Question, Session

QUERY_DELAY = 0.06
"""Seconds without a key before both sides are asked."""
BEFORE = " · the build before"
"""The suffix of the name of a replaced build."""


class Side(QuestionFields):
    """The question of one side, and the name of the cache that it asks."""

    cache: reactive[str] = reactive("")

    def watch_cache(self, name: str) -> None:
        """Show the cache in the title."""
        self.border_title = Content(f"{self.id} · {escaped(name)}")


class CompareScreen(SessionScreen[None]):
    """The question before on the left, the one after on the right, the differences of the answers below."""

    CSS_PATH = "compare.tcss"
    AUTO_FOCUS = "#after QueryInput"
    commands = COMPARE

    def __init__(
        self, session: Session, *, info: CacheInfo | None = None, from_previous: bool = False
    ) -> None:
        """Both sides start with the question of the session and the cache `info`, by default the open one.

        With `from_previous` the left side starts with the previous build of that cache.
        """
        super().__init__(session)
        self._info = info or session.info
        self._from_previous = from_previous
        self._caches: dict[str, Cache] = {}
        self._shown_sides: list[tuple[Cache, Question]] = []
        """The cache and the question of each side of the comparison on screen."""
        self.differences: list[Difference] = []

    def compose(self) -> ComposeResult:
        """The two sides and the table of differences."""
        yield TitleBar()
        with Horizontal(id="sides"):
            yield Side(self.session.question, id="before")
            yield Side(self.session.question, id="after")
        yield Problem()
        yield Lines(id="account")
        yield Table(DIFFERENCE_COLUMNS, title="documents", id="differences")
        yield KeyBar()

    def on_mount(self) -> None:
        """Open the caches of both sides, and compare."""
        self.query_one(TitleBar).show([(" Compare", "strong")], [("what changes from left to right ", "dim")])
        session, info = self.session, self._info
        self._caches |= {f"{name}{BEFORE}": cache for name, cache in session.previous.items()}
        if info is None:
            return
        before, after = self._sides
        after.cache = info.name
        before.cache = f"{info.name}{BEFORE}" if self._from_previous else info.name
        if session.cache is not None and info == session.info and not self._from_previous:
            self._caches[info.name] = session.cache
            self._compare()
        else:
            self._open(info)

    @property
    def _sides(self) -> list[Side]:
        return [self.query_one("#before", Side), self.query_one("#after", Side)]

    @on(QuestionChanged)
    def _compare_later(self) -> None:
        start_later(self, "delay", QUERY_DELAY, self._compare)

    def _compare(self) -> None:
        sides = [
            (self._caches[side.cache], side.question) for side in self._sides if side.cache in self._caches
        ]
        if len(sides) < 2:
            self._show_nothing()
            return

        def operation() -> Comparison:
            return compare(*(cache.explain(question.query, question.budget) for cache, question in sides))

        self.start("compare", operation, lambda comparison: self._show(comparison, sides), self._fail)

    def _show_nothing(self) -> None:
        """Remove the last comparison, since one side has no cache that opens."""
        self._shown_sides = []
        self.query_one("#account", Lines).show([])
        self._list([])

    def _fail(self, problem: str) -> None:
        self._show_nothing()
        self.say(problem)

    def _show(self, comparison: Comparison, sides: list[tuple[Cache, Question]]) -> None:
        self.say("")
        self._shown_sides = sides
        self.query_one("#account", Lines).show([comparison_line(comparison)])
        self._list(comparison.differences)

    def _list(self, differences: list[Difference]) -> None:
        self.differences = differences
        self.table.show(len(differences), lambda index: difference_cells(differences[index]))

    @on(BudgetRefused)
    def _show_refused(self, message: BudgetRefused) -> None:
        self.say(message.problem)

    def action_swap(self) -> None:
        """Swap the questions and caches of the two sides."""
        before, after = self._sides
        first, second = before.question, after.question
        before.cache, after.cache = after.cache, before.cache
        before.show(second)
        after.show(first)
        self._compare()

    def action_next_cache(self, index: int) -> None:
        """Ask the next cache that opens, on the side of an index."""
        side, catalog = self._sides[index], self.session.catalog
        names = [cache.name for cache in catalog.caches if cache.opens]
        names += [name for name in self._caches if name.endswith(BEFORE)]
        if side.cache in names:
            side.cache = names[(names.index(side.cache) + 1) % len(names)]
            info = catalog.find(side.cache)
            if side.cache in self._caches or info is None:
                self._compare()
            else:
                self._open(info)

    def _open(self, info: CacheInfo) -> None:
        self.start("open", lambda: open_info(info), self._take_cache, self._fail)

    def _take_cache(self, opened: OpenedCache) -> None:
        self._caches[opened.info.name] = opened.cache
        self.say("")
        self._compare()

    @on(Input.Submitted, "#query")
    @on(Table.Opened)
    def action_read(self) -> None:
        """Open the highlighted document of the cache on the right, or of the left one if only that has it."""
        index = self.table.index
        if index < 0 or not self._shown_sides:
            return
        difference = self.differences[index]
        cache, question = self._shown_sides[1 if difference.after is not None else 0]
        self.app.push_screen(DocumentScreen.alone(self.session, cache, difference.id, question.query))
