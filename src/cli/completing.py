"""What can follow what on a command line, read off the parsers of the commands."""

from __future__ import annotations

from argparse import ArgumentParser
from importlib import import_module

from .main import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Action
    from collections.abc import Iterator

_KINDS = {
    "CACHE": "caches", "A": "caches", "B": "caches", "NAME": "caches", "SOURCES": "files", "FILE": "files",
    "PATH": "files", "DIR": "folders", "ROOT": "folders", "FOLDER": "folders", "QUERIES": "files",
}  # fmt: skip
"""What a value of this name is: the name of a cache, a file, a folder."""


class Argument:
    """An option, or a place for a word without a dash."""

    def __init__(self, action: Action) -> None:
        """`action` of a parser."""
        self.flags = tuple(action.option_strings)
        self.takes_value = action.nargs != 0
        self.metavar = str(action.metavar or action.dest).upper()
        self.help = str(action.help or "") % {"default": action.default}
        self.choices = tuple(map(str, action.choices or ()))
        self.repeated = action.nargs in ("*", "+")

    @property
    def kind(self) -> str:
        """`words`, one of the choices; `caches`, `files`, `folders`; `text`, which nothing completes."""
        return "words" if self.choices else _KINDS.get(self.metavar, "text")


class Command:
    """A command with what may follow it."""

    def __init__(self, name: str) -> None:
        """`name` is one of `COMMANDS`."""
        parser = ArgumentParser()
        import_module(f".{name}", __package__).add_arguments(parser)
        self.name = name
        self.help = COMMANDS[name]
        arguments = list(map(Argument, _actions(parser)))
        self.options = list({argument.flags: argument for argument in arguments if argument.flags}.values())
        self.places = [argument for argument in arguments if not argument.flags]


def commands() -> list[Command]:
    """All commands, in the order of `ctx --help`."""
    return list(map(Command, COMMANDS))


def _actions(parser: ArgumentParser) -> Iterator[Action]:
    """The actions of a parser, and the options of the parsers below it."""
    for action in parser._actions:
        yield action
        if isinstance(action.choices, dict):
            for inner in action.choices.values():
                yield from (option for option in _actions(inner) if option.option_strings)
