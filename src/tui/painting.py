"""Pieces with roles become content with styles: the only place that knows how a role looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.content import Content
from textual.strip import Strip
from textual.style import Style

from .pieces import SLOTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.style import Style as RichStyle
    from textual.widget import Widget

    from .pieces import Piece

STYLES = {
    "": "",
    "soft": "$text-soft",
    "dim": "$text-dim",
    "strong": "bold",
    "accent": "$accent",
    "good": "$success",
    "bad": "$error",
    "warn": "$warning",
    "term": "bold $accent",
    "bar": "$accent",
    **{f"slot{number}": f"$slot-{number}" for number in range(1, SLOTS + 1)},
    **{f"on-slot{number}": f"bold $slot-text on $slot-{number}" for number in range(1, SLOTS + 1)},
}


MATCH, CURRENT = "bold on $match", "bold $slot-text on $warning"
"""A word that the query found, and the one that the reader is at."""
PLAIN_MATCH, PLAIN_CURRENT = "bold underline", "bold reverse"
"""The same without colour."""


def paint(pieces: Iterable[Piece]) -> Content:
    """One line, or a few words, as content that holds no markup."""
    return Content.assemble(*((text, STYLES[role]) for text, role in pieces))


def paint_lines(lines: Iterable[Iterable[Piece]]) -> Content:
    """Several lines."""
    return Content("\n").join(paint(line) for line in lines)


def strip(widget: Widget, pieces: Iterable[Piece], width: int, base: Style) -> Strip:
    """One line of exactly `width` cells: what `paint` shows, at a tenth of the cost for each row."""
    segments = [Segment(text, _style(widget, role, base)) for text, role in pieces]
    return Strip(segments).adjust_cell_length(width, base.rich_style)


_KNOWN: dict[tuple[str, str, Style], RichStyle] = {}


def _style(widget: Widget, role: str, base: Style) -> RichStyle:
    """A role on a background, remembered for each theme."""
    key = (widget.app.theme, role, base)
    if key not in _KNOWN:
        if len(_KNOWN) > 1000:
            _KNOWN.clear()
        own = Style.parse(STYLES[role], variables=widget.app.theme_variables) if STYLES[role] else base
        _KNOWN[key] = (base + own).rich_style
    return _KNOWN[key]
