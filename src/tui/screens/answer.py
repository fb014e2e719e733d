"""The panel of the main screen that asks a question and shows its answer: ranking, explanation, document.

A question is asked after a short delay, in a thread. Its result is dropped if another question has been asked
meanwhile.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from textual import on
from textual.containers import Container, Horizontal, Vertical

from ...resolver.budget import budget_curve
from ..result import Result, answer
from ..views.budget import grid
from ..views.documents import RANKING_COLUMNS, RankedRow, ranking_titles, row_cells
from ..views.spans import Row, escaped
from ..views.why import Why, nothing_lines, why_lines, why_title
from ..widgets.document import TextView
from ..widgets.lines import BudgetBar, CurvePanel, LinesPanel, Problem, RankPicked
from ..widgets.table import Table
from ..workers import start, start_later
from .document import read_page
from .first import Welcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult

    from ...cache.documents import Document
    from ..session import Question, Session
    from ..views.pages import Page
    from ..widgets.question import QuestionFields

QUERY_DELAY = 0.04
"""Seconds without a key before a question is asked."""
DETAILS_DELAY = 0.15
"""Seconds without a key before the parts that take longer are made: curve, document, size of the answer."""
ROWS = 64
"""The number of rows that are read with an answer."""
READ_TO_END = 1000
"""The number of matches up to which the last rows are read in advance, for the End key."""
HISTORY_DELAY = 2.0
"""Seconds without a key before a question is added to the history."""
CURVE = 48
"""The number of budgets of a curve."""

T = TypeVar("T")


class AnswerPanel(Container):
    """The answer to the question of a session; without a question, a welcome text."""

    def __init__(self, session: Session, fields: QuestionFields) -> None:
        """`fields` hold the question; the words of the query that are scored are coloured there."""
        super().__init__(id="answer")
        self.session = session
        self._fields = fields
        self.result: Result | None = None
        self.why: Why | None = None
        self.arithmetic = False
        self._callbacks: list[Callable[[], None]] = []
        """Functions that wait for the answer to the question on screen."""
        self.rows: dict[int, RankedRow] = {}
        """The rows that were read, by rank."""
        self._ranks: Sequence[int] = ()
        """The ranks that the list shows: all, or those that pass the filter."""
        self._filter = ""
        self._pinned_id = ""
        """The document to explain, which need not match; empty for the highlighted one."""
        self._is_pending = False
        """Whether the answer to the question on screen has not arrived yet."""

    def compose(self) -> ComposeResult:
        """The welcome text, and the widgets of an answer."""
        yield Problem(id="problem")
        yield Welcome()
        yield BudgetBar(has_colours=self.session.has_colours)
        with Container(id="results"):
            with Vertical(id="list"):
                yield Table(RANKING_COLUMNS, id="ranking")
                with Horizontal(id="reasons"):
                    yield LinesPanel(title="why", id="why")
                    yield CurvePanel(id="curve")
            preview = TextView(id="preview")
            preview.border_title = "document"
            yield preview

    @property
    def ranking(self) -> Table:
        """The table of matching documents."""
        return self.query_one("#ranking", Table)

    @property
    def rank(self) -> int:
        """The rank of the highlighted document; 0 when there is none."""
        index = self.ranking.index
        return self._ranks[index] if 0 <= index < len(self._ranks) else 0

    @property
    def row(self) -> RankedRow | None:
        """The highlighted row, if it was read."""
        return self.rows.get(self.rank)

    @property
    def document_id(self) -> str:
        """The id of the explained document; empty when there is none."""
        return self.why.entry.id if self.why is not None else ""

    def when_ready(self, do: Callable[[], None]) -> None:
        """Call a function now, or once the answer to the question on screen has arrived."""
        if self._is_pending:
            self._callbacks.append(do)
        else:
            do()

    # Asking.

    def ask(self, question: Question, *, at_once: bool = False) -> None:
        """Ask the open cache a question, after `QUERY_DELAY` unless `at_once`."""
        self.session.question = question
        self._callbacks.clear()
        self._is_pending = question.is_asked
        for group in ("delay", "resolve", "details", "history"):
            self.workers.cancel_group(self, group)
        if at_once:
            self._resolve()
        else:
            start_later(self, "delay", QUERY_DELAY, self._resolve)

    def clear(self) -> None:
        """Remove the answer; without a question, show the welcome text."""
        self.result = self.why = None
        self._is_pending = False
        self._display(results=False)
        self.query_one(CurvePanel).show_curve([], 0)
        self.say("")

    def _display(self, *, results: bool) -> None:
        self.query_one(BudgetBar).display = self.query_one("#results").display = results
        is_asked = self.session.cache is None or self.session.question.is_asked
        self.query_one(Welcome).display = not (results or is_asked)

    def say(self, problem: str) -> None:
        """Show a message about the question; an empty one hides it."""
        self.query_one("#problem", Problem).say(problem)

    def _resolve(self) -> None:
        cache, question = self.session.cache, self.session.question
        if cache is None or not question.is_asked:
            return
        same = self.is_same(question)
        wanted = self._ranks_in(self.ranking.window) if same else range(1, ROWS + 1)
        document = (self._pinned_id or max(1, self.rank)) if same else 1
        words = self._filter if same else ""

        def operation() -> tuple[Result, list[RankedRow], Why | None, Sequence[int] | None]:
            result = answer(cache, question)
            ranks = result.ranks_with(words) if words else None
            explained = min(document, result.matches) if isinstance(document, int) else document
            why = result.why(explained) if explained else None
            return result, result.rows(wanted), why, ranks

        start(self, "resolve", operation, lambda outcome: self._show(*outcome), self._refuse)

    def _ranks_in(self, window: range) -> list[int]:
        return [self._ranks[index] for index in window if 0 <= index < len(self._ranks)]

    def is_same(self, question: Question) -> bool:
        """Whether the answer on screen is to the same query, perhaps with another budget."""
        return self.result is not None and self.result.question.query == question.query

    def _start(
        self,
        group: str,
        operation: Callable[[Result], T],
        then: Callable[[T], object],
        failed: Callable[[str], object] | None = None,
    ) -> None:
        """Run an operation on the answer in a thread; drop its result if another answer is shown by then."""
        result = self.result
        if result is not None:
            start(
                self,
                group,
                lambda: operation(result),
                lambda outcome: then(outcome) if result is self.result else None,
                failed or self.say,
            )

    def _show(
        self, result: Result, rows: list[RankedRow], why: Why | None, ranks: Sequence[int] | None
    ) -> None:
        """Hand an answer to the widgets that show it; `ranks` pass the filter, None for all."""
        same = self.is_same(result.question)
        rank = self.rank if same else 1
        if not same:
            self._filter = self._pinned_id = ""
        self._is_pending = False
        bar = self.query_one(BudgetBar)
        bar.result, bar.tokens, self.result = result, None, result
        self.rows = {row.rank: row for row in rows}
        self._show_ranks(ranks, rank)
        self.say("")
        self._display(results=True)
        self._show_words(result)
        self.show_why(why)
        self.show_details_later()
        start_later(self, "history", HISTORY_DELAY, self._add_to_history)
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def _add_to_history(self) -> None:
        if self.result is not None:
            self.session.history.add(self.result.question)

    def _show_ranks(self, ranks: Sequence[int] | None, rank: int = 1) -> None:
        """Show some ranks of the answer, all if None, with the cursor on one of them."""
        result = self.result
        if result is None:
            return
        self._ranks = range(1, result.matches + 1) if ranks is None else ranks
        cursor = self._ranks.index(rank) if rank in self._ranks else 0
        last = result.chosen[-1].rank if result.chosen else 0
        self.ranking.show(
            len(self._ranks),
            self._cells,
            titles=ranking_titles(self._filter),
            boundary=last if ranks is None else 0,
            cursor=cursor,
        )

    def _cells(self, index: int) -> Row | None:
        row = self.rows.get(self._ranks[index]) if index < len(self._ranks) else None
        return row_cells(row, self.result.words) if row is not None and self.result is not None else None

    def _show_words(self, result: Result) -> None:
        ignored = " ".join(word.text for word in result.explained.words if word.status == "ignored")
        subtitle = escaped(f"ignored: {ignored}", limit=60) if ignored else ""
        self._fields.query_input.show_words(result.words, subtitle)

    def _refuse(self, problem: str) -> None:
        """Show why there is no answer, and remove that of the previous question."""
        self.clear()
        self.say(problem)

    # Reading more.

    @on(Table.InView, "#ranking")
    def _read_rows_in_view(self) -> None:
        self._read_rows("rows", self.ranking.window)

    def _read_rows(self, group: str, window: range) -> None:
        missing = [rank for rank in self._ranks_in(window) if rank not in self.rows]
        if missing:
            self._start(group, lambda result: result.rows(missing), self._add_rows)

    def _add_rows(self, rows: list[RankedRow]) -> None:
        self.rows.update((row.rank, row) for row in rows)
        self.ranking.renew()

    @on(Table.Moved, "#ranking")
    def explain(self) -> None:
        """Explain the highlighted document."""
        rank = self.rank
        self._pinned_id = ""
        if rank and (self.why is None or self.why.entry.rank != rank):
            self._add_to_history()
            self._explain(rank)

    def explain_pinned(self, id_: str) -> None:
        """Explain a document, matching or not, until the cursor is moved."""
        self._pinned_id = id_
        self._explain(id_)

    def _explain(self, document: int | str) -> None:
        self._start("why", lambda result: result.why(document), self._show_explained)

    def _show_explained(self, why: Why) -> None:
        self.say("")
        entry = why.entry
        if self._pinned_id == entry.id and entry.rank in self._ranks:
            with self.prevent(Table.Moved):
                self.ranking.cursor = self._ranks.index(entry.rank)
        self.show_why(why)
        self.show_details_later()

    def show_why(self, why: Why | None) -> None:
        """Show the explanation of a document; with None, that no document matches."""
        panel, result = self.query_one("#why", LinesPanel), self.result
        from_top = self.why is None or why is None or why.entry.id != self.why.entry.id
        self.why = why
        if why is None:
            panel.border_title = "why"
            panel.show(lambda width, height: nothing_lines(result.explained) if result else [])
            return
        panel.border_title = why_title(why)
        words = result.words if result is not None else {}
        tree = self.arithmetic
        panel.show(lambda width, height: why_lines(why, width, words, tree=tree), from_top=from_top)

    @on(RankPicked)
    def _pick(self, message: RankPicked) -> None:
        self.filter("")
        self.ranking.cursor = message.rank - 1

    def toggle_arithmetic(self) -> None:
        """Show or hide the arithmetic of the score."""
        self.arithmetic = not self.arithmetic
        if self.why is not None:
            self.show_why(self.why)

    def filter(self, words: str) -> None:
        """Show only the documents whose id or title contains each of some words; all for no words."""
        self._filter = words.strip()
        if self._filter:
            self._start("filter", lambda result: result.ranks_with(words), self._show_ranks)
        else:
            self._show_ranks(None, self.rank or 1)

    # The parts that take longer.

    @on(TextView.Shown)
    def show_details_later(self) -> None:
        """Show the parts that take longer, after `DETAILS_DELAY`."""
        start_later(self, "details", DETAILS_DELAY, self._show_details)

    def _show_details(self) -> None:
        """Count the answer's tokens, draw the curve, read the last rows, show the document if it has room."""
        result, why, bar = self.result, self.why, self.query_one(BudgetBar)
        if result is None:
            return
        if bar.tokens is None:
            budget, curve = result.question.budget, self.query_one(CurvePanel)
            budgets = grid(budget, result.matches, CURVE)
            self._start("tokens", Result.wire_tokens, partial(setattr, bar, "tokens"), self._refuse)
            self._start(
                "curve",
                lambda result: budget_curve(result.explained, budgets),
                lambda points: curve.show_curve(points, budget),
            )
        if len(self._ranks) <= READ_TO_END:
            self._read_rows("end", range(len(self._ranks) - ROWS, len(self._ranks)))
        if why is not None and self.query_one(TextView).size:
            query, id_ = result.question.query, why.entry.id
            self._start(
                "document",
                lambda result: read_page(result.cache, id_, query),
                lambda document_and_page: self._show_page(*document_and_page),
            )

    def _show_page(self, document: Document, page: Page) -> None:
        if document.id == self.document_id:
            view = self.query_one(TextView)
            view.show(page)
            view.go(1)
