"""The bar of the present budget, and the curve of the documents that each budget chooses."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...text.display import pluralize
from .spans import Line, slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...resolver.budget import CurvePoint
    from ..result import ChosenDocument, Result

SHADES = "█▓▒"
"""The shades of neighbouring segments where there is no colour."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """A part of the bar."""

    rank: int | None
    """The rank of the document; None for the unused part of the budget."""
    index: int
    """The index of the document among the chosen ones, from 0."""
    start: int
    """Its first cell in the bar, from 0."""
    cells: int


def segments(chosen: tuple[ChosenDocument, ...], budget: int, width: int) -> list[Segment]:
    """The segments of a bar of `width` cells; a document too small for a cell has no segment."""
    parts: list[Segment] = []
    start = 0
    for index, item in enumerate(chosen):
        end = item.used * width // max(1, budget)
        if end > start:
            parts.append(Segment(rank=item.rank, index=index, start=start, cells=end - start))
            start = end
    if start < width:
        parts.append(Segment(rank=None, index=0, start=start, cells=width - start))
    return parts


def bar(parts: list[Segment], *, colour: bool) -> Line:
    """The bar as a line; a segment shows its rank if it is wide enough."""
    line: Line = []
    for part in parts:
        if part.rank is None:
            line.append(("░" * part.cells, "dim"))
            continue
        label = f"{part.rank}"
        label = f" {label}" if len(label) + 1 < part.cells else ""
        if colour:
            line.append((label.ljust(part.cells), f"on-{slot(part.index)}"))
        else:
            fill = SHADES[part.index % len(SHADES)] * (part.cells - len(label))
            line.append((label + fill, slot(part.index)))
    return line


def totals(result: Result) -> str:
    """The figures of the selection in words, as `ctx resolve` writes them."""
    searched = f"{result.cache.document_count:,} searched"
    if not result.matches:
        return f"nothing matches · {searched}"
    chosen, used = len(result.chosen), result.explained.tokens_used
    return (
        f"{used:,} of {result.question.budget:,} · {chosen:,} chosen · "
        f"{result.matches - chosen:,} did not fit · {searched}"
    )


def figures(result: Result, tokens: int | None, width: int) -> str:
    """The totals and the tokens of the answer in the longest form that fits; no figure is cut."""
    whole, long, short = totals(result), "", ""
    if tokens is not None:
        long = f"the agent reads {pluralize(tokens, 'token')}, JSON included"
        short = f"agent reads {tokens:,}"
    parts = whole.split(" · ")
    shorter = " · ".join(parts[:-1])
    forms = [(whole, long), (whole, short), (shorter, short), (shorter, "")]
    texts = ["  ".join(filter(None, form)) for form in forms]
    return next((text for text in texts if len(text) <= width), parts[0])


def grid(budget: int, matches: int, cells: int) -> list[int]:
    """`cells` budgets at even distances on a logarithmic scale, and the present budget among them."""
    low, high = max(1, min(100, budget or 100)), max(8 * budget, 20_000, min(200_000, 400 * matches))
    ratio = (high / low) ** (1 / max(1, cells - 1))
    return sorted({round(low * ratio**index) for index in range(cells)} | ({budget} if budget else set()))


def curve_lines(points: Sequence[CurvePoint], budget: int, width: int, height: int) -> list[Line]:
    """The number of chosen documents by budget, as a step curve of `height` lines with a mark at `budget`."""
    if len(points) < 2 or height < 3 or width < 16:
        return []
    top = max(1, points[-1].documents)
    label = max(3, len(f"{top:,}"))
    room, rows = width - label - 2, height - 1
    columns = [points[min(len(points) - 1, index * len(points) // room)] for index in range(room)]
    levels = [round((rows - 1) * point.documents / top) for point in columns]
    at = min(bisect_left([point.budget for point in columns], budget), room - 1)
    lines = []
    above = ""
    for row in range(rows - 1, -1, -1):
        value = f"{round(top * row / (rows - 1)):,}"
        value, above = ("" if value == above else value), value
        drawn = "".join(_step(levels, index, row) for index in range(room))
        lines.append(_marked(f"{value:>{label}} ┤", drawn, at, levels[at] == row))
    return [*lines, _axis(columns, budget, at, label, room)]


def _step(levels: list[int], index: int, row: int) -> str:
    """The character of a step curve at one cell."""
    here, before = levels[index], levels[index - 1] if index else levels[0]
    if here == before:
        return "─" if row == here else " "
    if row == here:
        return "╭" if here > before else "╰"
    if row == before:
        return "╯" if here > before else "╮"
    return "│" if min(here, before) < row < max(here, before) else " "


def _marked(head: str, drawn: str, at: int, is_here: bool) -> Line:
    mark = "◆" if is_here else drawn[at]
    return [
        (head, "dim"),
        (drawn[:at], "bar"),
        (mark, "warn" if is_here else "bar"),
        (drawn[at + 1 :], "soft"),
    ]


def _axis(columns: Sequence[CurvePoint], budget: int, at: int, label: int, room: int) -> Line:
    """The axis below the curve, with the smallest, the present and the largest budget."""
    first, last, here = f"{columns[0].budget:,}", f"{columns[-1].budget:,}", f"▲ {budget:,}"
    line = list(" " * room)
    line[: len(first)] = first[:room]
    start = max(0, min(at, room - len(here)))
    if start + len(here) < room - len(last):
        line[room - len(last) :] = last
    line[start : start + len(here)] = here
    left, right = "".join(line[:start]), "".join(line[start + len(here) :])
    return [
        (" " * (label + 2), ""),
        (left, "dim"),
        (here, "warn"),
        (right[: room - start - len(here)], "dim"),
    ]


def gain(points: Sequence[CurvePoint], budget: int) -> str:
    """`twice as much: +3 documents`; empty if the curve does not reach the double of the budget."""
    budgets = [point.budget for point in points]
    here, double = bisect_right(budgets, budget) - 1, bisect_right(budgets, 2 * budget) - 1
    if here < 0 or double <= here:
        return ""
    more = points[double].documents - points[here].documents
    return f"twice as much: {more:+,} {'document' if more == 1 else 'documents'}"
