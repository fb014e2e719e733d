"""The help as lines of pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .pieces import padded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .commands import Command
    from .pieces import Piece

MARKS = (
    ("●", "slot1", "chosen: the agent gets it; its colour is that of its part of the bar"),
    ("○", "dim", "left out: it matches, but was too large for what was left at its turn"),
    ("≥5,001", "warn", "the smallest budget at which a document that was left out gets in"),
    ("█ ░", "bar", "tokens used by the chosen, in order; tokens that remain"),
    ("✓ ✗", "good", "a cache that opens; one that does not, with its fault beside it"),
)


def help_lines(commands: Iterable[Command]) -> list[list[Piece]]:
    """Each command with its keys, then the marks."""
    lines: list[list[Piece]] = [[("Keys", "strong"), ("   letters work while nothing is typed", "dim")], []]
    lines += [
        [
            (padded(command.key_names, 11) + " ", "accent"),
            (padded(command.title, 22), ""),
            (command.help, "dim"),
        ]
        for command in commands
    ]
    lines += [[], [("Marks", "strong")], []]
    return lines + [[(padded(mark, 12) + " ", role), (words, "dim")] for mark, role, words in MARKS]
