"""The first and the last line of every screen: where we are, and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.containers import Horizontal
from textual.widgets import Input, Static

from ..palette import available
from ..render import paint

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..views.spans import Line


class TitleBar(Horizontal):
    """Where we are, on the left; figures on the right."""

    DEFAULT_CSS = """
    TitleBar { height: 1; dock: top; }
    TitleBar > #where { width: 1fr; }
    TitleBar > #figures { width: auto; }
    TitleBar > Static { text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def compose(self) -> ComposeResult:
        """Two texts."""
        yield Static(markup=False, id="where")
        yield Static(markup=False, id="figures")

    def show(self, where: Line, figures: Line) -> None:
        """Replace both."""
        self.query_one("#where", Static).update(paint(where))
        self.query_one("#figures", Static).update(paint([("  ", ""), *figures]))


class Key(Static):
    """A key and its word; a click does the same."""

    DEFAULT_CSS = "Key { width: auto; height: 1; padding: 0 1; text-wrap: nowrap; }"
    ALLOW_SELECT = False

    def __init__(self, key: str, word: str, action: str, tooltip: str) -> None:
        super().__init__(paint([(key, "accent"), (f" {word}", "soft")]), markup=False)
        self.tooltip = tooltip
        self._action = action

    async def on_click(self) -> None:
        """Run the command."""
        await self.screen.run_action(self._action)


class KeyBar(Horizontal):
    """The commands of the screen with a word in the footer; keys that work where the focus is."""

    DEFAULT_CSS = "KeyBar { height: 1; dock: bottom; overflow: hidden hidden; }"

    def on_mount(self) -> None:
        """Follow the focus: letters are keys only when nothing is typed."""
        self.watch(self.screen, "focused", self._renew)

    def on_resize(self) -> None:
        """Show as many keys as fit."""
        self._renew()

    def _renew(self) -> None:
        self.call_next(self.renew)

    async def renew(self) -> None:
        """Show the commands that work now."""
        typing = isinstance(self.screen.focused, Input)
        # What works everywhere stands first, where no narrow terminal cuts it off.
        commands = sorted(available(self.screen), key=lambda each: each[1].startswith("screen."))
        keys, room = [], self.size.width
        for command, action in commands:
            key, word = command.key(typing=typing), command.footer
            room -= cell_len(key) + len(word) + 3 if key and word else 0
            if key and word and room >= 0:
                keys.append(Key(key, word, action, f"{command.title}. {command.help}"))
        async with self.batch():
            await self.remove_children()
            await self.mount_all(keys)
