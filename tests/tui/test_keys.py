"""Every key of every help screen reaches its command, also while something is typed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Input

from ctxcache.tui.commands import available_commands, is_typed

if TYPE_CHECKING:
    from .conftest import Run, Start

pytestmark = pytest.mark.asyncio

QUERY = "how do we roll back a deployment"
SCREENS = {
    "main": [],
    "documents": ["f2"],
    "document": ["enter"],
    "agent": ["f3"],
    "compare": ["f5"],
    "history": ["f7"],
    "sources": ["ctrl+r"],
    "tests": ["ctrl+t"],
    "save test": ["ctrl+s"],
    "help": ["f1"],
}


def record(run: Run, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let the actions of the screen and of the application note their calls instead of acting."""
    called: list[str] = []
    for command, action in available_commands(run.screen):
        name = re.sub(r"\(.*", "", command.action)
        owner = run.app if action.startswith("app.") else run.screen

        def note(*arguments: Any, name: str = name) -> None:
            called.append(f"{name}({', '.join(map(repr, arguments))})" if arguments else name)

        monkeypatch.setattr(owner, f"action_{name}", note)
    return called


@pytest.mark.parametrize("name", sorted(SCREENS))
async def test_every_key_runs_its_command(start: Start, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Help, footer and palette show the same commands, so none of them shows a dead key."""
    async with start(query=QUERY) as run:
        await run.press(*SCREENS[name])
        called = record(run, monkeypatch)
        inputs = list(run.screen.query(Input))
        for command, _ in available_commands(run.screen):
            for key in command.keys:
                # A field submits on Enter; the screens' own tests hold what follows.
                both = inputs and not is_typed(key) and key != "enter"
                for typing in [True, False] if both else [False]:
                    run.screen.set_focus(inputs[0] if typing else None)
                    called.clear()
                    await run.pilot.press(key)
                    assert called == [command.action], (key, typing)


@pytest.mark.parametrize("name", sorted(set(SCREENS) - {"help", "history", "save test"}))
async def test_the_footer_shows_keys_that_work_where_the_focus_is(start: Start, name: str) -> None:
    async with start(query=QUERY, size=(200, 40)) as run:
        await run.press(*SCREENS[name])
        typing = isinstance(run.screen.focused, Input)
        shown = run.text("KeyBar")
        for command, _ in available_commands(run.screen):
            if command.footer and command.key(typing=typing):
                assert f"{command.key(typing=typing)} {command.footer}" in shown


async def test_a_narrow_footer_shows_whole_keys_only(start: Start) -> None:
    async with start(query=QUERY, size=(60, 24)) as run:
        bar = run.one("KeyBar")
        assert all(key.region.right <= bar.region.right for key in run.screen.query("Key"))
