"""The bar of the budget: one segment for each chosen document, in order, sized by its tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .pieces import Piece, count, slot

if TYPE_CHECKING:
    from .answered import Answered, Chosen

SHADES = "█▓▒"
"""How neighbours are told apart where there is no colour."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """A stretch of the bar."""

    rank: int | None
    """The document's rank; None for what remains of the budget."""
    place: int
    start: int
    cells: int


def segments(chosen: tuple[Chosen, ...], budget: int, width: int) -> list[Segment]:
    """The bar in `width` cells; ends are rounded, so that all add up. What has no cell is left out."""
    found: list[Segment] = []
    start = 0
    for place, item in enumerate(chosen):
        end = item.used * width // max(1, budget)
        if end > start:
            found.append(Segment(rank=item.rank, place=place, start=start, cells=end - start))
            start = end
    if start < width:
        found.append(Segment(rank=None, place=0, start=start, cells=width - start))
    return found


def bar(parts: list[Segment], *, colour: bool) -> list[Piece]:
    """The segments drawn, with their ranks where there is room."""
    line: list[Piece] = []
    for part in parts:
        if part.rank is None:
            line.append(("░" * part.cells, "dim"))
            continue
        label = f"{part.rank}"
        label = f" {label}" if len(label) + 1 < part.cells else ""
        if colour:
            line.append((label.ljust(part.cells), f"on-{slot(part.place)}"))
        else:
            fill = SHADES[part.place % len(SHADES)] * (part.cells - len(label))
            line.append((label + fill, slot(part.place)))
    return line


def account(answered: Answered) -> str:
    """The figures of the selection in words, as `ctx resolve` writes them."""
    if not answered.matches:
        return f"nothing matches · {answered.searched:,} searched"
    return (
        f"{answered.tokens_used:,} of {answered.question.budget:,} · {len(answered.chosen):,} chosen · "
        f"{answered.left_out:,} did not fit · {answered.searched:,} searched"
    )


def wire(tokens: int | None) -> str:
    """What the whole answer costs its reader."""
    return "" if tokens is None else f"{count(tokens, 'token')} on the wire"
