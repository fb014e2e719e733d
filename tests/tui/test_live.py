"""Live typing: the latest question wins, and no key waits for a resolver."""

from __future__ import annotations

import asyncio
from threading import Event
from typing import TYPE_CHECKING

import pytest

from ctxcache.cache.store import open_store
from ctxcache.resolver.cache import Cache
from ctxcache.tui.screens.document import DocumentScreen
from ctxcache.tui.screens.main import MainScreen
from ctxcache.tui.widgets.lines import BudgetBar
from ctxcache.tui.widgets.question import QueryInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxcache.resolver.explain import Explanation

    from .conftest import Run, Start

pytestmark = pytest.mark.asyncio


class SlowCache(Cache):
    """Answers `roll` only when it is let."""

    def __init__(self, path: str) -> None:
        super().__init__(open_store(path))
        self.asked = Event()
        self.let = Event()

    def explain(self, query: object, budget: object = None) -> Explanation:
        """The explanation, perhaps late."""
        if query == "roll":
            self.asked.set()
            self.let.wait(30)
        return super().explain(query, budget)


async def until(run: Run, condition: Callable[[], bool]) -> None:
    """Let the application work until something is so."""
    async with asyncio.timeout(120):
        while not condition():
            await run.pilot.pause(0.005)


async def ask_slowly(run: Run) -> SlowCache:
    """Type `roll`, whose answer does not come until it is let."""
    slow = SlowCache(run.session.info.path)
    run.session.cache = slow
    await run.pilot.press(*"roll")
    await until(run, slow.asked.is_set)
    return slow


async def test_a_stale_answer_never_replaces_a_newer_one(start: Start) -> None:
    async with start() as run:
        slow = await ask_slowly(run)
        await run.pilot.press(*"back", "space", *"deployment")
        bar = run.one(BudgetBar)
        await until(run, lambda: bar.result is not None)
        newer = bar.result
        slow.let.set()
        await run.settle()
        assert bar.result is newer
        assert bar.result.question.query == "rollback deployment"


async def test_keys_are_echoed_while_a_resolver_is_slow(start: Start) -> None:
    async with start() as run:
        slow = await ask_slowly(run)
        await run.pilot.press(*"ers")
        assert run.one("#query", QueryInput).value == "rollers"
        await run.pilot.press("shift+up")
        assert run.screen.question.budget > 500
        slow.let.set()
        await run.settle()


async def test_enter_before_the_answer_opens_its_first_document(start: Start) -> None:
    """Who types a query and Enter at once means the answer to come, not that to half the query."""
    async with start() as run:
        slow = await ask_slowly(run)
        await run.pilot.press("enter")
        assert isinstance(run.screen, MainScreen)
        slow.let.set()
        await run.settle()
        assert isinstance(run.screen, DocumentScreen)


async def test_a_move_before_the_answer_moves_in_the_answer_to_come(start: Start) -> None:
    """Who types a query and Down at once means its second document."""
    async with start() as run:
        slow = await ask_slowly(run)
        await run.pilot.press("down")
        slow.let.set()
        await run.settle()
        assert run.answer.why.entry.rank == 2


async def test_a_budget_that_fits_a_document_before_the_answer_fits_one_of_the_answer_to_come(
    start: Start,
) -> None:
    async with start(budget=10) as run:
        slow = await ask_slowly(run)
        await run.pilot.press("down", "f4")
        assert run.session.question.budget == 10
        slow.let.set()
        await run.settle()
        assert run.session.question.budget > 10
        assert run.answer.row.rank == 2
        assert run.answer.row.is_chosen


async def test_a_test_before_the_answer_saves_the_answer_to_come(start: Start) -> None:
    """It said that nothing was asked."""
    async with start() as run:
        slow = await ask_slowly(run)
        await run.pilot.press("ctrl+s")
        slow.let.set()
        await run.settle()
        assert "ctx.toml" in "".join(note.message for note in run.app._notifications)


async def test_reasons_that_come_late_are_not_shown_for_another_answer(start: Start) -> None:
    go_on = Event()
    async with start(query="deployment") as run, asyncio.timeout(60):
        old, late = run.answer.result, run.answer.result.why(2)
        run.answer._start("late", lambda result: go_on.wait(60) and late, run.answer.show_why)
        await run.pilot.press(*"freeze")
        while run.answer.result is old:
            await run.pilot.pause(0.01)
        go_on.set()
        await run.settle()
        assert run.answer.why is not late


async def test_the_last_rows_are_read_before_anybody_goes_there(start: Start, many: str) -> None:
    """A list that is drawn twice, without its texts and with them, is written to the terminal twice."""
    async with start(many, query="word", budget=100) as run:
        assert run.answer.rows[700].id == "0699"


async def test_rows_far_down_are_read_when_they_come_into_view(start: Start, many: str) -> None:
    """Only they: a list of 100,000 documents opens like one of ten."""
    async with start(many, query="word", budget=100) as run:
        ranking = run.answer.ranking
        assert ranking.count == 700
        assert run.answer.rows.get(600) is None
        ranking.cursor = 599
        await run.settle()
        assert run.answer.rows[600].id == "0599"
        assert run.answer.why.entry.rank == 600
