"""What stands where there is no cache yet: what one is, and three ways to get one."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll

from ...errors import UsageError
from ..commands import FIRST_SCREEN
from ..project import Stopped, reporter
from ..sample import build_sample
from ..views.authoring import progress_line
from ..views.caches import first_lines
from ..views.spans import escaped
from ..widgets.bars import KeyBar, TitleBar
from ..widgets.lines import Lines, Problem
from ..workers import from_thread
from .base import View
from .boxes import LineBox

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult

    from ..project import ProjectSession
    from ..session import Session


class FirstScreen(View[str | None]):
    """Its outcome is the root that a cache was built in; None when it was left."""

    CSS_PATH = "first.tcss"
    AUTO_FOCUS = ""
    commands = FIRST_SCREEN

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._is_building = False
        self._is_stopped = False
        self._files: int | None = None

    def compose(self) -> ComposeResult:
        """Words, and what happens."""
        yield TitleBar()
        yield Problem()
        with VerticalScroll(can_focus=False):
            yield Lines(id="words")
            yield Lines(id="progress")
        yield KeyBar()

    def on_mount(self) -> None:
        """Say what a cache is, and what could be compiled here."""
        self.query_one(TitleBar).show([(" ctx", "strong")], [("a first cache ", "dim")])
        self._draw()
        if not self.unbuilt:
            self.start("count", lambda: count_files(Path()), self._count, lambda problem: None)

    @property
    def unbuilt(self) -> list[str]:
        """The caches that are described and not built."""
        return [cache.name for cache in self.session.catalog.caches if not cache.is_built]

    def _count(self, files: int) -> None:
        self._files = files
        self._draw()

    def _draw(self) -> None:
        lines = first_lines(Path().absolute().name, self._files, self.unbuilt, FIRST_SCREEN)
        self.query_one("#words", Lines).show(lines)

    def action_build(self) -> None:
        """Build what the configuration describes, or this folder."""
        if self.unbuilt:
            project, names, root = self.session.project, self.unbuilt, self.session.root
            self._build(lambda stopped, advanced: build_described(project, names, root, stopped, advanced))
        else:
            self._build_folder(".")

    def action_folder(self) -> None:
        """Build from another folder."""
        if self._is_building:
            return
        box = LineBox("a folder of documents", "its path")
        self.app.push_screen(box, lambda path: self._build_folder(path) if path else None)

    def _build_folder(self, path: str) -> None:
        root = self.session.root
        self._build(lambda stopped, advanced: build_folder(path, root, stopped, advanced))

    def action_sample(self) -> None:
        """Look at a small cache about the program."""
        directory = self.session.state_dir or Path(tempfile.gettempdir())
        self._build(lambda stopped, advanced: build_sample(directory / "sample-caches"))

    def _build(self, operation: Callable[[Callable[[], bool], Callable[[int, int], None]], str]) -> None:
        if self._is_building:
            return
        self._is_building, self._is_stopped = True, False
        self.say("")
        advanced = from_thread(asyncio.get_running_loop(), self._advance)
        self._advance(0, 1)
        self.start("build", lambda: operation(lambda: self._is_stopped, advanced), self._end, self._fail)

    def _advance(self, done: int, total: int) -> None:
        if self._is_building and self.is_mounted:
            lines = self.query_one("#progress", Lines)
            lines.show([[("building …  esc stops it", "dim")], progress_line(done, total, lines.size.width)])

    def _end(self, root: str) -> None:
        self._is_building = False
        self.dismiss(root)

    def _fail(self, problem: str) -> None:
        self._is_building = False
        self.query_one("#progress", Lines).show([])
        self.say(escaped(problem))

    def action_back(self) -> None:
        """Stop the build, or leave."""
        if self._is_building:
            self._is_stopped = True
        else:
            self.dismiss(None)

    def on_unmount(self) -> None:
        """Nobody waits for a build whose screen is gone."""
        self._is_stopped = True


def count_files(folder: Path) -> int:
    """How many files of a folder a build would read. Raises `CtxError`."""
    from ...builder.sources import walk  # the whole builder, for those who have no cache yet

    return len(walk(folder).files)


def build_folder(
    path: str, root: str, stopped: Callable[[], bool], advanced: Callable[[int, int], None]
) -> str:
    """Build a cache from a folder into a root of caches, and return the root. Raises `CtxError`."""
    from ...builder.build import build  # as above

    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise UsageError(f"{path}: there is no such folder")
    name = folder.resolve().name or "cache"
    try:
        build(folder, Path(root) / name, force=True, allow_empty=False, progress=reporter(stopped, advanced))
    except Stopped:
        raise UsageError("stopped; nothing was built") from None
    return root


def build_described(
    project: ProjectSession,
    names: list[str],
    root: str,
    stopped: Callable[[], bool],
    advanced: Callable[[int, int], None],
) -> str:
    """Build caches that the configuration describes, and return the root. Raises `CtxError`."""
    described = project.project()
    try:
        for name in names:
            described.cache(name).update(allow_empty=False, jobs=None, progress=reporter(stopped, advanced))
    except Stopped:
        raise UsageError("stopped; the cache that was being built is as it was") from None
    return root
