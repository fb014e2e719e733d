"""The help as lines of pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .spans import padded, wrap
from .spans import width as cells

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..commands import Command
    from .spans import Line

MARKS = (
    ("●", "slot1", "chosen: the agent gets it; its colour is that of its part of the bar"),
    ("○", "dim", "left out: it matches, but was too large for what was left at its turn"),
    ("+656", "warn", "so much more budget, and a document that was left out is chosen"),
    ("= 3", "dim", "three documents have this very text; one of them is given"),
    ("▇▆▅▄", "slot1", "how much of the score each word of the query gives, in the order of the query"),
    ("◆", "warn", "the present budget on the curve of what each budget brings"),
    ("█ ░", "bar", "tokens used by the chosen, in order; tokens that remain"),
    ("✓ ✗", "good", "a cache that opens; one that does not, with its fault beside it"),
    ("↻ ? ·", "warn", "a cache whose sources changed; one that cannot be judged; one that is to be built"),
)


def help_lines(commands: Iterable[Command], width: int) -> list[Line]:
    """Each command with its keys, then the marks, in lines of at most `width` cells."""
    lines: list[Line] = [[("Keys", "strong"), ("   letters work while nothing is typed", "dim")], []]
    for command in commands:
        head: Line = [(padded(command.key_names, 11) + " ", "accent"), (padded(command.title, 22), "")]
        lines += _hanging(head, command.help, width)
    lines += [[], [("Marks", "strong")], []]
    for mark, role, words in MARKS:
        lines += _hanging([(padded(mark, 12) + " ", role)], words, width)
    return lines


def _hanging(head: Line, words: str, width: int) -> list[Line]:
    """Words beside a head; what does not fit follows below them, not below the head."""
    at = cells(head)
    first, *rest = wrap(words, max(12, width - at))
    return [[*head, (first, "dim")], *([(" " * at, ""), (line, "dim")] for line in rest)]
