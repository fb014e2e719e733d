"""A monkey at the keyboard: every key, sizes, rebuilds beneath it. The inspector never ends, and never lies.

`CTXCACHE_MONKEY=1000 CTXCACHE_MONKEY_SEEDS=11,12,13 pytest tests/tui/test_monkey.py` lets it play longer,
and otherwise.
"""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from ctxcache.project.project import load_project
from ctxcache.tui import commands
from ctxcache.tui.screens.main import MainScreen
from ctxcache.tui.session import StateDir

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Run, Start

pytestmark = pytest.mark.asyncio

EVENTS = int(os.environ.get("CTXCACHE_MONKEY", "120"))
SEEDS = [int(seed) for seed in os.environ.get("CTXCACHE_MONKEY_SEEDS", "1").split(",")]
SIZES = [(40, 10), (60, 15), (80, 24), (96, 30), (104, 30), (120, 40), (200, 60)]
LETTERS = "roll back deploy pager 4k"
LEAVES = {"ctrl+q", "q", "ctrl+z", "e"}
KEYS = sorted(
    {
        key
        for table in vars(commands).values()
        if isinstance(table, tuple)
        for command in table
        if isinstance(command, commands.Command)
        for key in command.keys
    }
    - LEAVES
)


async def event(run: Run, chance: random.Random, project: Path) -> str:
    """One thing that a monkey does."""
    kind = chance.random()
    if kind < 0.06:
        await run.pilot.resize_terminal(*chance.choice(SIZES))
        return "resize"
    if kind < 0.1:
        (project / "docs" / f"{chance.randrange(5)}.md").write_text(f"# Roll {chance.random()}\n")
        load_project(project / "ctx.toml").cache("guide").update()
        screen = next(screen for screen in run.app.screen_stack if isinstance(screen, MainScreen))
        screen.caches.reload()
        return "rebuild"
    if kind < 0.16:
        width, height = run.app.size
        await run.pilot.click(offset=(chance.randrange(width), chance.randrange(height)))
        return "click"
    key = chance.choice(LETTERS) if kind < 0.4 else chance.choice([*KEYS, "tab", "left", "right", "escape"])
    await run.pilot.press("space" if key == " " else key)
    return key


@pytest.mark.parametrize("seed", SEEDS)
async def test_nothing_that_is_done_to_it_ends_the_inspector(
    opened: Start, project: Path, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    async with opened(query="roll back", state=StateDir(tmp_path / "state")) as run:
        done = []
        for number in range(EVENTS):
            done.append(await event(run, chance, project))
            if number % 10 == 9:
                await run.settle()
            assert run.app.is_running, done[-20:]
        await run.settle()
        report = tmp_path / "state" / "last-error.txt"
        assert not report.exists(), (report.read_text(), done[-20:])
        while not isinstance(run.screen, MainScreen):
            run.app.pop_screen()
            await run.settle()
        run.screen.set_question(run.session.question.with_query("roll back").with_budget(500))
        await run.settle()
        result = run.session.cache.resolve("roll back", 500)
        assert run.answer.result.chosen_names(99)[0] == [document.id for document in result.documents]
