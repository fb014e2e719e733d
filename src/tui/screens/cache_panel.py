"""The caches of the root: listing them, opening one, following what happens on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical, VerticalScroll
from textual.message import Message

from ..catalog import facts, open_info, read_catalog
from ..views.caches import COLUMNS, about_lines, cache_cells
from ..views.spans import escaped
from ..widgets.lines import Lines
from ..widgets.table import Table
from ..workers import start

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ...resolver.cache import Cache
    from ..catalog import CacheCatalog, CacheInfo
    from ..session import Session
    from ..views.table import Row


class CachePanel(Vertical):
    """Owns what is known of the caches."""

    @dataclass
    class Opened(Message):
        """A cache was opened, perhaps once more; `titles` are some to ask for."""

        titles: tuple[str, ...]

    @dataclass
    class Said(Message):
        """What is wrong with the open cache, or nothing."""

        problem: str

    class Drawn(Message):
        """What is known of the caches changed."""

    class Empty(Message):
        """There is no cache that opens; the catalog says why."""

    def __init__(self, session: Session) -> None:
        super().__init__(id="caches")
        self.session = session
        self._opening: CacheInfo | None = None

    def compose(self) -> ComposeResult:
        """A list, and what is known of the highlighted one."""
        yield Table(COLUMNS, title="caches", id="catalog")
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
            self._follow(session.info, catalog.named(session.info.name))
        self.draw(name)

    def _open_first(self) -> None:
        """Open the first cache that opens; where there is none, say why."""
        catalog = self.session.catalog
        first = catalog.first_sound(self.session.project.names)
        if first is None:
            self._say(next((cache.fault for cache in catalog.caches), catalog.fault))
            self.post_message(self.Empty())
        elif self._opening is None:
            self.open(first)

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
        self.post_message(self.Said(problem))

    def draw(self, highlighted: str = "") -> None:
        """Draw what is known of the caches, the cursor on the one that it was on."""
        names = [cache.name for cache in self.session.catalog.caches]
        wanted = highlighted or (self.session.info.name if self.session.info else "")
        cursor = names.index(wanted) if wanted in names else None
        self.table.show(len(names), self._cells, cursor=cursor)
        self.draw_about()
        self.post_message(self.Drawn())

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
        known = facts(session.cache) if session.cache and is_open else []
        state, verified = session.freshness.get(cache.path), session.verified.get(cache.path)
        self.query_one("#about Lines", Lines).show(about_lines(cache, known, verified, state))

    def open(self, info: CacheInfo) -> None:
        """Open a cache."""
        self._opening = info
        start(self, "open", lambda: open_info(info), self._show, self._say)

    def _show(self, opened: tuple[CacheInfo, Cache | None, tuple[str, ...], str]) -> None:
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
