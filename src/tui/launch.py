"""Starting the inspector, in this terminal or in a browser."""

from __future__ import annotations

import gc
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..parallel import start_resource_tracker
from .session import History, Session, ThemeChoice, history_file, state_dir

if TYPE_CHECKING:
    from pathlib import Path

    from textual.driver import Driver

    from .session import Question

THEMES = ("dark", "light")


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    """How the inspector is to begin."""

    root: str
    """A root of caches, or one cache."""
    question: Question
    sources: str | None = None
    """The folder that the cache was built from, where that is known."""
    project: str | None = None
    """The root of the project, whose directories may have contexts."""
    configuration: Path | None = None
    """What describes the caches, where that is known."""
    theme: str = ""
    """One of `THEMES`; empty for the one that was chosen last."""

    def arguments(self) -> list[str]:
        """The command line of the program that begins in this way."""
        root = self.root if not self.root.startswith("-") else f"./{self.root}"
        line = ["tui", root, f"--query={self.question.query}", f"--budget={self.question.budget}"]
        line += ["--theme", self.theme] if self.theme else []
        return line + ([f"--sources={self.sources}"] if self.sources is not None else [])


def run(start: Start) -> int:
    """Run the inspector in this terminal until it is left; returns its exit code."""
    # A web server runs the same program without a terminal, and names a driver for that.
    if "TEXTUAL_DRIVER" not in os.environ and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the inspector needs a terminal; `ctx tui --web` shows it in a browser")
    from .app import Inspector  # Textual, for those who stay
    from .render import BASIC  # as above

    # A key never waits long for a thread that is ranking, nor for a look at all that was imported.
    sys.setswitchinterval(0.001)
    gc.freeze()
    if start.configuration is not None and sys.platform != "win32":
        # A rebuild has processes of its own. What looks after them cannot start once the screen is taken:
        # it is given standard error, which has no descriptor then.
        start_resource_tracker()
    directory = state_dir()
    chosen = ThemeChoice(directory)
    session = Session(
        start.root,
        question=start.question,
        sources=start.sources,
        project=start.project,
        configuration=start.configuration,
        history=History(history_file()),
        theme=chosen,
        state_dir=directory,
    )
    theme = f"ctx-{start.theme}" if start.theme else chosen.read()
    app = Inspector(session, driver=_driver(), theme=theme)
    session.has_colours = app.console.color_system not in (None, "standard")
    if not (theme or session.has_colours):
        app.theme = BASIC.name
    app.run()
    return app.return_code or 0


def _driver() -> type[Driver] | None:
    """What connects the program with a terminal or a browser; None for Textual's choice on Windows."""
    if sys.platform == "win32":
        return None
    from .driver import BrowserDriver, TerminalDriver  # as above

    return BrowserDriver if "TEXTUAL_DRIVER" in os.environ else TerminalDriver


def serve(start: Start, port: int) -> int:
    """Serve the inspector to browsers on this machine until interrupted."""
    from .web import serve_locally  # a web server, for those who want one

    serve_locally(start.arguments(), port)
    return 0
