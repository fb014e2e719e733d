"""The caches of the main screen: listing them, opening one, following what happens on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual import on

from .. import jobs
from ..command_table import RESOLVE
from ..messages import CacheOpened, ScopesRead, ShelfRead, Verified
from ..pieces import count, shown
from ..shelf import facts
from ..shelf_lines import about_lines, stale_pieces
from ..welcome_lines import welcome_foot, welcome_head
from ..widgets.asking import QueryInput
from ..widgets.bars import TitleBar
from ..widgets.panels import Lines, Problem
from ..widgets.scope_list import ScopeList
from ..widgets.shelf_list import ShelfList
from ..widgets.welcome import Welcome
from .scope import ScopeScreen
from .typed import Typed

if TYPE_CHECKING:
    from ..library import Verification
    from ..question import Question
    from ..shelf import Volume

ELSEWHERE = ("documents", "caches", "history")
"""Commands that the welcome points to."""


class Shelving(Typed):
    """Owns what is known of the caches."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.titles: tuple[str, ...] = ()
        self._opening: Volume | None = None
        self._verified: dict[str, Verification | str] = {}

    def look(self) -> None:
        """Look at the directory of caches."""
        desk = self.inspector.desk
        self.start("look", jobs.read_caches, desk.place, desk.shelf, desk.workshop)

    @on(ShelfRead)
    def _show_shelf(self, message: ShelfRead) -> None:
        """Show the caches, and follow what happened to the open one."""
        desk = self.inspector.desk
        if message.shelf == desk.shelf and desk.volume is not None:
            return
        desk.shelf = message.shelf
        if desk.volume is None:
            self._open_first()
        else:
            self._follow(desk.volume, desk.shelf.named(desk.volume.name))
        self.draw_shelf()

    def _open_first(self) -> None:
        """Open the first cache that opens; where there is none, say why."""
        shelf = self.inspector.desk.shelf
        first = shelf.first_sound(self.inspector.desk.workshop.names)
        if first is None:
            fault = next((volume.fault for volume in shelf.volumes), shelf.fault)
            self.show_face("none")
            self._say(fault)
        elif self._opening is None:
            self.open(first)

    def _follow(self, before: Volume, now: Volume | None) -> None:
        """Open a cache once more when it was replaced; its last state stays open when it is gone."""
        if now is None:
            self._say(f"{before.name} is gone from the disk; what you see is its last state")
        elif now.fault:
            self._say(f"{now.fault} (what you see is its last state)")
        elif now.stamp != before.stamp:
            self.open(now)
        else:
            self._say("")

    def _say(self, sentence: str) -> None:
        self.query_one("#cache-problem", Problem).say(sentence)

    def draw_shelf(self) -> None:
        """Draw what is known of the caches."""
        desk = self.inspector.desk
        name = desk.volume.name if desk.volume else ""
        self.query_one(ShelfList).show(desk.shelf.volumes, name, desk.states)
        if desk.volume is not None:
            self._draw_title(desk.volume)
        self._draw_about()

    @on(ShelfList.Moved, "#shelf")
    def _draw_about(self) -> None:
        """Say what is known of the highlighted cache."""
        desk, volume = self.inspector.desk, self.query_one(ShelfList).volume
        if volume is None:
            return
        is_open = desk.volume is not None and volume.name == desk.volume.name
        known = facts(desk.cache) if desk.cache and is_open else []
        state = desk.states.get(volume.path)
        lines = about_lines(volume, known, self._verified.get(volume.name), state)
        self.query_one("#about Lines", Lines).show(lines)

    def open(self, volume: Volume) -> None:
        """Open a cache; it is asked the question on screen."""
        self._opening = volume
        self.start("open", jobs.open_volume, volume)

    @on(CacheOpened)
    async def _show_cache(self, message: CacheOpened) -> None:
        """Ask the new cache what is on screen."""
        desk, volume = self.inspector.desk, message.volume
        if self._opening is None or volume.path != self._opening.path:
            return
        self._opening = None
        self._say(message.problem)
        if message.cache is None:
            return
        if desk.volume is not None and desk.volume.path == volume.path:
            self.notify(f"{shown(volume.name)} was rebuilt: this is its new state", markup=False)
            if desk.cache is not None:
                desk.previous[volume.name] = desk.cache
        self._verified.pop(volume.name, None)
        desk.volume, desk.cache, self.titles = volume, message.cache, message.titles
        self.draw_shelf()
        elsewhere = [command for command in RESOLVE if command.action in ELSEWHERE]
        head, foot = welcome_head(volume, len(self.titles)), welcome_foot(len(self.titles), elsewhere)
        await self.query_one(Welcome).show(head, self.titles, foot)
        self.ask(self.question, at_once=True)

    @property
    def _root_name(self) -> str:
        """The directory that the open cache lies in."""
        volume = self.inspector.desk.volume
        return Path(volume.path).absolute().parent.name if volume else ""

    def _draw_title(self, volume: Volume) -> None:
        tokens = f" · {count(volume.tokens, 'token')}" if volume.tokens is not None else ""
        freshness = self.inspector.desk.states.get(volume.path)
        self.query_one(TitleBar).show(
            [(" ctx  ", "strong"), (f"{shown(self._root_name)} / ", "dim"), (shown(volume.name), "accent")],
            [*stale_pieces(freshness), (f"{count(volume.documents, 'document')}{tokens} ", "dim")],
        )

    @on(ShelfList.Opened, "#shelf")
    def open_highlighted(self) -> None:
        """Open the highlighted cache, or say why it does not open."""
        volume = self.query_one(ShelfList).volume
        if volume is None:
            return
        if volume.fault:
            self._say(volume.fault)
            return
        self.remove_class("-shelf")
        self.query_one(QueryInput).focus()
        if self.inspector.desk.volume != volume:
            self.open(volume)

    def look_at_scopes(self) -> None:
        """Look at the contexts of the project's directories."""
        project = self.inspector.desk.project
        if project is not None:
            self.start("scopes", jobs.read_scopes, project)

    @on(ScopesRead)
    def _show_scopes(self, message: ScopesRead) -> None:
        """Show them, where there are any."""
        self.set_class(bool(message.scopes), "-scopes")
        self.query_one(ScopeList).show(message.scopes)

    @on(ScopeList.Opened, "#scopes")
    def read_scope(self) -> None:
        """Open the context of the highlighted directory."""
        scope, project = self.query_one(ScopeList).scope, self.inspector.desk.project
        if scope is not None and project is not None:
            self.app.push_screen(ScopeScreen(project, scope.name))

    @property
    def meant(self) -> Volume | None:
        """The highlighted cache where the list has the focus, else the open one."""
        shelf, desk = self.query_one(ShelfList), self.inspector.desk
        return shelf.volume if isinstance(self.focused, ShelfList) else desk.volume or shelf.volume

    def action_verify(self) -> None:
        """Check the highlighted cache, or the open one."""
        volume = self.meant
        if volume is None:
            return
        if other := self.inspector.desk.begin(volume.path, "verification"):
            self.notify(f"a {other} of {shown(volume.name)} is still running", markup=False)
            return
        self._verified[volume.name] = "checking every byte …"
        self._draw_about()
        self.start("verify", jobs.check_volume, volume)

    @on(Verified)
    def _show_verified(self, message: Verified) -> None:
        self.inspector.desk.end(message.path)
        self._verified[message.name] = message.verification or message.problem
        self._draw_about()
        self.inspector.tell_verified(message)
