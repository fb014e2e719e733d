"""The project beside its caches: how these stand to their sources, and the contexts of its directories."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical
from textual.message import Message

from ..project import judge, read_scopes
from ..views.caches import SCOPE_COLUMNS, scope_cells
from ..widgets.table import Table
from ..workers import start

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult

    from ..catalog import Stamp
    from ..project import Judgement, ScopeInfo
    from ..session import Session

LOOK_AT_SOURCES = 5.0
"""Seconds after which a cache is held against its sources again, if that takes no time."""
PATIENCE = 30
"""How many times as long as it took the next time is waited for: a thirtieth of a processor at most."""


def _next(seconds: float) -> float:
    """When to look again at what took so long."""
    return time.monotonic() + max(LOOK_AT_SOURCES, PATIENCE * seconds)


class ProjectPanel(Vertical):
    """Owns what is known of the sources and of the scopes."""

    class Judged(Message):
        """How a cache stands to its sources is known."""

    @dataclass
    class ScopeOpened(Message):
        """The context of a directory is to be shown."""

        scope: str

    def __init__(self, session: Session) -> None:
        super().__init__(id="project")
        self.session = session
        self._judged: Mapping[str, Stamp | None] = {}
        """The builds that were held against their sources, by path."""
        self._due: dict[str, float] = {}
        """When each is to be held against them again."""
        self._queue: list[str] = []
        """The caches that are to be held against them, that which is now first."""
        self._scopes: tuple[ScopeInfo, ...] = ()
        self._scopes_due = math.inf

    def compose(self) -> ComposeResult:
        """A list of the scopes."""
        yield Table(SCOPE_COLUMNS, title="scopes", id="scopes")

    @property
    def table(self) -> Table:
        """The list of scopes."""
        return self.query_one("#scopes", Table)

    def judge_new(self) -> None:
        """Hold the caches that are new or were rebuilt against their sources."""
        if self.session.project.file is None:
            return
        stamps = {cache.path: cache.stamp for cache in self.session.catalog.caches if cache.is_built}
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

    def _judge(self, paths: list[str]) -> None:
        """Hold caches against their sources, one after another."""
        is_idle = not self._queue
        self._queue += [path for path in paths if path not in self._queue]
        if is_idle:
            self._judge_next()

    def _judge_next(self) -> None:
        if self._queue:
            path = self._queue[0]
            self._due.pop(path, None)
            start(self, "judge", partial(judge, self.session.project, path), self._take, self._skip)

    def _skip(self, problem: str) -> None:
        """It is judged again when its turn comes; where somebody rebuilds, the problem is told."""
        del self._queue[0]
        self._judge_next()

    def _take(self, judgement: Judgement) -> None:
        self._skip("")
        self._due[judgement.path] = _next(judgement.seconds)
        if self.session.take_judgement(judgement):
            self.post_message(self.Judged())

    def look_at_scopes(self) -> None:
        """Look at the contexts of the project's directories."""
        root = self.session.project_root
        if root is not None:
            start(self, "scopes", lambda: read_scopes(root), self._show_scopes, lambda problem: None)

    def _show_scopes(self, read: tuple[tuple[ScopeInfo, ...], float]) -> None:
        """Show them, where there are any."""
        self._scopes, seconds = read
        self._scopes_due = _next(seconds)
        self.set_class(bool(self._scopes), "-scopes")
        self.table.show(len(self._scopes), lambda index: scope_cells(self._scopes[index]))

    @property
    def scopes(self) -> tuple[ScopeInfo, ...]:
        """The scopes that are listed."""
        return self._scopes

    @on(Table.Opened, "#scopes")
    def open_scope(self) -> None:
        """Ask for the context of the highlighted directory."""
        if 0 <= self.table.index < len(self._scopes):
            self.post_message(self.ScopeOpened(self._scopes[self.table.index].name))
