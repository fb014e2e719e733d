"""The keys of the screen in view, and what the marks mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import VerticalScroll

from ..binding import available, bindings
from ..command_table import HELP
from ..help_lines import help_lines
from ..widgets.panels import Lines
from .base import Box

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.screen import Screen

    from ..commands import Command


class HelpBox(Box[None]):
    """Made of the commands that work on a screen."""

    CSS_PATH = "boxes.tcss"
    commands: ClassVar[tuple[Command, ...]] = HELP
    BINDINGS = bindings(HELP)

    def __init__(self, screen: Screen[object]) -> None:
        super().__init__()
        self._commands = [command for command, _ in available(screen)]

    def compose(self) -> ComposeResult:
        """The lines."""
        with VerticalScroll(id="box"):
            yield Lines()

    def on_mount(self) -> None:
        """Fill it."""
        self.query_one("#box").border_title = "help"
        self.query_one("#box").border_subtitle = "esc closes"
        self.query_one("#box").focus()

    def on_resize(self) -> None:
        """Wrap the lines for the room that there is."""
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        width = self.query_one("#box").scrollable_content_region.width
        self.query_one(Lines).show(help_lines(self._commands, width))
