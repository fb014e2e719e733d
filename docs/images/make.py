"""Draw the pictures of the inspector anew: `python docs/images/make.py` (needs `sample_caches/`)."""

from __future__ import annotations

import asyncio
from pathlib import Path

from textual.widgets import Input

from ctxcache.tui.app import Inspector
from ctxcache.tui.desk import Desk
from ctxcache.tui.question import Question

HERE = Path(__file__).parent
QUERY = "how do we roll back a deployment"
PICTURES = {
    "inspector": ((120, 36), "ctx-dark", ["down", "down"]),
    "inspector-light": ((120, 36), "ctx-light", ["down"] * 12),
    "inspector-document": ((120, 30), "ctx-dark", ["enter", "n"]),
    "inspector-compare": ((120, 24), "ctx-dark", ["f5", "end", "space", *"fast"]),
}


async def picture(name: str, size: tuple[int, int], theme: str, keys: list[str]) -> None:
    """Drive the inspector to a screen and write it as SVG."""
    question = Question(query=QUERY, budget=4000)
    app = Inspector(Desk(str(HERE.parents[1] / "sample_caches"), question=question), theme=theme)
    async with app.run_test(size=size) as pilot:
        await pilot.pause(1.0)
        for key in keys:
            await pilot.press(key)
        await pilot.pause(1.0)
        for field in app.screen.query(Input):
            field.cursor_blink = False
        await pilot.pause(0.2)
        svg = app.export_screenshot(title=f"ctx tui sample_caches --query '{QUERY}'")
        (HERE / f"{name}.svg").write_text(svg, "utf-8")


if __name__ == "__main__":
    for name, (size, theme, keys) in PICTURES.items():
        asyncio.run(picture(name, size, theme, keys))
