"""The welcome text of the main screen, and the screen that builds a first cache."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.containers import Vertical, VerticalScroll
from textual.message import Message
from textual.widgets import Static

from ...errors import UsageError
from ..commands import CACHES_COMMAND, DOCUMENTS_COMMAND, FIRST_SCREEN, HISTORY_COMMAND
from ..render import paint
from ..views.project import first_lines, welcome_foot, welcome_head
from ..views.spans import escaped
from ..widgets.lines import Lines, TitleBar
from .base import BuildScreen
from .dialogs import LineDialog

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult

    from ...builder.build import Reporter
    from ..catalog import CacheInfo
    from ..project import ProjectSession
    from ..session import Session

ELSEWHERE = (DOCUMENTS_COMMAND, CACHES_COMMAND, HISTORY_COMMAND)
"""The commands that the welcome text names."""


@dataclass
class ExamplePicked(Message):
    """An example was clicked; its query is to be asked."""

    query: str


class Example(Static):
    """A query to start with; a click asks it."""

    ALLOW_SELECT = False

    def __init__(self, query: str) -> None:
        super().__init__(paint([("  → ", "accent"), (escaped(query), "")]), markup=False)
        self._query = query

    def on_click(self) -> None:
        """Post the query."""
        self.post_message(ExamplePicked(self._query))


class Welcome(VerticalScroll, can_focus=False):
    """The size of the open cache, some of its titles as example queries, and the keys of other screens."""

    def compose(self) -> ComposeResult:
        """The text, with the examples in the middle."""
        yield Lines(id="welcome-head")
        yield Vertical(id="examples")
        yield Lines(id="welcome-foot")

    async def show(self, info: CacheInfo, titles: tuple[str, ...]) -> None:
        """Show a cache, with some of its titles as examples."""
        self.query_one("#welcome-head", Lines).show(welcome_head(info, len(titles)))
        self.query_one("#welcome-foot", Lines).show(welcome_foot(len(titles), ELSEWHERE))
        box = self.query_one("#examples")
        async with self.batch():
            await box.remove_children()
            await box.mount_all(Example(title) for title in titles)


SAMPLE = Path(__file__).parents[1] / "sample"
"""The documents of a small cache about the program."""


def build_sample(directory: Path) -> str:
    """Build the sample below a directory, and return this directory as a root. Raises `CtxError`."""
    from ...builder.build import build  # the whole builder, only for those who have no cache yet
    from ...builder.config import BuildConfig

    build(SAMPLE, directory / "sample", config=BuildConfig(tokenizer="bytes4"), force=True, jobs=1)
    return str(directory)


class FirstScreen(BuildScreen[str | None]):
    """Builds a first cache; its result is the root that the cache is in, None if nothing was built."""

    CSS_PATH = "first.tcss"
    AUTO_FOCUS = ""
    commands = FIRST_SCREEN

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._files: int | None = None

    def parts(self) -> ComposeResult:
        """The text, and the progress of a build."""
        with VerticalScroll(can_focus=False):
            yield Lines(id="words")
            yield Lines(id="progress")

    def on_mount(self) -> None:
        """Show the text, and count the files of this folder in a thread."""
        self.query_one(TitleBar).show([(" ctx", "strong")], [("a first cache ", "dim")])
        self._draw()
        if not self.unbuilt:
            self.start("count", lambda: count_files(Path()), self._count, lambda problem: None)

    @property
    def unbuilt(self) -> list[str]:
        """The names of the configured caches that are not built."""
        return [cache.name for cache in self.session.catalog.caches if not cache.is_built]

    def _count(self, files: int) -> None:
        self._files = files
        self._draw()

    def _draw(self) -> None:
        lines = first_lines(Path().absolute().name, self._files, self.unbuilt, FIRST_SCREEN)
        self.query_one("#words", Lines).show(lines)

    def action_build(self) -> None:
        """Build the configured caches, or without any a cache of this folder."""
        if self.unbuilt:
            project, names, root = self.session.project, self.unbuilt, self.session.root
            self._build(lambda progress: build_described(project, names, root, progress))
        else:
            self._build_folder(".")

    def action_folder(self) -> None:
        """Ask for a folder, and build a cache of it."""
        if self.is_building:
            return
        dialog = LineDialog("a folder of documents", "its path")
        self.app.push_screen(dialog, lambda path: self._build_folder(path) if path else None)

    def _build_folder(self, path: str) -> None:
        root = self.session.root
        self._build(lambda progress: build_folder(path, root, progress))

    def action_sample(self) -> None:
        """Build the sample."""
        directory = self.session.state.path or Path(tempfile.gettempdir())
        self._build(lambda progress: build_sample(directory / "sample-caches"))

    def _build(self, operation: Callable[[Reporter], str]) -> None:
        if not self.is_building:
            self.build(operation, self.dismiss, self.say)


def count_files(folder: Path) -> int:
    """The number of files of a folder that a build would read. Raises `CtxError`."""
    from ...builder.sources.walk import walk  # as above

    return len(walk(folder).files)


def build_folder(path: str, root: str, progress: Reporter) -> str:
    """Build a cache of a folder, named like it, in a root, and return the root. Raises `CtxError`."""
    from ...builder.build import build  # as above

    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise UsageError(f"{path}: there is no such folder")
    name = folder.resolve().name or "cache"
    build(folder, Path(root) / name, force=True, allow_empty=False, progress=progress)
    return root


def build_described(project: ProjectSession, names: list[str], root: str, progress: Reporter) -> str:
    """Build configured caches, and return the root. Raises `CtxError`."""
    configured = project.project()
    for name in names:
        configured.cache(name).update(allow_empty=False, jobs=None, progress=progress)
    return root
