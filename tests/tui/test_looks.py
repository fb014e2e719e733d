"""How each screen looks, at each size, dark, light and without colour.

`pytest tests/tui/test_looks.py --snapshot-update` renews the pictures in `__snapshots__`; look at
each before it is committed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Input

from ctxcache.tui.app import Inspector
from ctxcache.tui.session import Question, Session, Start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    from .conftest import Settle

QUERY = "how do we roll back a deployment"
SMALL, USUAL, LARGE = (80, 24), (120, 40), (200, 60)
LOOKS = [
    ("welcome", SMALL, "", [], "ctx-dark"),
    ("welcome", USUAL, "", [], "ctx-dark"),
    ("answer", SMALL, QUERY, ["down"], "ctx-dark"),
    ("answer", USUAL, QUERY, ["down"], "ctx-dark"),
    ("answer", (104, 30), QUERY, ["down"], "ctx-dark"),
    ("answer", (60, 15), QUERY, ["down"], "ctx-dark"),
    ("answer", LARGE, QUERY, ["down", "ctrl+y"], "ctx-dark"),
    ("answer-light", USUAL, QUERY, ["down"], "ctx-light"),
    ("answer-nord", SMALL, QUERY, ["down"], "nord"),
    ("nothing", SMALL, "xylophone", [], "ctx-dark"),
    ("why-not", SMALL, QUERY, ["ctrl+n", "p", "a", "g", "e"], "ctx-dark"),
    ("caches", SMALL, QUERY, ["f6", "up"], "ctx-dark"),
    ("documents", SMALL, QUERY, ["f2"], "ctx-dark"),
    ("documents", USUAL, QUERY, ["f2", "ctrl+o", "ctrl+o"], "ctx-light"),
    ("document", USUAL, QUERY, ["enter"], "ctx-dark"),
    ("document-raw", SMALL, QUERY, ["enter", "r", "n"], "ctx-light"),
    ("agent", SMALL, QUERY, ["f3"], "ctx-dark"),
    ("compare", USUAL, QUERY, ["f5", "space", "p", "a", "g", "e", "r"], "ctx-dark"),
    ("history", SMALL, QUERY, ["f7"], "ctx-dark"),
    ("help", USUAL, QUERY, ["f1"], "ctx-dark"),
]


@pytest.mark.parametrize(
    ("name", "size", "query", "keys", "theme"), LOOKS, ids=[f"{look[0]}-{look[1][0]}" for look in LOOKS]
)
def test_looks(
    snap_compare: Callable[..., bool],
    caches: Path,
    settle: Settle,
    name: str,
    size: tuple[int, int],
    query: str,
    keys: list[str],
    theme: str,
) -> None:
    question = Question(query=query, budget=500)
    app = Inspector(Session(Start(root=str(caches), question=question)), theme=theme)

    async def before(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)
        _hold_still(app)
        await settle(pilot)

    assert snap_compare(app, terminal_size=size, run_before=before)


@pytest.mark.parametrize(
    ("size", "keys"),
    [
        (SMALL, ["ctrl+r"]),
        (USUAL, ["ctrl+r", "r"]),
        (SMALL, ["ctrl+t"]),
        (USUAL, ["ctrl+s", "space"]),
    ],
    ids=["sources-80", "rebuilt-120", "tests-80", "save-120"],
)
def test_looks_of_authoring(
    snap_compare: Callable[..., bool], project: Path, settle: Settle, size: tuple[int, int], keys: list[str]
) -> None:
    (project / "docs" / "new.md").write_text("# Roll back anew\n")
    (project / "docs" / "picture.md").write_bytes(b"\x89PNG\0")
    (project / "docs" / "faq.md").unlink()
    question = Question(query=QUERY, budget=500)
    place, configuration = str(project / ".ctx" / "caches"), project / "ctx.toml"
    app = Inspector(Session(Start(root=place, question=question, configuration=configuration)))

    async def before(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)
        app.clear_notifications()
        _hold_still(app)
        await settle(pilot)

    assert snap_compare(app, terminal_size=size, run_before=before)


def test_looks_without_colour(
    snap_compare: Callable[..., bool], caches: Path, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NO_COLOR means none at all: what is chosen, highlighted and found is told by marks and weight."""
    monkeypatch.setenv("NO_COLOR", "1")
    app = Inspector(Session(Start(root=str(caches), question=Question(query=QUERY, budget=500))))

    async def before(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        await pilot.press("down")
        await settle(pilot)
        _hold_still(app)
        await settle(pilot)

    assert snap_compare(app, terminal_size=USUAL, run_before=before)


def _hold_still(app: Inspector) -> None:
    """No cursor blinks in a picture."""
    for field in app.screen.query(Input):
        field.cursor_blink = False
