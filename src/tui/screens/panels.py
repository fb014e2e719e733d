"""The side panels of the main screen: the caches of the root, and the scopes of the project."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical, VerticalScroll
from textual.message import Message

from ..catalog import CacheCatalog, CacheInfo, Stamp, build_facts, open_info, read_catalog
from ..project import FreshnessCheck, ScopeInfo, check_freshness, read_scopes
from ..views.project import CACHE_COLUMNS, SCOPE_COLUMNS, about_lines, cache_cells, scope_cells
from ..views.spans import Row, escaped
from ..widgets.lines import Lines
from ..widgets.table import Table
from ..workers import start
from .first import FirstScreen
from .texts import ScopeScreen

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ...resolver.cache import Cache
    from ..session import Session


class CachePanel(Vertical):
    """Reads the catalog and opens caches; shows the table of caches and the facts of the highlighted one."""

    @dataclass
    class Opened(Message):
        """A cache was opened, perhaps again; `titles` are suggestions for a query."""

        titles: tuple[str, ...]

    @dataclass
    class ProblemChanged(Message):
        """The problem of the open cache is another one; empty if there is none."""

        problem: str

    class CachesChanged(Message):
        """The catalog, the freshness or the verification of a cache changed."""

    def __init__(self, session: Session) -> None:
        super().__init__(id="caches")
        self.session = session
        self._opening: CacheInfo | None = None

    def compose(self) -> ComposeResult:
        """The table, and the facts of the highlighted cache."""
        yield Table(CACHE_COLUMNS, title="caches", id="catalog")
        with VerticalScroll(id="about", can_focus=False) as about:
            about.border_title = "about"
            yield Lines()

    @property
    def table(self) -> Table:
        """The table of caches."""
        return self.query_one("#catalog", Table)

    @property
    def highlighted(self) -> CacheInfo | None:
        """The highlighted cache; None if there are no caches."""
        caches = self.session.catalog.caches
        return caches[self.table.index] if 0 <= self.table.index < len(caches) else None

    def reload(self) -> None:
        """Read the catalog of the root in a thread."""
        root, before, project = self.session.root, self.session.catalog, self.session.project

        def read() -> CacheCatalog:
            return read_catalog(root, before, project.paths(root))

        start(self, "catalog", read, self._show_catalog, self._say)

    def _show_catalog(self, catalog: CacheCatalog) -> None:
        """Show a catalog, and open the first cache, or the open one again if it was rebuilt."""
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
        """Open the first cache that opens; if there is none, show why."""
        catalog = self.session.catalog
        first = catalog.first_to_open(list(self.session.project.described))
        if first is None:
            self._say(next((cache.fault for cache in catalog.caches), catalog.fault))
            self._offer_first_cache()
        elif self._opening is None:
            self.open(first)

    def _offer_first_cache(self) -> None:
        """Open the screen that builds a first cache, unless a cache exists that does not open."""
        is_built = any(cache.is_built for cache in self.session.catalog.caches)
        if not is_built and self.app.screen is self.screen:
            self.app.push_screen(FirstScreen(self.session), self._use_root)

    def _use_root(self, root: str | None) -> None:
        """Read the catalog of the root that the first cache was built in."""
        if root is not None:
            self.session.root = root
            self.reload()

    def _follow(self, before: CacheInfo, now: CacheInfo | None) -> None:
        """Open a cache again if it was rebuilt; if it is gone or damaged, the last state stays open."""
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
        """Draw the caches, with the cursor on the named one; else the cursor stays on its cache."""
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
        """Draw the facts of the highlighted cache."""
        session, cache = self.session, self.highlighted
        if cache is None:
            return
        is_open = session.info is not None and cache.name == session.info.name
        fields = build_facts(session.cache) if session.cache and is_open else []
        state, verified = session.freshness.get(cache.path), session.verified.get(cache.path)
        self.query_one("#about Lines", Lines).show(about_lines(cache, fields, verified, state))

    def open(self, info: CacheInfo) -> None:
        """Open a cache in a thread."""
        self._opening = info
        start(self, "open", lambda: open_info(info), lambda opened: self._show(*opened), self._fail)

    def _fail(self, problem: str) -> None:
        self._opening = None
        self._say(problem)

    def _show(self, info: CacheInfo, cache: Cache, titles: tuple[str, ...]) -> None:
        """Make an opened cache that of the session."""
        self._opening = None
        self._say("")
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
"""The least number of seconds between two comparisons of a cache with its sources."""
CHECK_FACTOR = 30
"""The next check waits this many times as long as the last one took: checks use 1/30 of a core at most."""


Build = tuple[str, "Stamp | None"]
"""The path of a cache, and the stamp of its manifest."""


def _next_check(begun: float) -> float:
    """The time of the next check on the monotonic clock, after one from `begun` until now."""
    now = time.monotonic()
    return now + max(CHECK_INTERVAL, CHECK_FACTOR * (now - begun))


class ProjectPanel(Vertical):
    """Compares caches with their sources and reads the scopes, again and again; shows the table of scopes."""

    class FreshnessChanged(Message):
        """A cache was compared with its sources."""

    def __init__(self, session: Session) -> None:
        super().__init__(id="project")
        self.session = session
        self._due: dict[Build, float] = {}
        """The time of the next comparison of each build."""
        self._is_checking = False
        self.scopes: tuple[ScopeInfo, ...] = ()
        self._scopes_due = math.inf

    def compose(self) -> ComposeResult:
        """The table of scopes."""
        yield Table(SCOPE_COLUMNS, title="scopes", id="scopes")

    @property
    def table(self) -> Table:
        """The table of scopes."""
        return self.query_one("#scopes", Table)

    def check_new(self) -> None:
        """Make the check of caches due that are new or were rebuilt."""
        if self.session.project.file is None:
            return
        builds = [(cache.path, cache.stamp) for cache in self.session.catalog.caches if cache.is_built]
        self._due = {build: self._due.get(build, 0.0) for build in builds}
        self.check_due()

    def check_due(self) -> None:
        """Start the next due comparison, unless one is running, and read the scopes if that is due."""
        now = time.monotonic()
        due = next((build for build, time_due in self._due.items() if time_due <= now), None)
        if due is not None and not self._is_checking:
            self._is_checking = True
            self._due[due] = math.inf
            check = partial(check_freshness, self.session.project, due[0])
            start(self, "freshness", check, partial(self._record, due, now), self._continue)
        if self._scopes_due <= now:
            self._scopes_due = math.inf
            self.reload_scopes()

    def _continue(self, problem: str = "") -> None:
        """Start the next comparison; the problem of the last one is shown by the screen of its sources."""
        self._is_checking = False
        self.check_due()

    def _record(self, build: Build, begun: float, check: FreshnessCheck) -> None:
        if self.session.record_freshness(check):
            if build in self._due:
                self._due[build] = _next_check(begun)
            self.post_message(self.FreshnessChanged())
        self._continue()

    def reload_scopes(self) -> None:
        """Read the scopes of the project in a thread."""
        root = self.session.project_root
        if root is not None:
            then = partial(self._show_scopes, time.monotonic())
            start(self, "scopes", lambda: read_scopes(root), then, lambda problem: None)

    def _show_scopes(self, begun: float, scopes: tuple[ScopeInfo, ...]) -> None:
        """Show the scopes; without any, the table is hidden."""
        self.scopes, self._scopes_due = scopes, _next_check(begun)
        self.set_class(bool(scopes), "-scopes")
        self.table.show(len(scopes), lambda index: scope_cells(scopes[index]))

    @on(Table.Opened, "#scopes")
    def open_scope(self) -> None:
        """Open the context of the highlighted scope."""
        root = self.session.project_root
        if root is not None and 0 <= self.table.index < len(self.scopes):
            name = self.scopes[self.table.index].name
            self.app.push_screen(ScopeScreen(self.session, root, name))
