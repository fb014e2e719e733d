"""The screen on which a question is typed, and its answer seen and understood."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Container, Horizontal, Vertical, VerticalScroll

from ..binding import bindings
from ..command_table import RESOLVE
from ..messages import BudgetEntered, ExamplePicked, RankPicked, ReadAsked
from ..widgets.asking import BudgetField, QueryInput
from ..widgets.bars import KeyBar, TitleBar
from ..widgets.budget_bar import BudgetBar
from ..widgets.panels import Lines, Problem
from ..widgets.ranking import Ranking
from ..widgets.row_list import RowList
from ..widgets.scope_list import ScopeList
from ..widgets.shelf_list import ShelfList
from ..widgets.text_view import TextView
from ..widgets.welcome import Welcome
from ..widgets.why_panel import WhyPanel
from .agent import AgentScreen
from .authoring import Authoring
from .compare import CompareScreen
from .documents import DocumentsScreen
from .history import HistoryBox

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..commands import Command
    from ..question import Question

LOOK = 1.0
"""Seconds between two looks at the directory of caches."""


class ResolveScreen(Authoring):
    """Caches on the left, the question above, the answer and its reasons below."""

    CSS_PATH = "resolve.tcss"
    AUTO_FOCUS = "#query"
    commands: ClassVar[tuple[Command, ...]] = RESOLVE
    BINDINGS = bindings(RESOLVE)

    def compose(self) -> ComposeResult:
        """The parts."""
        yield TitleBar()
        with Horizontal(id="body"):
            with Vertical(id="side"):
                yield ShelfList(id="shelf")
                yield ScopeList(id="scopes")
                with VerticalScroll(id="about", can_focus=False):
                    yield Lines()
            with Vertical(id="main"):
                with Horizontal(id="ask"):
                    yield QueryInput(self.question.query, id="query")
                    yield BudgetField(self.question.budget, id="budget")
                yield Problem(id="budget-problem")
                yield Problem(id="cache-problem")
                yield Problem(id="problem")
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
        self.query_one("#preview").border_title = "document"
        self.look()
        self.look_at_scopes()
        self.set_interval(LOOK, self.look)
        self.set_interval(LOOK, self.follow)

    @on(ExamplePicked)
    def _ask_example(self, message: ExamplePicked) -> None:
        self.take(self.question.with_query(message.query))

    @on(RankPicked)
    def _pick(self, message: RankPicked) -> None:
        self.query_one(Ranking).cursor = message.rank - 1

    @on(ReadAsked)
    @on(Ranking.Opened, "#ranking")
    def action_read(self) -> None:
        """Open what is highlighted where the focus is."""
        if isinstance(self.focused, ShelfList):
            self.open_highlighted()
        elif isinstance(self.focused, ScopeList):
            self.read_scope()
        elif not self.question.is_asked and self.titles:
            self.take(self.question.with_query(self.titles[0]))
        elif self.is_behind:
            self.reads_next = True
        elif self.answered is not None and self.query_one(Ranking).rank:
            self.inspector.desk.history.add(self.question)
            self.inspector.show_ranked(self.answered, self.query_one(Ranking).rank)

    def action_fit(self) -> None:
        """To the smallest budget at which the highlighted document gets in."""
        ranking = self.query_one(Ranking)
        row = ranking.row_at(ranking.rank)
        if row and row.fits_from:
            self.set_budget(row.fits_from)

    @on(BudgetEntered)
    def _take_budget(self) -> None:
        """Back to the query, unless what was typed is no budget."""
        if not self.query_one(BudgetField).is_wrong:
            self.action_ask()

    def action_ask(self) -> None:
        """To the query; the budget is shown as it is asked with, whatever was typed."""
        self.remove_class("-shelf")
        self.show_budget(self.question.budget)
        self.query_one(QueryInput).focus()

    def action_caches(self) -> None:
        """To the caches."""
        self.add_class("-shelf")
        self.query_one(ShelfList).focus()

    @property
    def rows(self) -> RowList:
        """The list that has the focus, else that of the answer."""
        focused = self.focused
        return focused if isinstance(focused, RowList) else self.query_one(Ranking)

    def action_documents(self) -> None:
        """All documents of the cache."""
        if self.inspector.desk.cache is not None:
            self.app.push_screen(DocumentsScreen(self.answered))

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
