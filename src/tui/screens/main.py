"""The screen on which a question is typed, and its answer seen and understood."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from ...errors import InvalidBudget
from ...resolver.budget import next_budget, previous_budget
from ...resolver.query_tests import QueryTest
from ..commands import CACHES_COMMAND, DOCUMENTS_COMMAND, HISTORY_COMMAND, RESOLVE
from ..palette import bindings
from ..project import save_query_test
from ..question import Question, preset, read_budget, stepped
from ..views.caches import title_spans, welcome_foot, welcome_head
from ..views.spans import count, escaped
from ..widgets.bars import KeyBar, TitleBar
from ..widgets.budget import RankPicked
from ..widgets.inputs import (
    AnswerStepped,
    BudgetEntered,
    BudgetField,
    BudgetStepped,
    BudgetTyped,
    QueryInput,
    QueryTyped,
    ReadAsked,
)
from ..widgets.lines import Problem
from ..widgets.table import Table
from ..widgets.welcome import ExamplePicked, Welcome
from .authoring import QueryTestsScreen, SourcesScreen
from .base import ListView
from .boxes import HistoryBox, LineBox, PickBox, SaveTestBox
from .cache_panel import CachePanel
from .compare import CompareScreen
from .document import DocumentScreen
from .documents import DocumentsScreen
from .first import FirstScreen
from .project_panel import ProjectPanel
from .query import AnswerPanel
from .texts import AgentScreen, ScopeScreen

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult

    from ..catalog import CacheInfo
    from ..commands import Command
    from ..result import Result
    from ..session import Session

LOOK = 1.0
"""Seconds between two looks at the directory of caches."""
MOST_EXPECTED = 50
"""Documents that a test made here can expect: nobody picks from more."""


class MainScreen(ListView[None]):
    """The question above, the answer and its reasons below; caches and scopes fold away."""

    CSS_PATH = "main.tcss"
    AUTO_FOCUS = "#query"
    commands: ClassVar[tuple[Command, ...]] = RESOLVE
    BINDINGS = bindings(RESOLVE)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.answer = AnswerPanel(session)
        self.caches = CachePanel(session)
        self.project = ProjectPanel(session)
        self.titles: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """The parts."""
        yield TitleBar()
        with Horizontal(id="body"):
            with Vertical(id="side"):
                yield self.caches
                yield self.project
            with Vertical(id="main"):
                with Horizontal(id="ask"):
                    yield QueryInput(self.session.question.query, id="query")
                    yield BudgetField(self.session.question.budget, id="budget")
                yield Problem(id="budget-problem")
                yield Problem(id="cache-problem")
                yield Welcome()
                yield self.answer
        yield KeyBar()

    def on_mount(self) -> None:
        """Look at the caches, now and again."""
        self.answer.clear()
        self.look()
        self.project.look_at_scopes()
        self.set_interval(LOOK, self.look)
        self.set_interval(LOOK, self.project.follow)

    def look(self) -> None:
        """Look at the directory of caches."""
        self.caches.look()

    @property
    def question(self) -> Question:
        """What is asked."""
        return self.session.question

    @property
    def is_waiting(self) -> bool:
        """Whether something is still to be started once the keys rest."""
        return self.answer.is_waiting

    @property
    def result(self) -> Result | None:
        """The answer on screen."""
        return self.answer.result

    # The question.

    def ask(self, question: Question, *, at_once: bool = False) -> None:
        """Ask a question; where there is none, say how to begin."""
        self.answer.ask(question, at_once=at_once)
        has_cache = self.session.cache is not None
        self.query_one(Welcome).display = has_cache and not question.is_asked
        if not (has_cache and question.is_asked):
            self.answer.clear()
            self.query_one("#query", QueryInput).show_words({})

    def take(self, question: Question) -> None:
        """Ask a question that was not typed."""
        self._show_question(question)
        self.ask(question, at_once=True)

    def _show_question(self, question: Question) -> None:
        self.session.question = question
        query = self.query_one("#query", QueryInput)
        with query.prevent(Input.Changed):
            query.value = question.query
        query.cursor_position = len(question.query)
        self._show_budget(question.budget)

    @on(QueryTyped)
    def _type_query(self, message: QueryTyped) -> None:
        if message.query != self.question.query:
            self.ask(self.question.with_query(message.query))

    @on(BudgetTyped)
    def _type_budget(self, message: BudgetTyped) -> None:
        try:
            budget = read_budget(message.text)
        except InvalidBudget as error:
            self._refuse_budget(str(error))
            return
        self._refuse_budget("")
        if budget != self.question.budget:
            self.ask(self.question.with_budget(budget))

    def _refuse_budget(self, problem: str) -> None:
        """Say below the budget what is wrong with it; an empty sentence takes it back."""
        self.query_one(BudgetField).is_wrong = bool(problem)
        self.query_one("#budget-problem", Problem).say(problem)

    def _show_budget(self, budget: int) -> None:
        self.query_one(BudgetField).show(budget)
        self._refuse_budget("")

    @on(BudgetStepped)
    def _step_budget(self, message: BudgetStepped) -> None:
        self._set_budget(stepped(self.question.budget, message.steps))

    def _set_budget(self, budget: int) -> None:
        """Ask with another budget, and show it."""
        self._show_budget(budget)
        self.ask(self.question.with_budget(budget), at_once=True)

    def action_budget_up(self) -> None:
        """A little more."""
        self._set_budget(stepped(self.question.budget, 1))

    def action_budget_down(self) -> None:
        """A little less."""
        self._set_budget(stepped(self.question.budget, -1))

    def action_preset_up(self) -> None:
        """To the next usual budget."""
        self._set_budget(preset(self.question.budget, 1))

    def action_preset_down(self) -> None:
        """To the previous usual budget."""
        self._set_budget(preset(self.question.budget, -1))

    def action_next_answer(self) -> None:
        """To the next budget that changes the answer."""
        self._to_other_answer(next_budget)

    def action_previous_answer(self) -> None:
        """To the previous budget with another answer."""
        self._to_other_answer(previous_budget)

    @on(AnswerStepped)
    def _step_answer(self, message: AnswerStepped) -> None:
        self._to_other_answer(next_budget if message.steps > 0 else previous_budget)

    def _to_other_answer(self, find: Callable[..., int | None]) -> None:
        result = self.result
        if result is not None:
            budget = self.question.budget
            self.start(
                "step",
                lambda: find(result.explained, budget),
                lambda other: self._set_budget(other) if other is not None else None,
            )

    def action_edit_budget(self) -> None:
        """To the budget."""
        self.query_one("#budget-text", Input).focus()

    @on(BudgetEntered)
    def _take_budget(self) -> None:
        """Back to the query, unless what was typed is no budget."""
        if not self.query_one(BudgetField).is_wrong:
            self._to_query()

    def action_leave(self) -> None:
        """From the query to the list, from anywhere else to the query."""
        focused = self.focused
        if isinstance(focused, QueryInput) and self.answer.ranking.count and self.result is not None:
            self.answer.ranking.focus()
        else:
            self._to_query()

    def _to_query(self) -> None:
        """To the query; the budget is shown as it is asked with, whatever was typed."""
        self.remove_class("-caches")
        self._show_budget(self.question.budget)
        self.query_one("#query", QueryInput).focus()

    def say(self, problem: str) -> None:
        """Say what is wrong with the answer."""
        self.answer.say(problem)

    # The answer.

    @property
    def table(self) -> Table:
        """The list that has the focus, else that of the answer."""
        focused = self.focused
        return focused if isinstance(focused, Table) else self.answer.ranking

    @on(ExamplePicked)
    def _ask_example(self, message: ExamplePicked) -> None:
        self.take(self.question.with_query(message.query))

    @on(RankPicked)
    def _pick(self, message: RankPicked) -> None:
        self.answer.filter("")
        self.answer.ranking.cursor = message.rank - 1

    @on(ReadAsked)
    @on(Table.Opened, "#ranking")
    def action_read(self) -> None:
        """Open what is highlighted where the focus is."""
        focused = self.focused
        if focused is self.caches.table:
            self._open_highlighted()
        elif focused is self.project.table:
            self.project.open_scope()
        elif not self.question.is_asked and self.titles:
            self.take(self.question.with_query(self.titles[0]))
        elif self.answer.is_behind:
            self.answer.then_read = self._read
        else:
            self._read()

    def _read(self) -> None:
        """Open the highlighted document; the others of the answer follow."""
        result, rank = self.result, self.answer.rank
        if result is None or not rank:
            return
        self.session.history.add(self.question)

        def id_at(rank: int) -> tuple[str, str] | None:
            rows = result.rows([rank])
            return (rows[0].id, f"rank {rank:,} of {result.matches:,}") if rows else None

        self.app.push_screen(DocumentScreen(self.session, result.cache, id_at, rank, result.question.query))

    def action_fit(self) -> None:
        """To the smallest budget, not below this one, at which the highlighted document gets in."""
        row = self.answer.row
        if row is not None and (row.next_budget or row.fits_from):
            self._set_budget(row.next_budget or max(row.fits_from, self.question.budget))

    def action_arithmetic(self) -> None:
        """Show or hide the whole score."""
        self.answer.toggle_arithmetic()

    def action_copy_id(self) -> None:
        """Copy the id of the highlighted document."""
        if self.answer.document_id:
            self.copy_document(self.answer.document_id, content=False)

    def action_copy_content(self) -> None:
        """Copy the content of the highlighted document."""
        if self.answer.document_id:
            self.copy_document(self.answer.document_id, content=True)

    def action_filter(self) -> None:
        """Leave only documents of the answer whose id or title holds some words."""
        if self.result is not None:
            box = LineBox(self.session, "filter", "words of an id or a title; none shows all")
            self.app.push_screen(box, lambda words: self.answer.filter(words) if words is not None else None)

    def action_why_not(self) -> None:
        """Say where a page stands that the user names."""
        cache = self.session.cache
        if self.result is not None and cache is not None:
            self.app.push_screen(PickBox(self.session, "why not …", caches=False), self._explain_named)

    def _explain_named(self, picked: tuple[str, str] | None) -> None:
        if picked is not None:
            self.answer.explain_named(picked[1])

    def action_go_to(self) -> None:
        """To a cache or a document by name."""
        self.app.push_screen(PickBox(self.session, "go to", caches=True), self._go_to)

    def _go_to(self, picked: tuple[str, str] | None) -> None:
        if picked is None:
            return
        kind, name = picked
        cache, info = self.session.cache, self.session.catalog.named(name)
        if kind == "cache" and info is not None:
            self._open(info)
        elif kind == "document" and cache is not None:
            self.app.push_screen(
                DocumentScreen(
                    self.session,
                    cache,
                    lambda index: (name, "") if not index else None,
                    0,
                    self.question.query,
                )
            )

    # The caches.

    @on(CachePanel.Said)
    def _say_of_cache(self, message: CachePanel.Said) -> None:
        self.query_one("#cache-problem", Problem).say(message.problem)

    @on(CachePanel.Empty)
    def _offer_first_cache(self) -> None:
        """Say how to get a cache, where there is nothing that could be mended."""
        caches = self.session.catalog.caches
        if not any(cache.is_built for cache in caches) and self.app.screen is self:
            self.app.push_screen(FirstScreen(self.session), self._take_first)

    def _take_first(self, root: str | None) -> None:
        """Show the caches of the root that something was built in."""
        if root is not None:
            self.session.root = root
            self.look()

    @on(CachePanel.Drawn)
    @on(ProjectPanel.Judged)
    def _draw_title(self, message: CachePanel.Drawn | ProjectPanel.Judged) -> None:
        if isinstance(message, ProjectPanel.Judged):
            self.caches.draw(self.caches.highlighted.name if self.caches.highlighted else "")
            return
        self.project.judge_new()
        info = self.session.info
        if info is None:
            return
        tokens = f" · {count(info.tokens, 'token')}" if info.tokens is not None else ""
        busy = "".join(f"{operation} … " for operation in self.session.busy.values())
        freshness, verified = self.session.freshness.get(info.path), self.session.verified.get(info.path)
        self.query_one(TitleBar).show(
            title_spans(info, freshness, verified, CACHES_COMMAND.key(typing=True)),
            [(busy, "warn"), (f"{count(info.documents, 'document')}{tokens} ", "dim")],
        )

    @on(CachePanel.Opened)
    async def _ask_opened(self, message: CachePanel.Opened) -> None:
        """Ask the new cache what is on screen."""
        info = self.session.info
        if info is None:
            return
        self.titles = message.titles
        elsewhere = (DOCUMENTS_COMMAND, CACHES_COMMAND, HISTORY_COMMAND)
        head, foot = welcome_head(info, len(self.titles)), welcome_foot(len(self.titles), elsewhere)
        await self.query_one(Welcome).show(head, self.titles, foot)
        self.ask(self.question, at_once=True)

    @on(Table.Opened, "#catalog")
    def _open_highlighted(self) -> None:
        """Open the highlighted cache, or say why it does not open."""
        if self.caches.highlighted is not None:
            self._open(self.caches.highlighted)

    def _open(self, info: CacheInfo) -> None:
        if info.fault:
            self.query_one("#cache-problem", Problem).say(info.fault)
            return
        self._to_query()
        if self.session.info != info:
            self.caches.open(info)

    @property
    def _highlighted(self) -> CacheInfo | None:
        """The highlighted cache where the list has the focus, else the open one."""
        highlighted = self.caches.highlighted
        return highlighted if self.focused is self.caches.table else self.session.info or highlighted

    def action_caches(self) -> None:
        """To the caches."""
        self.add_class("-caches")
        self.caches.table.focus()

    def action_verify(self) -> None:
        """Check the highlighted cache, or the open one."""
        info = self._highlighted
        if info is not None:
            self.verify(info, lambda: self.caches.draw(info.name))

    @on(ProjectPanel.ScopeOpened)
    def _show_scope(self, message: ProjectPanel.ScopeOpened) -> None:
        if self.session.project_root is not None:
            self.app.push_screen(ScopeScreen(self.session, self.session.project_root, message.scope))

    # Other screens.

    def action_documents(self) -> None:
        """All documents of the cache."""
        if self.session.cache is not None:
            self.app.push_screen(DocumentsScreen(self.session, self.result))

    def action_agent(self) -> None:
        """The exact call and answer."""
        if self.session.info is not None and self.session.cache is not None:
            self.app.push_screen(AgentScreen(self.session))

    def action_compare(self) -> None:
        """Two questions side by side."""
        if self.session.cache is not None:
            self.app.push_screen(CompareScreen(self.session))

    def action_history(self) -> None:
        """Earlier queries."""
        self.session.history.add(self.question)
        self.app.push_screen(
            HistoryBox(self.session), lambda question: self.take(question) if question is not None else None
        )

    def action_sources(self) -> None:
        """What changed since a cache was built, and the rebuild."""
        if self._highlighted is not None:
            self.app.push_screen(SourcesScreen(self.session, self._highlighted), lambda _: self.look())

    def action_tests(self) -> None:
        """The query tests of the project."""
        self.app.push_screen(QueryTestsScreen(self.session), self._ask_test)

    def _ask_test(self, test: QueryTest | None) -> None:
        """Ask what a test asks, of the cache that it asks."""
        if test is None:
            return
        info = self.session.catalog.named(test.cache)
        if info is None or not info.sound:
            fault = info.fault if info is not None else f"{test.cache} is not among the caches shown here"
            self.notify(escaped(fault), title="The test is not asked", severity="error", markup=False)
            return
        question = Question(query=test.query, budget=test.budget)
        if info == self.session.info:
            self.take(question)
            return
        self._show_question(question)
        self.caches.open(info)

    def action_save_test(self) -> None:
        """Save the question and what is to be found for it as a test."""
        result, info = self.result, self.session.info
        if result is None or info is None or self.answer.is_behind:
            self.notify("Ask something first: a test is a query and what it must find", severity="warning")
            return
        if self.session.project.file is None:
            self._tell_unsaved("there is no ctx.toml for these caches; `ctx init` writes one")
            return
        if not result.chosen:
            self._tell_unsaved("nothing is chosen within this budget, so there is nothing to expect")
            return
        rank = self.answer.rank
        picked = result.chosen_index(rank)
        self.start(
            "expected",
            lambda: (result.chosen_ids(MOST_EXPECTED), result.chosen_sources(MOST_EXPECTED)),
            lambda found: self.app.push_screen(
                SaveTestBox(self.session, found[0], found[1], max(0, picked or 0)),
                lambda expected: self._save_test(info, result.question, expected),
            ),
            self._tell_unsaved,
        )

    def _save_test(self, info: CacheInfo, question: Question, expected: list[str] | None) -> None:
        if expected is None:
            return
        project = self.session.project

        def test(name: str) -> QueryTest:
            return QueryTest(
                cache=name, query=question.query, budget=question.budget, expect=expected, forbid=[]
            )

        self.start(
            "save",
            lambda: save_query_test(project, info.path, test),
            lambda file: self.notify(f"Saved in {escaped(file)}; ^t runs the tests", markup=False),
            self._tell_unsaved,
        )

    def _tell_unsaved(self, problem: str) -> None:
        self.notify(escaped(problem), title="The test is not saved", severity="error", markup=False)
