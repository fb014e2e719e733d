"""What an author does from the main screen: keep an eye on the sources, rebuild, save and run tests."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from textual import on

from ..authoring import jobs
from ..authoring.messages import Judged, TestSaved
from ..library import CtxError, QueryTest
from ..messages import ScopesRead, ShelfRead
from ..pieces import shown
from ..question import Question
from .query_tests import QueryTestsScreen
from .save_test import SaveTestBox
from .shelving import Shelving
from .sources import SourcesScreen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..shelf import Stamp

LOOK_AT_SOURCES = 5.0
"""Seconds after which a cache is held against its sources again, if that takes no time."""
PATIENCE = 30
"""How many times as long as it took the next time is waited for: a thirtieth of a processor at most."""
MOST_EXPECTED = 50
"""Documents that a test made here can expect: nobody picks from more."""


def _next(seconds: float) -> float:
    """When to look again at what took so long."""
    return time.monotonic() + max(LOOK_AT_SOURCES, PATIENCE * seconds)


class Authoring(Shelving):
    """Owns what is known of the sources."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self._judged: Mapping[str, Stamp | None] = {}
        """The builds that were held against their sources, by path."""
        self._due: dict[str, float] = {}
        """When each is to be held against them again."""
        self._scopes_due = math.inf

    @on(ShelfRead)
    def _judge_new(self, message: ShelfRead) -> None:
        """Hold the caches that are new or were rebuilt against their sources."""
        if self.inspector.desk.workshop.file is None:
            return
        stamps = {volume.path: volume.stamp for volume in message.shelf.volumes if volume.is_built}
        new = [path for path, stamp in stamps.items() if self._judged.get(path, ()) != stamp]
        self._judged = stamps
        self._judge(new)

    def follow(self) -> None:
        """Look again at what may have changed: at those sources and contexts whose turn it is."""
        now = time.monotonic()
        self._judge([path for path in self._judged if self._due.get(path, now + 1) <= now])
        if self._scopes_due <= now:
            self._scopes_due = math.inf
            self.look_at_scopes()

    @on(ScopesRead)
    def _plan_scopes(self, message: ScopesRead) -> None:
        self._scopes_due = _next(message.seconds)

    def _judge(self, paths: list[str]) -> None:
        for path in paths:
            self._due.pop(path, None)
        if paths:
            self.start("judge", jobs.judge, self.inspector.desk.workshop, paths)

    @on(Judged)
    def _show_judged(self, message: Judged) -> None:
        self._due[message.path] = _next(message.seconds)
        if self.inspector.desk.take_judged(message):
            self.draw_shelf()

    def action_sources(self) -> None:
        """What changed since a cache was built, and the rebuild."""
        if self.meant is not None:
            self.app.push_screen(SourcesScreen(self.meant, self.question))

    def action_tests(self) -> None:
        """The query tests of the project."""
        self.app.push_screen(QueryTestsScreen(), self._ask_test)

    def _ask_test(self, test: QueryTest | None) -> None:
        """Ask what a test asks, of the cache that it asks."""
        if test is None:
            return
        desk = self.inspector.desk
        volume = desk.shelf.named(test.cache)
        if volume is None or not volume.sound:
            fault = volume.fault if volume is not None else f"{test.cache} is not among the caches shown here"
            self.notify(shown(fault), title="The test is not asked", severity="error", markup=False)
            return
        question = Question(query=test.query, budget=test.budget)
        if volume == desk.volume:
            self.take(question)
            return
        self.show_question(question)
        self.open(volume)

    def action_save_test(self) -> None:
        """The question and what was chosen for it, as a test of the project."""
        desk = self.inspector.desk
        if desk.volume is None or self.is_behind:
            return
        try:
            desk.workshop.cache_at(desk.volume.path)
            chosen = self.answered.chosen_ids(MOST_EXPECTED) if self.answered is not None else []
            files = self.answered.chosen_sources(MOST_EXPECTED) if self.answered is not None else []
        except CtxError as error:
            self._tell_unsaved(str(error))
            return
        if not chosen:
            self._tell_unsaved("nothing is chosen, so a test would have nothing to expect")
            return
        self.app.push_screen(SaveTestBox(self.question, chosen, files), self._save_test)

    def _save_test(self, expected: list[str] | None) -> None:
        desk, question = self.inspector.desk, self.question
        if expected is None or desk.volume is None:
            return

        def test(name: str) -> QueryTest:
            return QueryTest(
                cache=name, query=question.query, budget=question.budget, expect=expected, forbid=[]
            )

        self.start("save", jobs.save_test, desk.workshop, desk.volume.path, test)

    @on(TestSaved)
    def _tell_saved(self, message: TestSaved) -> None:
        if message.problem:
            self._tell_unsaved(message.problem)
        else:
            self.notify(f"Saved in {message.file}; ^t runs the tests", markup=False)

    def _tell_unsaved(self, problem: str) -> None:
        self.notify(shown(problem), title="The test is not saved", severity="error", markup=False)
