"""Start the inspector in this terminal, or in a process of the web server that shows it in a browser."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..parallel import start_resource_tracker
from .session import THEME, Session, Start, StateDir

if TYPE_CHECKING:
    from textual.driver import Driver


def run(start: Start) -> int:
    """Run the inspector until the user quits; the exit code. Raises `UsageError` without a terminal."""
    # The web server runs the same program without a terminal, and sets this variable.
    if "TEXTUAL_DRIVER" not in os.environ and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the inspector needs a terminal; `ctx tui --web` shows it in a browser")
    from .app import Inspector  # Textual, which takes long to load
    from .render import BASIC  # as above

    # A key must not wait long for a thread that ranks, nor for a garbage collection of all modules.
    sys.setswitchinterval(0.001)
    gc.freeze()
    if start.configuration is not None and sys.platform != "win32":
        # A rebuild starts processes. Their resource tracker inherits standard error, which has no descriptor
        # while Textual runs, so the tracker is started now.
        start_resource_tracker()
    state = StateDir.of_user()
    session = Session(start, state)
    theme = f"ctx-{start.theme}" if start.theme else state.read(THEME).strip()
    app = Inspector(session, driver=_driver(), theme=theme)
    session.has_colours = app.console.color_system not in (None, "standard")
    if not (theme or session.has_colours):
        app.theme = BASIC.name
    app.run()
    return app.return_code or 0


def _driver() -> type[Driver] | None:
    """The driver for a terminal or a browser; None for Textual's default on Windows."""
    if sys.platform == "win32":
        return None
    from .driver import BrowserDriver, TerminalDriver  # as above

    return BrowserDriver if "TEXTUAL_DRIVER" in os.environ else TerminalDriver
