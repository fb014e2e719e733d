"""A small root of caches, and an inspector that is driven by keys and mouse."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from ctxcache.builder.build import build
from ctxcache.builder.compile import GivenText
from ctxcache.builder.config import BuildConfig
from ctxcache.project.project import load_project
from ctxcache.tui.app import Inspector
from ctxcache.tui.screens import answer, compare, main
from ctxcache.tui.session import Question, Session, StateDir
from ctxcache.tui.session import Start as Beginning

if TYPE_CHECKING:
    from pathlib import Path

    from textual.app import App
    from textual.pilot import Pilot

QUERY = "how do we roll back a deployment"

DOCUMENTS = {
    "deploy/rollback.md": "# Roll back a deployment\n\nRoll back first, then look.\n\n"
    "1. Run `ship rollback`.\n2. Say so in the channel.\n\n" + "A rollback takes minutes. " * 8,
    "deploy/index.md": "# Deployment\n\nA deployment reaches one region after the other.\n\n"
    + "Watch the graphs of the deployment. " * 14,
    "deploy/freeze.md": "# Change freeze\n\nNo deployment in the last week of the year.\n",
    "oncall/runbook.md": "# Runbook\n\nWhen paged, decide whether to roll back.\n\n" + "Write it down. " * 90,
    "oncall/pager.md": "# Who answers the pager\n\nThe rotation is weekly.\n",
    "faq.md": "# Frequently asked questions\n\n## How do I get back my access?\n\nAsk the desk.\n",
    "data/backup.md": "# Back up a database\n\nBack up each night, and try the backup.\n" + "Keep it. " * 30,
    "api/errors.md": "# Errors of the interface\n\nEach error has a stable code.\n",
}


CONFIGURATION = """# ours
[caches.guide]
sources = "docs"
tokenizer = "bytes4"
max_tokens = 450

[caches.later]
sources = "docs/api"
tokenizer = "bytes4"
cache = "out/later"

[[tests]]
cache = "guide"
query = "who answers the pager"
budget = 500
expect = ["oncall/pager.md"]
"""


@dataclass
class Run:
    """An inspector that is running, its pilot, and what to wait for."""

    app: Inspector
    pilot: Pilot[Any]

    @property
    def screen(self) -> Any:
        """The screen in view."""
        return self.app.screen

    @property
    def session(self) -> Any:
        """What its screens share."""
        return self.app.session

    @property
    def answer(self) -> Any:
        """The answer on the main screen."""
        return next(screen for screen in self.app.screen_stack if isinstance(screen, main.MainScreen)).answer

    def one(self, selector: Any, kind: Any = Widget) -> Any:
        """A widget of the screen in view."""
        return (
            self.screen.query_one(selector, kind)
            if isinstance(selector, str)
            else self.screen.query_one(selector)
        )

    async def settle(self) -> None:
        """Wait until no worker or message is left that could change the screen."""
        await settled(self.pilot)

    async def press(self, *keys: str) -> None:
        """Press keys, each once what came of the one before is there."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def type(self, text: str) -> None:
        """Type a text as fast as can be."""
        await self.pilot.press(*("space" if letter == " " else letter for letter in text))
        await self.settle()

    def text(self, selector: str) -> str:
        """The text of all texts below a widget of the screen in view."""
        if selector == "#why":
            return "\n".join("".join(text for text, _ in line) for line in self.one("#why").lines)
        found = [
            static
            for widget in self.app.screen.query(selector)
            for static in [widget, *widget.query(Static)]
            if isinstance(static, Static)
        ]
        return "\n".join(_plain(static.content) for static in found)


PATIENCE = 120.0
"""Seconds for what takes less than one: a wait that is longer fails."""


async def settled(pilot: Pilot[Any]) -> None:
    """Wait out the pauses after the last key, and every worker that follows from another."""
    async with asyncio.timeout(PATIENCE):
        for _ in range(3):
            await pilot.pause(0.01)
            while _is_busy(pilot.app):
                await pilot.pause(0.002)
            await pilot.pause()


def _is_busy(app: App[Any]) -> bool:
    return any(not worker.is_finished and worker.group != "history" for worker in app.workers)


def _plain(content: object) -> str:
    return content.plain if isinstance(content, Content) else str(content)


Start = Callable[..., AbstractAsyncContextManager[Run]]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody types here: the pauses after a key are as short as they can be, and nothing comes by itself."""
    monkeypatch.setattr(answer, "QUERY_DELAY", 0.001)
    monkeypatch.setattr(answer, "DETAILS_DELAY", 0.002)
    monkeypatch.setattr(compare, "QUERY_DELAY", 0.001)
    monkeypatch.setattr(answer, "HISTORY_DELAY", 3600.0)
    monkeypatch.setattr(main, "POLL_INTERVAL", 3600.0)  # a test looks when it wants to


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with a cache of either format, one that is broken, and a directory that is none."""
    base = tmp_path_factory.mktemp("inspector")
    for id_, text in DOCUMENTS.items():
        path = base / "docs" / id_
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    root = base / "caches"
    root.mkdir()
    build(base / "docs", root / "guide", config=BuildConfig(tokenizer="bytes4", max_tokens=450), jobs=1)
    build(base / "docs", root / "guide-v0", config=BuildConfig(profile="v0"), jobs=1)
    shutil.copytree(root / "guide", root / "broken")
    (root / "broken" / "manifest.json").write_text('{"cache_version": 3}', "utf-8")
    (root / "notes").mkdir()
    return root


@pytest.fixture
def own_caches(caches: Path, tmp_path: Path) -> Path:
    """A copy of the root, to be changed."""
    return shutil.copytree(caches, tmp_path / "caches")


@pytest.fixture
def start(caches: Path) -> Start:
    """Start an inspector of these caches; `query` and `budget` are what it begins with."""

    @asynccontextmanager
    async def started(
        root: Path | str = caches,
        *,
        size: tuple[int, int] = (100, 30),
        query: str = "",
        budget: int = 500,
        theme: str = "ctx-dark",
        state: StateDir | None = None,
        **more: Any,
    ) -> AsyncIterator[Run]:
        question = Question(query=query, budget=budget)
        session = Session(Beginning(root=str(root), question=question, **more), state)
        app = Inspector(session, theme=theme)
        async with app.run_test(size=size) as pilot:
            run = Run(app, pilot)
            await run.settle()
            yield run

    return started


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one cache that is built and fresh, and one that is not built yet."""
    for id_, text in DOCUMENTS.items():
        path = tmp_path / "docs" / id_
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / "ctx.toml").write_text(CONFIGURATION)
    load_project(tmp_path / "ctx.toml").cache("guide").update()
    return tmp_path


@pytest.fixture
def opened(start: Start, project: Path) -> Start:
    """Start the inspector of the project."""

    def begun(**more: Any) -> AbstractAsyncContextManager[Run]:
        return start(project / ".ctx" / "caches", configuration=project / "ctx.toml", **more)

    return begun


Settle = Callable[["Pilot[Any]"], Awaitable[None]]


@pytest.fixture
def settle() -> Settle:
    """Wait until nothing is left that could change the screen."""
    return settled


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache of 700 documents that all hold one word."""
    place = tmp_path_factory.mktemp("many") / "many"
    texts = [GivenText(f"{number:04}", f"Page {number}", "word " * 20) for number in range(700)]
    build(texts, place, config=BuildConfig(tokenizer="bytes4"), jobs=1)
    return str(place)
