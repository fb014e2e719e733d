"""What a budget buys: the bar of the present one, and the curve over all of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .spans import Line, count, slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...resolver.budget import CurvePoint
    from ..result import ChosenDocument, Result

SHADES = "█▓▒"
"""How neighbours are told apart where there is no colour."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """A part of the bar."""

    rank: int | None
    """The document's rank; None for what remains of the budget."""
    index: int
    start: int
    cells: int


def segments(chosen: tuple[ChosenDocument, ...], budget: int, width: int) -> list[Segment]:
    """The bar in `width` cells; ends are rounded, so that all add up. What has no cell is left out."""
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
    """The segments drawn, with their ranks where there is room."""
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


def account(result: Result) -> str:
    """The figures of the selection in words, as `ctx resolve` writes them."""
    searched = f"{result.cache.document_count:,} searched"
    if not result.matches:
        return f"nothing matches · {searched}"
    chosen, used = len(result.chosen), result.explained.tokens_used
    return (
        f"{used:,} of {result.question.budget:,} · {chosen:,} chosen · "
        f"{result.matches - chosen:,} did not fit · {searched}"
    )


def wire(tokens: int | None) -> str:
    """What the whole answer costs its reader, JSON included."""
    return "" if tokens is None else f"the agent reads {count(tokens, 'token')}, JSON included"


def figures(result: Result, tokens: int | None, width: int) -> str:
    """The account and what the agent reads, in the longest form that has room: no figure is cut."""
    whole = account(result)
    *most, _ = pieces = whole.split(" · ")
    short = "" if tokens is None else f"agent reads {tokens:,}"
    forms = [(whole, wire(tokens)), (whole, short), (" · ".join(most), short), (" · ".join(most), "")]
    texts = ["  ".join(filter(None, form)) for form in forms]
    return next((text for text in texts if len(text) <= width), pieces[0])


def grid(budget: int, matches: int, cells: int) -> list[int]:
    """Budgets for a curve of so many cells: even steps of a logarithm, the present one among them."""
    low, high = max(1, min(100, budget or 100)), max(8 * budget, 20_000, min(200_000, 400 * matches))
    ratio = (high / low) ** (1 / max(1, cells - 1))
    budgets = sorted({round(low * ratio**index) for index in range(cells)} | ({budget} if budget else set()))
    return budgets


def curve_lines(
    points: Sequence[CurvePoint], budget: int, matches: int, width: int, height: int
) -> list[Line]:
    """Documents against the budget, as steps in `height` lines, the present budget marked."""
    if len(points) < 2 or height < 3 or width < 16:
        return []
    top = max(1, points[-1].documents)
    label = max(3, len(f"{top:,}"))
    room, rows = width - label - 2, height - 1
    columns = [points[min(len(points) - 1, index * len(points) // room)] for index in range(room)]
    levels = [round((rows - 1) * point.documents / top) for point in columns]
    at = bisect_left([point.budget for point in columns], budget)
    at = min(at, room - 1)
    ends = " all" if points[-1].documents >= matches else ""
    lines = []
    above = ""
    for row in range(rows - 1, -1, -1):
        value = f"{round(top * row / (rows - 1)):,}"
        value, above = ("" if value == above else value), value
        drawn = "".join(_step(levels, index, row) for index in range(room))
        lines.append(_marked(f"{value:>{label}} ┤", drawn, at, levels[at] == row))
    if ends and lines:
        lines[0].append((ends[: max(0, width - label - 2 - room)], "dim"))
    return [*lines, _axis(columns, budget, at, label, room)]


def _step(levels: list[int], index: int, row: int) -> str:
    """The line of a step curve at one cell."""
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
    """The budgets below the curve: the least, the present one, the largest."""
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
    """What the double of a budget would bring, in words."""
    budgets = [point.budget for point in points]
    here, double = bisect_right(budgets, budget) - 1, bisect_right(budgets, 2 * budget) - 1
    if here < 0 or double <= here:
        return ""
    more = points[double].documents - points[here].documents
    return f"twice as much: {more:+,} {'document' if more == 1 else 'documents'}"
