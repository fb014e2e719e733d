"""The live part of the main screen: from what is typed to the answer on screen.

A question gets a number. Results follow the keys after a short pause, come from a thread,
and are dropped when a later question has been asked meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from .. import jobs
from ..messages import (
    DocumentRead,
    ReadAsked,
    Refused,
    Resolved,
    RowsRead,
    Weighed,
    WhyFound,
)
from ..widgets.budget_bar import BudgetBar
from ..widgets.panels import Problem
from ..widgets.ranking import Ranking
from ..widgets.text_view import TextView
from ..widgets.welcome import Welcome
from ..widgets.why_panel import WhyPanel
from .base import ListView

if TYPE_CHECKING:
    from textual.timer import Timer

    from ..answered import Answered
    from ..question import Question

PAUSE = 0.04
"""Seconds without a key before a question is asked."""
REST = 0.15
"""Seconds without a key before what takes longer is shown too."""
ROWS = 64
"""Rows that are read with an answer."""


class Asking(ListView[None]):
    """Owns the question and its answer."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question
        self.answered: Answered | None = None
        self._sequence = 0
        self.reads_next = False
        """Whether the first document of the next answer is to be opened, as asked before it was there."""
        self._pause: Timer | None = None
        self._rest: Timer | None = None

    def ask(self, question: Question, *, at_once: bool = False) -> None:
        """Ask another question, or the same of another cache."""
        self.question = question
        self.reads_next = False
        self._sequence += 1
        self._stop_waiting()
        if at_once:
            self._resolve()
        else:
            self._pause = self.set_timer(PAUSE, self._resolve)

    @property
    def is_waiting(self) -> bool:
        """Whether something is still to be started once the keys rest."""
        return self._pause is not None or self._rest is not None

    def _stop_waiting(self) -> None:
        for timer in (self._pause, self._rest):
            if timer is not None:
                timer.stop()
        self._pause = self._rest = None

    def no_answer(self) -> None:
        """There is nothing to show: nothing was asked, or there is no cache."""
        self.answered = None
        self.query_one(BudgetBar).answered = None
        self.query_one(BudgetBar).tokens = None
        self.query_one("#problem", Problem).say("")
        self.show_face("welcome" if self.inspector.desk.cache is not None else "none")

    def show_face(self, face: str) -> None:
        """Show the `answer`, the `welcome`, or `none` of them.

        Said to each part: a class of the screen would have every widget look up its style anew.
        """
        self.query_one(Welcome).display = face == "welcome"
        self.query_one(BudgetBar).display = face == "answer"
        self.query_one("#results").display = face == "answer"

    def _resolve(self) -> None:
        self._pause = None
        cache = self.inspector.desk.cache
        self.inspector.desk.question = self.question
        if cache is None or not self.question.is_asked:
            self.no_answer()
            return
        ranking, ranks, highlighted = self.query_one(Ranking), range(1, ROWS + 1), 1
        if self._is_same(self.question):
            ranks = range(ranking.window.start + 1, ranking.window.stop + 1)
            highlighted = max(1, ranking.rank)
        self.start("resolve", jobs.resolve, self._sequence, cache, self.question, ranks, highlighted)

    def _is_same(self, question: Question) -> bool:
        """Whether the answer on screen is to the same query, of another budget perhaps."""
        return self.answered is not None and self.answered.question.query == question.query

    @on(Resolved)
    def _show(self, message: Resolved) -> None:
        """Hand the answer to the widgets that show it, unless a later question was asked."""
        answered = message.answered
        if answered.sequence != self._sequence:
            return
        bar, ranking, panel = self.query_one(BudgetBar), self.query_one(Ranking), self.query_one(WhyPanel)
        rank = ranking.rank if self._is_same(answered.question) else 1
        self.answered = answered
        bar.answered, bar.tokens = answered, None
        ranking.cursor = rank - 1
        ranking.show(answered.matches, message.rows)
        if message.why is None:
            panel.nothing(answered)
        else:
            panel.why = message.why
        self.query_one("#problem", Problem).say("")
        self.show_face("answer")
        self._wait_for_rest()
        if self.reads_next:
            self.reads_next = False
            self.post_message(ReadAsked())

    @property
    def is_behind(self) -> bool:
        """Whether the answer to the question on screen is yet to come."""
        return self.question.is_asked and (self.answered is None or self.answered.sequence != self._sequence)

    @on(TextView.Shown)
    def _wait_for_rest(self) -> None:
        """Once the keys rest, show what takes longer than a key may."""
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(REST, self._show_rest)

    def _show_rest(self) -> None:
        """Count what the answer costs on the wire, and show the document where there is room for it."""
        self._rest = None
        answered, why = self.answered, self.query_one(WhyPanel).why
        if answered is None or why is None:
            return
        if self.query_one(BudgetBar).tokens is None:
            self.start("weigh", jobs.weigh, answered)
        if self.query_one(TextView).size:
            self.start("document", jobs.read_document, answered.cache, why.id, answered.question.query)

    @on(Refused)
    def _refuse(self, message: Refused) -> None:
        """Say why there is no answer; that of an earlier question would only mislead."""
        if message.sequence == self._sequence:
            self.no_answer()
            self.show_face("none")
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
            self.start("rows", jobs.read_rows, self.answered, ranks)

    @on(RowsRead)
    def _add_rows(self, message: RowsRead) -> None:
        if self.answered is not None and message.sequence == self.answered.sequence:
            self.query_one(Ranking).add(message.rows)

    @on(Ranking.Moved, "#ranking")
    def _explain(self) -> None:
        """Find out why the highlighted document stands where it does."""
        rank, panel = self.query_one(Ranking).rank, self.query_one(WhyPanel)
        if self.answered is not None and rank and (panel.why is None or panel.why.rank != rank):
            self.start("why", jobs.find_why, self.answered, rank)

    @on(WhyFound)
    def _show_why(self, message: WhyFound) -> None:
        if self.answered is None or message.sequence != self.answered.sequence:
            return
        if message.document == self.query_one(Ranking).rank:
            self.query_one(WhyPanel).why = message.why
            self.query_one("#problem", Problem).say(message.problem)
            self._wait_for_rest()

    @on(DocumentRead)
    def _show_preview(self, message: DocumentRead) -> None:
        why, view = self.query_one(WhyPanel).why, self.query_one(TextView)
        if message.page is not None and why is not None and why.id == message.id:
            view.show(message.page)
            view.go(1)
