"""The main screen: the question, its answer with the explanation, and the panels of caches and scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from ...resolver.budget import next_budget, previous_budget
from ..commands import CACHES_COMMAND, RESOLVE
from ..session import Question, Session
from ..views.project import size_spans, title_spans
from ..widgets.lines import KeyBar, Problem, TitleBar
from ..widgets.question import BudgetRefused, QueryInput, QuestionChanged, QuestionFields
from ..widgets.table import Table
from .answer import AnswerPanel
from .authoring import QueryTestsScreen, SourcesScreen, save_as_test
from .base import SessionScreen
from .compare import CompareScreen
from .dialogs import LineDialog, Named, history_dialog, name_dialog
from .document import DocumentScreen
from .documents import DocumentsScreen
from .first import ExamplePicked, Welcome
from .panels import CachePanel, ProjectPanel
from .texts import AgentScreen

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult

    from ...resolver.explain import Explanation
    from ...resolver.query_tests import QueryTest
    from ..catalog import CacheInfo
    from ..result import Result

POLL_INTERVAL = 1.0
"""Seconds between two reads of the directory of caches."""


class MainScreen(SessionScreen[None]):
    """Passes messages between the question fields, the answer panel and the side panels."""

    CSS_PATH = "main.tcss"
    AUTO_FOCUS = "#query"
    commands = RESOLVE

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.fields = QuestionFields(session.question, id="ask")
        self.answer = AnswerPanel(session, self.fields)
        self.caches = CachePanel(session)
        self.project = ProjectPanel(session)
        self.titles: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """The side panels on the left; the question above the answer on the right."""
        yield TitleBar()
        with Horizontal(id="body"):
            with Vertical(id="side"):
                yield self.caches
                yield self.project
            with Vertical(id="main"):
                yield self.fields
                yield Problem(id="budget-problem")
                yield Problem(id="cache-problem")
                yield self.answer
        yield KeyBar()

    def on_mount(self) -> None:
        """Read the caches and scopes, and start the timers that do so again."""
        self.answer.clear()
        self.caches.reload()
        self.project.reload_scopes()
        self.set_interval(POLL_INTERVAL, self.caches.reload)
        self.set_interval(POLL_INTERVAL, self.project.check_due)

    @property
    def question(self) -> Question:
        """The question of the session."""
        return self.session.question

    @property
    def result(self) -> Result | None:
        """The answer on screen."""
        return self.answer.result

    # The question.

    def ask(self, question: Question, *, at_once: bool = False) -> None:
        """Ask a question; without a cache or a query, remove the answer."""
        self.answer.ask(question, at_once=at_once)
        if self.session.cache is None or not question.is_asked:
            self.answer.clear()
            self.fields.query_input.show_words({})

    def set_question(self, question: Question) -> None:
        """Show a question in the fields, and ask it."""
        self.fields.show(question)
        self.ask(question, at_once=True)

    @on(QuestionChanged)
    def _ask_changed(self, message: QuestionChanged) -> None:
        self.ask(self.fields.question, at_once=message.at_once)

    @on(BudgetRefused)
    def _show_refused(self, message: BudgetRefused) -> None:
        self.query_one("#budget-problem", Problem).say(message.problem)

    def action_step_budget(self, direction: int) -> None:
        """Step the budget up (1) or down (-1)."""
        self.fields.step_budget(direction)

    def action_usual_budget(self, direction: int) -> None:
        """Change to the next usual budget above (1) or below (-1)."""
        self.fields.usual_budget(direction)

    def action_other_answer(self, direction: int) -> None:
        """Change to the next (1) or previous (-1) budget that changes the answer."""
        find = next_budget if direction > 0 else previous_budget
        if self.answer.is_same(self.question):  # these budgets do not depend on the present one
            self._step_to_other(find)
        else:
            self.answer.when_ready(lambda: self._step_to_other(find))

    def _step_to_other(self, find: Callable[[Explanation, int], int | None]) -> None:
        result, budget = self.result, self.question.budget
        if result is not None:
            self.start(
                "step",
                lambda: find(result.explained, budget),
                lambda other: self.fields.set_budget(other) if other is not None else None,
            )

    def action_edit_budget(self) -> None:
        """Focus the budget."""
        self.query_one("#budget-text", Input).focus()

    @on(Input.Submitted, "#budget-text")
    def _take_budget(self) -> None:
        """Focus the query, unless the typed text is no budget."""
        if not self.fields.budget_field.has_class("-wrong"):
            self._focus_query()

    def action_leave(self) -> None:
        """Move the focus from the query to the ranking, and from anywhere else to the query."""
        focused = self.focused
        if isinstance(focused, QueryInput) and self.answer.ranking.count and self.result is not None:
            self.answer.ranking.focus()
        else:
            self._focus_query()

    def _focus_query(self) -> None:
        """Focus the query, hide the caches on a narrow screen, and replace an invalid budget."""
        self.remove_class("-caches")
        self.fields.show_budget()
        self.fields.query_input.focus()

    def say(self, problem: str) -> None:
        """Show a message above the answer."""
        self.answer.say(problem)

    # The answer.

    @property
    def table(self) -> Table:
        """The table that has the focus, else the ranking."""
        focused = self.focused
        return focused if isinstance(focused, Table) else self.answer.ranking

    def move(self, move: Callable[[Table], None]) -> None:
        """Move in the table; in the ranking once it is that of the typed question."""
        table = self.table
        if table is self.answer.ranking:
            self.answer.when_ready(lambda: move(table))
        else:
            move(table)

    @on(ExamplePicked)
    def _ask_example(self, message: ExamplePicked) -> None:
        self.set_question(self.question.with_query(message.query))

    @on(Input.Submitted, "#query")
    @on(Table.Opened, "#ranking")
    def action_read(self) -> None:
        """Open the highlighted cache, scope or document, or ask the first suggestion."""
        focused = self.focused
        if focused is self.caches.table:
            self._open_highlighted()
        elif focused is self.project.table:
            self.project.open_scope()
        elif not self.question.is_asked and self.titles:
            self.set_question(self.question.with_query(self.titles[0]))
        else:
            self.answer.when_ready(self._read)

    def _read(self) -> None:
        """Open the highlighted document, with the other documents of the answer next to it."""
        result, rank = self.result, self.answer.rank
        if result is not None and rank:
            self.session.history.add(self.question)
            query = result.question.query
            self.app.push_screen(DocumentScreen(self.session, result.cache, result.id_at_rank, rank, query))

    def action_fit(self) -> None:
        """Change to the smallest budget, from the present one on, that chooses the highlighted document."""
        self.answer.when_ready(self._fit)

    def _fit(self) -> None:
        row = self.answer.row
        if row is not None and row.is_chosen:
            self.notify("This document is chosen already")
        elif row is not None and (row.next_budget or row.fits_from):
            self.fields.set_budget(row.next_budget or max(row.fits_from, self.question.budget))

    def action_arithmetic(self) -> None:
        """Show or hide the arithmetic of the score."""
        self.answer.toggle_arithmetic()

    @property
    def document_id(self) -> str:
        """The id of the explained document."""
        return self.answer.document_id

    def action_filter(self) -> None:
        """Ask for words, and show only the documents whose id or title contains them."""
        if self.result is not None:
            self.push(LineDialog("filter", "words of an id or a title; none shows all"), self.answer.filter)

    def action_why_not(self) -> None:
        """Let the user pick a document, and explain its rank."""
        cache = self.session.cache
        if self.result is not None and cache is not None:
            dialog = name_dialog(self.session, "why not …", caches=False)
            self.push(dialog, lambda picked: self.answer.explain_pinned(picked.name))

    def action_go_to(self) -> None:
        """Let the user pick a cache or a document, and open it."""
        self.push(name_dialog(self.session, "go to", caches=True), self._go_to)

    def _go_to(self, picked: Named) -> None:
        cache, info = self.session.cache, self.session.catalog.find(picked.name)
        if picked.kind == "cache" and info is not None:
            self._open(info)
        elif picked.kind == "document" and cache is not None:
            self.app.push_screen(DocumentScreen.alone(self.session, cache, picked.name, self.question.query))

    # The caches.

    @on(CachePanel.ProblemChanged)
    def _show_cache_problem(self, message: CachePanel.ProblemChanged) -> None:
        self.query_one("#cache-problem", Problem).say(message.problem)

    @on(ProjectPanel.FreshnessChanged)
    def _draw_caches(self) -> None:
        self.caches.draw()

    @on(CachePanel.CachesChanged)
    def _draw_title(self) -> None:
        self.project.check_new()
        info = self.session.info
        if info is None:
            return
        freshness, verified = self.session.freshness.get(info.path), self.session.verified.get(info.path)
        self.query_one(TitleBar).show(
            title_spans(info, freshness, verified, CACHES_COMMAND.key(typing=True)),
            size_spans(info, self.session.busy.values()),
        )

    @on(CachePanel.Opened)
    async def _ask_opened(self, message: CachePanel.Opened) -> None:
        """Ask the opened cache the question on screen."""
        info = self.session.info
        if info is None:
            return
        self.titles = message.titles
        await self.query_one(Welcome).show(info, self.titles)
        self.ask(self.question, at_once=True)

    @on(Table.Opened, "#catalog")
    def _open_highlighted(self) -> None:
        """Open the highlighted cache, or show why it does not open."""
        if self.caches.highlighted is not None:
            self._open(self.caches.highlighted)

    def _open(self, info: CacheInfo) -> None:
        if info.fault:
            self.query_one("#cache-problem", Problem).say(info.fault)
            return
        self._focus_query()
        if self.session.info != info:
            self.caches.open(info)

    @property
    def _highlighted(self) -> CacheInfo | None:
        """The highlighted cache if the table of caches has the focus, else the open one."""
        highlighted = self.caches.highlighted
        return highlighted if self.focused is self.caches.table else self.session.info or highlighted

    def action_caches(self) -> None:
        """Focus the caches, which a narrow screen shows only then."""
        self.add_class("-caches")
        self.caches.table.focus()

    def action_verify(self) -> None:
        """Verify the highlighted or the open cache."""
        info = self._highlighted
        if info is not None:
            self.verify(info, lambda: self.caches.draw(info.name))

    # Other screens.

    def action_documents(self) -> None:
        """Open the list of all documents."""
        if self.session.cache is not None:
            self.app.push_screen(DocumentsScreen(self.session, self.result))

    def action_agent(self) -> None:
        """Open the exact call and answer."""
        if self.session.info is not None and self.session.cache is not None:
            self.app.push_screen(AgentScreen(self.session))

    def action_compare(self) -> None:
        """Open the comparison of two questions."""
        if self.session.cache is not None:
            self.app.push_screen(CompareScreen(self.session))

    def action_history(self) -> None:
        """Let the user pick an earlier query."""
        self.session.history.add(self.question)
        self.push(history_dialog(self.session.history.questions), self.set_question)

    def action_sources(self) -> None:
        """Open the sources of the highlighted or the open cache."""
        info = self._highlighted
        if info is not None:
            self.app.push_screen(SourcesScreen(self.session, info), lambda _: self.caches.reload())

    def action_tests(self) -> None:
        """Open the query tests of the project."""
        self.push(QueryTestsScreen(self.session), self._ask_test)

    def _ask_test(self, test: QueryTest) -> None:
        """Ask the query of a test, after opening its cache."""
        info = self.session.catalog.find(test.cache)
        if info is None:
            return
        self.fields.show(Question(query=test.query, budget=test.budget))
        if info == self.session.info:
            self.ask(self.fields.question, at_once=True)
        else:
            self.session.question = self.fields.question
            self.caches.open(info)

    def action_save_test(self) -> None:
        """Save the question and the documents that it must find as a test."""
        self.answer.when_ready(self._save_test)

    def _save_test(self) -> None:
        result, info = self.result, self.session.info
        if result is None or info is None:
            self.notify("Ask something first: a test is a query and what it must find", severity="warning")
            return
        save_as_test(self, result, info.path, self.answer.rank)
