"""The help as lines of pieces."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from .pieces import padded
from .pieces import width as cells

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .commands import Command
    from .pieces import Piece

MARKS = (
    ("●", "slot1", "chosen: the agent gets it; its colour is that of its part of the bar"),
    ("○", "dim", "left out: it matches, but was too large for what was left at its turn"),
    ("at 5,001", "warn", "the smallest budget at which a document that was left out gets in"),
    ("█ ░", "bar", "tokens used by the chosen, in order; tokens that remain"),
    ("✓ ✗", "good", "a cache that opens; one that does not, with its fault beside it"),
    ("↻ ? ·", "warn", "a cache whose sources changed; one that cannot be judged; one that is to be built"),
)


def help_lines(commands: Iterable[Command], width: int) -> list[list[Piece]]:
    """Each command with its keys, then the marks, in lines of at most `width` cells."""
    lines: list[list[Piece]] = [[("Keys", "strong"), ("   letters work while nothing is typed", "dim")], []]
    for command in commands:
        head: list[Piece] = [(padded(command.key_names, 11) + " ", "accent"), (padded(command.title, 22), "")]
        lines += _hanging(head, command.help, width)
    lines += [[], [("Marks", "strong")], []]
    for mark, role, words in MARKS:
        lines += _hanging([(padded(mark, 12) + " ", role)], words, width)
    return lines


def _hanging(head: list[Piece], words: str, width: int) -> list[list[Piece]]:
    """Words beside a head; what does not fit follows below them, not below the head."""
    at = cells(head)
    first, *rest = wrap(words, max(12, width - at)) or [""]
    return [[*head, (first, "dim")], *([(" " * at, ""), (line, "dim")] for line in rest)]
