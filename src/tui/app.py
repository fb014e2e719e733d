"""The application: its screens, its themes, and the commands that work everywhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual.app import App

from .binding import CommandsProvider, bindings
from .command_table import EVERYWHERE
from .pieces import shown
from .screens.document import DocumentScreen
from .screens.help import HelpBox
from .screens.resolve import ResolveScreen
from .themes import DARK, LIGHT, defaults

if TYPE_CHECKING:
    from ..cache.documents import DocumentSummary
    from ..resolver.cache import Cache
    from .answered import Answered
    from .desk import Desk
    from .messages import Verified


class Inspector(App[None]):
    """Browse caches, ask, see why."""

    TITLE = "ctx"
    CSS_PATH = ["global.tcss"]
    COMMANDS = {CommandsProvider}
    BINDINGS = bindings(EVERYWHERE, namespace="app")
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, desk: Desk, *, theme: str = DARK.name) -> None:
        # Without colour means without any, also none of grey: marks and shades say it all.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.desk = desk
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = theme

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Colours of ours, for themes that have none."""
        return defaults(dark=self.current_theme.dark)

    def on_mount(self) -> None:
        """Begin."""
        self.push_screen(ResolveScreen(self.desk.question))

    def action_toggle_theme(self) -> None:
        """Dark or light."""
        self.theme = LIGHT.name if self.current_theme.dark else DARK.name

    def action_show_help(self) -> None:
        """The help of the screen in view."""
        if not isinstance(self.screen, HelpBox):
            self.push_screen(HelpBox(self.screen))

    def show_ranked(self, answered: Answered, rank: int) -> None:
        """Open a document of an answer; the others of it follow."""

        def id_at(place: int) -> tuple[str, str] | None:
            rows = answered.rows(place, place + 1) if place >= 1 else []
            return (rows[0].id, f"rank {place:,} of {answered.matches:,}") if rows else None

        self.push_screen(DocumentScreen(answered.cache, id_at, rank, answered.question.query))

    def show_listed(self, headings: list[DocumentSummary], place: int) -> None:
        """Open a document of the open cache; the others of a list follow."""

        def id_at(place: int) -> tuple[str, str] | None:
            return (headings[place].id, "") if 0 <= place < len(headings) else None

        if self.desk.cache is not None:
            self.push_screen(DocumentScreen(self.desk.cache, id_at, place, self.desk.question.query))

    def show_one(self, cache: Cache, id_: str, query: str) -> None:
        """Open one document."""
        self.push_screen(DocumentScreen(cache, lambda place: (id_, "") if not place else None, 0, query))

    def tell_verified(self, message: Verified) -> None:
        """Say how a verification ended."""
        found = message.verification
        if found is not None and found.valid:
            self.notify(f"{shown(message.name)}: every byte verified", markup=False)
        else:
            fault = str(found.faults[0].detail) if found is not None else message.problem
            self.notify(shown(fault), title=shown(message.name), severity="error", markup=False)
