"""Starting the inspector in this terminal, or behind the web server that shows it in a browser."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..parallel import start_resource_tracker
from .session import THEME, Session, StateDir

if TYPE_CHECKING:
    from textual.driver import Driver

    from .session import Start


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
    """What connects the program with a terminal or a browser; None for Textual's choice on Windows."""
    if sys.platform == "win32":
        return None
    from .driver import BrowserDriver, TerminalDriver  # as above

    return BrowserDriver if "TEXTUAL_DRIVER" in os.environ else TerminalDriver
