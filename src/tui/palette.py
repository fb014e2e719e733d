"""Commands as Textual wants them: key bindings, and hits of the palette."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.binding import Binding, BindingType
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.widgets import OptionList

from .commands import EVERYWHERE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator

    from textual.screen import Screen

    from .commands import Command


def bindings(commands: Iterable[Command], *, namespace: str = "screen") -> list[BindingType]:
    """A binding for each key; letters reach it only when nothing is being typed."""
    return [
        Binding(key, f"{namespace}.{command.action}", command.title, show=False)
        for command in commands
        for key in command.keys
    ]


def available(screen: Screen[object]) -> list[tuple[Command, str]]:
    """The commands that work on a screen now, each with the action that runs it."""
    own = [(command, f"screen.{command.action}") for command in getattr(screen, "commands", ())]
    # A screen that lies over another keeps the keys of the application from it.
    others = () if screen.is_modal else EVERYWHERE
    commands = own + [(command, f"app.{command.action}") for command in others]
    taken = {key for command, _ in own for key in command.keys}
    return [
        (command, action)
        for command, action in commands
        if screen.check_action(command.action.partition("(")[0], ()) is not False
        and (action.startswith("screen.") or not taken.issuperset(command.keys))
    ]


class CommandsProvider(Provider):
    """Offers the commands of the screen in the palette."""

    async def discover(self) -> Hits:
        """All of them, in the order of the help."""
        for command, run in self._commands():
            yield DiscoveryHit(command.title, run, help=f"{command.key_names}   {command.help}")

    async def search(self, query: str) -> Hits:
        """Those whose title matches what was typed."""
        matcher = self.matcher(query)
        for command, run in self._commands():
            if (score := matcher.match(command.title)) > 0:
                help_ = f"{command.key_names}   {command.help}"
                yield Hit(score, matcher.highlight(command.title), run, help=help_)

    def _commands(self) -> Iterator[tuple[Command, Callable[[], Awaitable[None]]]]:
        for command, action in available(self.screen):
            yield command, partial(self.screen.run_action, action)


class Palette(CommandPalette):
    """Textual's palette, whose list may be asked to move before it has anything to move to."""

    def _action_command_list(self, action: str) -> None:
        if self.query_one(OptionList).option_count:
            super()._action_command_list(action)
