"""The live part of the main screen: from what is typed to the answer on screen.

A question gets a number. Results follow the keys after a short pause, come from a thread,
and are dropped when a later question has been asked meanwhile.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.css.query import NoMatches

from .. import jobs
from ..library import InvalidBudget
from ..messages import (
    BudgetStepped,
    BudgetTyped,
    DocumentRead,
    PageLaid,
    QueryTyped,
    Refused,
    Resolved,
    RowsRead,
    Weighed,
    WhyFound,
)
from ..question import Question, read_budget, stepped
from ..widgets.asking import BudgetField
from ..widgets.budget_bar import BudgetBar
from ..widgets.panels import Problem, WhyPanel
from ..widgets.ranking import Ranking
from ..widgets.text_view import TextView
from .base import View

if TYPE_CHECKING:
    from textual.timer import Timer

    from ..answered import Answered

PAUSE = 0.04
"""Seconds without a key before a question is asked."""
ROWS = 64
"""Rows that are read with an answer."""


class Asking(View[None]):
    """Owns the question and its answer."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question
        self.answered: Answered | None = None
        self._sequence = 0
        self._pause: Timer | None = None

    def ask(self, question: Question, *, at_once: bool = False) -> None:
        """Ask another question, or the same of another cache."""
        self.question = question
        self._sequence += 1
        if self._pause is not None:
            self._pause.stop()
        if at_once:
            self._resolve()
        else:
            self._pause = self.set_timer(PAUSE, self._resolve)

    def no_answer(self) -> None:
        """There is nothing to show: nothing was asked, or there is no cache."""
        self.answered = None
        self.query_one(BudgetBar).answered = None
        self.query_one(BudgetBar).tokens = None
        self.query_one("#problem", Problem).say("")
        self.remove_class("-asked", "-nothing", "-refused")

    def _resolve(self) -> None:
        cache = self.inspector.desk.cache
        self.inspector.desk.question = self.question
        if cache is None or not self.question.is_asked:
            self.no_answer()
            return
        same = self.answered is not None and self.answered.question.query == self.question.query
        window = self.query_one(Ranking).window if same else range(0)
        ranks = range(window.start + 1, window.stop + 1) if window else range(1, ROWS + 1)
        job = partial(jobs.resolve, self.post_message, self._sequence, cache, self.question, ranks)
        self.run_worker(job, thread=True, exclusive=True, group="resolve")

    @on(Resolved)
    def _show(self, message: Resolved) -> None:
        """Hand the answer to the widgets that show it, unless a later question was asked."""
        answered = message.answered
        if answered.sequence != self._sequence:
            return
        same = self.answered is not None and self.answered.question.query == answered.question.query
        self.answered = answered
        self.query_one("#problem", Problem).say("")
        bar, ranking = self.query_one(BudgetBar), self.query_one(Ranking)
        bar.answered, bar.tokens = answered, None
        if not same:
            ranking.cursor = 0
        ranking.show(answered.matches, message.rows)
        self.set_class(True, "-asked")
        self.set_class(False, "-refused")
        self.set_class(not answered.matches, "-nothing")
        self.explain()
        if answered.matches:
            job = partial(jobs.weigh, self.post_message, answered)
            self.run_worker(job, thread=True, exclusive=True, group="weigh")

    @on(Refused)
    def _refuse(self, message: Refused) -> None:
        """Say why there is no answer; that of an earlier question would only mislead."""
        if message.sequence == self._sequence:
            self.no_answer()
            self.set_class(True, "-refused")
            self.query_one("#problem", Problem).say(message.problem)

    @on(Weighed)
    def _weigh(self, message: Weighed) -> None:
        if message.sequence == self._sequence:
            self.query_one(BudgetBar).tokens = message.tokens

    @on(Ranking.InView, "#ranking")
    def _read_rows(self) -> None:
        """Read the rows that came into view."""
        ranks = self.query_one(Ranking).missing
        if self.answered is not None and ranks:
            job = partial(jobs.read_rows, self.post_message, self.answered, ranks)
            self.run_worker(job, thread=True, exclusive=True, group="rows")

    @on(RowsRead)
    def _add_rows(self, message: RowsRead) -> None:
        if self.answered is not None and message.sequence == self.answered.sequence:
            self.query_one(Ranking).add(message.rows)

    @on(Ranking.Moved, "#ranking")
    def explain(self) -> None:
        """Find out why the highlighted document stands where it does."""
        try:
            rank, panel = self.query_one(Ranking).rank, self.query_one(WhyPanel)
        except NoMatches:
            return
        if self.answered is None or not rank:
            panel.nothing(self.answered)
            return
        job = partial(jobs.find_why, self.post_message, self.answered, rank)
        self.run_worker(job, thread=True, exclusive=True, group="why")

    @on(WhyFound)
    def _show_why(self, message: WhyFound) -> None:
        if self.answered is None or message.sequence != self.answered.sequence:
            return
        if message.document == self.query_one(Ranking).rank:
            self.query_one(WhyPanel).why = message.why
            self.query_one("#problem", Problem).say(message.problem)
            self._preview()

    def _preview(self) -> None:
        """Show the highlighted document with its matches, where there is room for it."""
        why, cache = self.query_one(WhyPanel).why, self.inspector.desk.cache
        if why is None or cache is None or not self.query_one(TextView).size:
            return
        job = partial(jobs.read_document, self.post_message, cache, why.id, self.question.query)
        self.run_worker(job, thread=True, exclusive=True, group="document")

    @on(DocumentRead)
    def _show_preview(self, message: DocumentRead) -> None:
        why, view = self.query_one(WhyPanel).why, self.query_one(TextView)
        if message.page is not None and why is not None and why.id == message.id:
            view.show(message.page)
            view.go(1)

    @on(TextView.LayoutWanted)
    def _lay(self, message: TextView.LayoutWanted) -> None:
        job = partial(jobs.lay_page, self.post_message, message.page, message.width)
        self.run_worker(job, thread=True, exclusive=True, group="layout")

    @on(PageLaid)
    def _show_layout(self, message: PageLaid) -> None:
        self.query_one(TextView).lay(message.layout)

    @on(QueryTyped)
    def _type_query(self, message: QueryTyped) -> None:
        if message.query != self.question.query:
            self.ask(self.question.with_query(message.query))

    @on(BudgetTyped)
    def _type_budget(self, message: BudgetTyped) -> None:
        field = self.query_one(BudgetField)
        try:
            budget = read_budget(message.text)
        except InvalidBudget as error:
            field.refuse(str(error))
            return
        field.refuse("")
        if budget != self.question.budget:
            self.ask(self.question.with_budget(budget))

    @on(BudgetStepped)
    def _step(self, message: BudgetStepped) -> None:
        self.set_budget(stepped(self.question.budget, message.steps))

    def set_budget(self, budget: int) -> None:
        """Ask with another budget, and show it."""
        self.query_one(BudgetField).show(budget)
        self.ask(self.question.with_budget(budget), at_once=True)
