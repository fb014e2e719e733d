"""The application: its start, themes, command palette, commands of every screen, and unexpected errors."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from textual.app import App

from ..errors import UsageError
from ..parallel import start_resource_tracker
from .commands import EVERYWHERE, CommandsProvider, Palette, bindings
from .render import BASIC, DARK, LIGHT, defaults
from .screens.dialogs import HelpDialog
from .screens.main import MainScreen
from .session import THEME, Session, Start, StateDir
from .workers import report

if TYPE_CHECKING:
    from textual.driver import Driver


class Inspector(App[None]):
    """The Textual application around one session."""

    TITLE = "ctx"
    CSS_PATH = ["global.tcss"]
    COMMANDS = {CommandsProvider}
    BINDINGS = bindings(EVERYWHERE, namespace="app")

    def __init__(
        self, session: Session, *, theme: str = DARK.name, driver: type[Driver] | None = None
    ) -> None:
        # NO_COLOR also means no grey: marks and shading characters replace the colours.
        super().__init__(driver_class=driver, ansi_color=True if "NO_COLOR" in os.environ else None)
        self.animation_level = "none"  # each step of a smooth scroll would write a screen
        self.session = session
        for own_theme in (BASIC, DARK, LIGHT):
            self.register_theme(own_theme)
        self.theme = theme if theme in self.available_themes else DARK.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The variables that our stylesheets use, for a theme that does not define them."""
        return defaults(self.current_theme)

    def on_mount(self) -> None:
        """Open the main screen."""
        self.theme_changed_signal.subscribe(
            self, lambda theme: self.session.state.write(THEME, f"{theme.name}\n")
        )
        self.set_class(not self.session.has_colours, "-few-colours")
        self.push_screen(MainScreen(self.session))

    def action_toggle_theme(self) -> None:
        """Switch between the dark and the light theme."""
        self.theme = LIGHT.name if self.current_theme.dark else DARK.name

    def action_show_help(self) -> None:
        """Open the help of the current screen."""
        if not isinstance(self.screen, HelpDialog):
            self.push_screen(HelpDialog(self.screen))

    def action_command_palette(self) -> None:
        """Open the command palette."""
        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    def _handle_exception(self, error: Exception) -> None:
        """Ignore errors while the program ends: it may end before it has started fully."""
        if self._exit:
            self._close_messages_no_wait()
        else:
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Print one sentence and write a report; Textual would print a traceback with the values in it."""
        problem = report(self, self._exception) if self._exception is not None else "something went wrong"
        self.bell()
        self.panic(problem)


def run(start: Start) -> int:
    """Run the inspector until the user quits; the exit code. Raises `UsageError` without a terminal."""
    # The web server runs the same program without a terminal, and sets this variable.
    if "TEXTUAL_DRIVER" not in os.environ and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the inspector needs a terminal; `ctx tui --web` shows it in a browser")
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
    from .driver import BrowserDriver, TerminalDriver  # which import what Windows lacks

    return BrowserDriver if "TEXTUAL_DRIVER" in os.environ else TerminalDriver
