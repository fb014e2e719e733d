"""The side of the main screen: the caches of the root, their sources, and the contexts of the project."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical, VerticalScroll
from textual.message import Message

from ..catalog import build_facts, open_info, read_catalog
from ..project import check_freshness, read_scopes
from ..views.project import CACHE_COLUMNS, SCOPE_COLUMNS, about_lines, cache_cells, scope_cells
from ..views.spans import escaped
from ..widgets.lines import Lines
from ..widgets.table import Table
from ..work import start
from .first import FirstScreen
from .texts import ScopeScreen

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..catalog import CacheCatalog, CacheInfo, OpenedCache, Stamp
    from ..project import FreshnessCheck, ScopeInfo
    from ..session import Session
    from ..views.spans import Row


class CachePanel(Vertical):
    """Owns what is known of the caches."""

    @dataclass
    class Opened(Message):
        """A cache was opened, perhaps once more; `titles` are some to ask for."""

        titles: tuple[str, ...]

    @dataclass
    class ProblemChanged(Message):
        """What is wrong with the open cache, or nothing."""

        problem: str

    class CachesChanged(Message):
        """What is known of the caches changed."""

    def __init__(self, session: Session) -> None:
        super().__init__(id="caches")
        self.session = session
        self._opening: CacheInfo | None = None

    def compose(self) -> ComposeResult:
        """A list, and what is known of the highlighted one."""
        yield Table(CACHE_COLUMNS, title="caches", id="catalog")
        with VerticalScroll(id="about", can_focus=False):
            yield Lines()

    def on_mount(self) -> None:
        """Name the parts."""
        self.query_one("#about").border_title = "about"

    @property
    def table(self) -> Table:
        """The list of caches."""
        return self.query_one("#catalog", Table)

    @property
    def highlighted(self) -> CacheInfo | None:
        """The highlighted cache."""
        caches = self.session.catalog.caches
        return caches[self.table.index] if 0 <= self.table.index < len(caches) else None

    def look(self) -> None:
        """Look at the directory of caches."""
        root, before, project = self.session.root, self.session.catalog, self.session.project
        start(self, "look", lambda: read_catalog(root, before, project.paths(root)), self._take, self._say)

    def _take(self, catalog: CacheCatalog) -> None:
        """Show the caches, and follow what happened to the open one."""
        session = self.session
        if catalog == session.catalog and session.info is not None:
            return
        name = self.highlighted.name if self.highlighted else ""
        session.catalog = catalog
        if session.info is None:
            self._open_first()
        else:
            self._follow(session.info, catalog.find(session.info.name))
        self.draw(name)

    def _open_first(self) -> None:
        """Open the first cache that opens; where there is none, say why."""
        catalog = self.session.catalog
        first = catalog.first_to_open(list(self.session.project.described))
        if first is None:
            self._say(next((cache.fault for cache in catalog.caches), catalog.fault))
            self._offer_first_cache()
        elif self._opening is None:
            self.open(first)

    def _offer_first_cache(self) -> None:
        """Say how to get a cache, where there is nothing that could be mended."""
        is_built = any(cache.is_built for cache in self.session.catalog.caches)
        if not is_built and self.app.screen is self.screen:
            self.app.push_screen(FirstScreen(self.session), self._take_first)

    def _take_first(self, root: str | None) -> None:
        """Show the caches of the root that something was built in."""
        if root is not None:
            self.session.root = root
            self.look()

    def _follow(self, before: CacheInfo, now: CacheInfo | None) -> None:
        """Open a cache once more when it was replaced; its last state stays open when it is gone."""
        if now is None:
            self._say(f"{before.name} is gone from the disk; what you see is its last state")
        elif now.fault:
            self._say(f"{now.fault} (what you see is its last state)")
        elif now.stamp != before.stamp:
            self.open(now)
        else:
            self._say("")

    def _say(self, problem: str) -> None:
        self.post_message(self.ProblemChanged(problem))

    def draw(self, highlighted: str = "") -> None:
        """Draw what is known of the caches, with the cursor on the named one, else where it was."""
        names = [cache.name for cache in self.session.catalog.caches]
        info = self.highlighted or self.session.info
        wanted = highlighted or (info.name if info is not None else "")
        cursor = names.index(wanted) if wanted in names else None
        self.table.show(len(names), self._cells, cursor=cursor)
        self.draw_about()
        self.post_message(self.CachesChanged())

    def _cells(self, index: int) -> Row | None:
        session = self.session
        cache = session.catalog.caches[index]
        is_open = session.info is not None and cache.name == session.info.name
        return cache_cells(
            cache,
            is_open=is_open,
            freshness=session.freshness.get(cache.path),
            verified=session.verified.get(cache.path),
        )

    @on(Table.Moved, "#catalog")
    def draw_about(self) -> None:
        """Say what is known of the highlighted cache."""
        session, cache = self.session, self.highlighted
        if cache is None:
            return
        is_open = session.info is not None and cache.name == session.info.name
        fields = build_facts(session.cache) if session.cache and is_open else []
        state, verified = session.freshness.get(cache.path), session.verified.get(cache.path)
        self.query_one("#about Lines", Lines).show(about_lines(cache, fields, verified, state))

    def open(self, info: CacheInfo) -> None:
        """Open a cache."""
        self._opening = info
        start(self, "open", lambda: open_info(info), self._show, self._say)

    def _show(self, opened: OpenedCache) -> None:
        """Make it the open one."""
        info, cache, titles, problem = opened
        self._opening = None
        self._say(problem)
        if cache is None:
            return
        session = self.session
        if session.info is not None and session.info.path == info.path:
            self.app.notify(f"{escaped(info.name)} was rebuilt: this is its new state", markup=False)
            if session.cache is not None:
                session.previous[info.name] = session.cache
            session.verified.pop(info.path, None)
        session.info, session.cache = info, cache
        self.draw(info.name)
        self.post_message(self.Opened(titles))


CHECK_INTERVAL = 5.0
"""Seconds after which a cache is compared with its sources again, if that takes no time."""
CHECK_FACTOR = 30
"""The next look waits this many times as long as the last one took: a thirtieth of a processor at most."""


def _next(seconds: float) -> float:
    """When to look again at what took so long."""
    return time.monotonic() + max(CHECK_INTERVAL, CHECK_FACTOR * seconds)


class ProjectPanel(Vertical):
    """Owns what is known of the sources and of the scopes."""

    class FreshnessChanged(Message):
        """It is known whether a cache is fresh."""

    def __init__(self, session: Session) -> None:
        super().__init__(id="project")
        self.session = session
        self._checked: dict[str, Stamp | None] = {}
        """The builds that are compared with their sources, by path."""
        self._due: dict[str, float] = {}
        """When each is to be compared next; one after another."""
        self._is_checking = False
        self.scopes: tuple[ScopeInfo, ...] = ()
        self._scopes_due = math.inf

    def compose(self) -> ComposeResult:
        """A list of the scopes."""
        yield Table(SCOPE_COLUMNS, title="scopes", id="scopes")

    @property
    def table(self) -> Table:
        """The list of scopes."""
        return self.query_one("#scopes", Table)

    def check_new(self) -> None:
        """Compare the caches that are new or were rebuilt with their sources."""
        if self.session.project.file is None:
            return
        stamps = {cache.path: cache.stamp for cache in self.session.catalog.caches if cache.is_built}
        self._due |= {path: 0.0 for path, stamp in stamps.items() if self._checked.get(path, ()) != stamp}
        self._checked = stamps
        self.follow()

    def follow(self) -> None:
        """Look again at what may have changed: at those sources and contexts whose turn it is."""
        now = time.monotonic()
        due = [path for path in self._checked if self._due[path] <= now]
        if due and not self._is_checking:
            self._is_checking = True
            self._due[due[0]] = math.inf
            check = partial(check_freshness, self.session.project, due[0])
            start(self, "freshness", check, self._take, self._skip)
        if self._scopes_due <= now:
            self._scopes_due = math.inf
            self.look_at_scopes()

    def _skip(self, problem: str) -> None:
        """Go on with the next one; the screen of the sources says what was wrong."""
        self._is_checking = False
        self.follow()

    def _take(self, check: FreshnessCheck) -> None:
        if self.session.record_freshness(check):
            self._due[check.path] = _next(check.seconds)
            self.post_message(self.FreshnessChanged())
        self._skip("")

    def look_at_scopes(self) -> None:
        """Look at the contexts of the project's directories."""
        root = self.session.project_root
        if root is not None:
            start(self, "scopes", lambda: read_scopes(root), self._show_scopes, lambda problem: None)

    def _show_scopes(self, read: tuple[tuple[ScopeInfo, ...], float]) -> None:
        """Show them, where there are any."""
        scopes, seconds = read
        self.scopes, self._scopes_due = scopes, _next(seconds)
        self.set_class(bool(scopes), "-scopes")
        self.table.show(len(scopes), lambda index: scope_cells(scopes[index]))

    @on(Table.Opened, "#scopes")
    def open_scope(self) -> None:
        """Show the context of the highlighted directory."""
        root = self.session.project_root
        if root is not None and 0 <= self.table.index < len(self.scopes):
            name = self.scopes[self.table.index].name
            self.app.push_screen(ScopeScreen(self.session, root, name))
