"""What is said before anything was asked, and when nothing can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .pieces import Piece, count, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .commands import Command
    from .shelf import Volume


WORDS = (
    "The documents that it would get follow your keys, each with the reason why it is chosen or left out, "
    "and a bar shows where the budget goes."
)


def welcome_head(volume: Volume, examples: int) -> list[list[Piece]]:
    """What is there, and what to do."""
    tokens = f", {count(volume.tokens, 'token')}" if volume.tokens is not None else ""
    lines: list[list[Piece]] = [
        [(shown(volume.name), "term"), (f" holds {count(volume.documents, 'document')}{tokens}.", "")],
        [],
        [("Type what an agent would ask.", "strong")],
        [(WORDS, "")],
    ]
    return [*lines, [], [("Try one of its titles", "dim")]] if examples else lines


def welcome_foot(examples: int, commands: Iterable[Command]) -> list[list[Piece]]:
    """Where else to go."""
    first: list[list[Piece]] = [[("    ⏎", "accent"), (" asks the first", "dim")]] if examples else []
    others = [_pointer(command) for command in commands]
    return [*first, [], *others]


def _pointer(command: Command) -> list[Piece]:
    return [
        (f"{command.key(typing=True):>4}", "accent"),
        (f"  {command.title:<10}", ""),
        (f"  {command.help}", "dim"),
    ]
