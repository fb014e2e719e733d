"""Draw the pictures of the inspector anew: `python docs/images/make.py` (needs `sample_caches/`)."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

from textual.widgets import Input

from ctxcache.project.project import load_project
from ctxcache.tui.app import Inspector
from ctxcache.tui.session import Question, Session, Start

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
QUERY = "how do we roll back a deployment"
PICTURES = {
    "inspector": ((120, 36), "ctx-dark", ["down", "down"]),
    "inspector-light": ((120, 36), "ctx-light", ["down"] * 19),
    "inspector-small": ((80, 24), "ctx-dark", ["down"] * 19),
    "inspector-documents": ((120, 36), "ctx-dark", ["f2"]),
    "inspector-document": ((120, 30), "ctx-dark", ["enter", "n"]),
    "inspector-compare": ((120, 24), "ctx-dark", ["f5", "end", "space", *"fast"]),
}


async def picture(
    name: str, size: tuple[int, int], theme: str, keys: list[str], project: Path | None = None
) -> None:
    """Drive the inspector to a screen and write it as SVG; of the samples, or of a project."""
    question = Question(query=QUERY, budget=4000)
    root = project / ".ctx" / "caches" if project else ROOT / "sample_caches"
    configuration = project / "ctx.toml" if project else None
    app = Inspector(
        Session(Start(root=str(root), question=question, configuration=configuration)), theme=theme
    )
    async with app.run_test(size=size) as pilot:
        await pilot.pause(1.0)
        for key in keys:
            await pilot.press(key)
            await pilot.pause(0.2)
        await pilot.pause(1.5)
        app.clear_notifications()
        for field in app.screen.query(Input):
            field.cursor_blink = False
        await pilot.pause(0.2)
        title = "ctx tui" if project else f"ctx tui sample_caches --query '{QUERY}'"
        svg = app.export_screenshot(title=title)
        (HERE / f"{name}.svg").write_text(svg, "utf-8")


def edited_project(root: Path) -> Path:
    """The handbook as a project, edited since it was built."""
    shutil.copytree(ROOT / "samples" / "handbook", root / "handbook")
    (root / "ctx.toml").write_text('[caches.handbook]\nsources = "handbook"\n')
    load_project(root / "ctx.toml").cache("handbook").update()
    page = root / "handbook" / "deploy" / "rollback.md"
    page.write_text(page.read_text("utf-8").replace("rollback", "roll back", 2), "utf-8")
    (root / "handbook" / "deploy" / "canary.md").write_text("# Canary deployments\n\nOne region first.\n")
    (root / "handbook" / "glossary.md").unlink()
    (root / "handbook" / "deploy" / "diagram.md").write_bytes(b"\x89PNG\0")
    return root


if __name__ == "__main__":
    for name, (size, theme, keys) in PICTURES.items():
        asyncio.run(picture(name, size, theme, keys))
    with tempfile.TemporaryDirectory() as folder:
        project = edited_project(Path(folder))
        asyncio.run(picture("inspector-rebuilt", (120, 20), "ctx-dark", ["ctrl+r", "ctrl+r"], project))
