"""Two answers side by side as lines of pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .pieces import Piece, padded, short_id

if TYPE_CHECKING:
    from ..resolver.comparison import Comparison, Difference
    from ..resolver.entry import Entry

MARKS = {"entered": ("+", "good"), "left": ("-", "bad"), "moved": ("↕", "warn"), "kept": (" ", "dim")}


def header(width: int) -> list[Piece]:
    """The names of the columns."""
    return [(f"   {padded('document', _name(width))} {'before':>9} {'after':>9}  {'change':<10}", "dim")]


def row_line(difference: Difference, width: int) -> list[Piece]:
    """One document: where it stood, where it stands, and what that is called."""
    mark, role = MARKS[difference.fate]
    name = _name(width)
    return [
        (f" {mark} ", role),
        (padded(short_id(difference.id, name), name), "" if difference.fate != "kept" else "soft"),
        (f" {_place(difference.before):>9} {_place(difference.after):>9}", ""),
        (f"  {_change(difference):<10}", role),
    ]


def account(comparison: Comparison) -> list[Piece]:
    """The figures of the whole comparison."""
    before, after = comparison.before, comparison.after
    return [
        (f"{comparison.count('entered'):,} entered", "good"),
        (" · ", "dim"),
        (f"{comparison.count('left'):,} left", "bad"),
        (" · ", "dim"),
        (f"{comparison.count('moved'):,} moved", "warn"),
        (f" · {comparison.count('kept'):,} as before", "dim"),
        (f" · {before.tokens_used:,} → {after.tokens_used:,} tokens", ""),
        (f" ({after.tokens_used - before.tokens_used:+,})", "accent"),
    ]


def _place(entry: Entry | None) -> str:
    """`● 3` chosen at rank 3, `○ 3` ranked but left out, `no match`, `not there`."""
    if entry is None:
        return "not there"
    if entry.rank is None:
        return "no match"
    return f"{'●' if entry.chosen else '○'} {entry.rank:,}"


def _change(difference: Difference) -> str:
    """The fate in a word, and for one that moved by how much."""
    if difference.fate != "moved" or difference.before is None or difference.after is None:
        return "" if difference.fate == "kept" else difference.fate
    steps = (difference.before.rank or 0) - (difference.after.rank or 0)
    return f"{'up' if steps > 0 else 'down'} {abs(steps):,}"


def _name(width: int) -> int:
    return max(8, width - 36)
