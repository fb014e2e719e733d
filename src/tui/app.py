"""The application: themes, the command palette, the commands of every screen, and unexpected errors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual.app import App

from .commands import EVERYWHERE, CommandsProvider, Palette, bindings
from .render import BASIC, DARK, LIGHT, defaults
from .screens.boxes import HelpBox
from .screens.main import MainScreen
from .session import THEME, Session
from .work import report

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
        if not isinstance(self.screen, HelpBox):
            self.push_screen(HelpBox(self.screen))

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
