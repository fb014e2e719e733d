"""Two answers side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .spans import Line, escaped
from .table import Cell, Column

if TYPE_CHECKING:
    from ...resolver.compare import Comparison, Difference
    from ...resolver.explain import RankedDocument
    from .table import Row

MARKS = {"entered": ("+", "good"), "left": ("-", "bad"), "moved": ("↕", "warn"), "kept": (" ", "dim")}
COLUMNS = (
    Column(),
    Column(title="document", share=1, least=14, middle=True),
    Column(title="before", right=True),
    Column(title="after", right=True),
    Column(title="change"),
)


def difference_cells(difference: Difference) -> Row:
    """One document: where it stood, where it stands, and what that is called."""
    mark, role = MARKS[difference.fate]
    id_ = escaped(difference.id)
    return (
        Cell(mark, role),
        Cell(id_, "" if difference.fate != "kept" else "soft", full=id_),
        Cell(_standing(difference.before)),
        Cell(_standing(difference.after)),
        Cell(_change(difference), role),
    )


def account(comparison: Comparison) -> Line:
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


def _standing(entry: RankedDocument | None) -> str:
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
