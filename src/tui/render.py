"""Spans with roles become content with styles: the only module that knows how a role looks."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.content import Content
from textual.strip import Strip
from textual.style import Style

from .views.spans import SLOTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.style import Style as RichStyle
    from textual.widget import Widget

    from .views.spans import Span

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
    "edge": "$edge",
    **{f"slot{number}": f"$slot-{number}" for number in range(1, SLOTS + 1)},
    **{f"on-slot{number}": f"bold $slot-text on $slot-{number}" for number in range(1, SLOTS + 1)},
}


MATCH, CURRENT = "bold on $match", "bold $slot-text on $warning"
"""A word that the query found, and the one that the reader is at."""
PLAIN_MATCH, PLAIN_CURRENT = "bold underline", "bold reverse"
"""The same without colour."""


def paint(spans: Iterable[Span]) -> Content:
    """One line, or a few words, as content that holds no markup."""
    return Content.assemble(*((text, STYLES[role]) for text, role in spans))


def paint_lines(lines: Iterable[Iterable[Span]]) -> Content:
    """Several lines."""
    return Content("\n").join(paint(line) for line in lines)


def strip(widget: Widget, spans: Iterable[Span], width: int, base: Style) -> Strip:
    """One line of exactly `width` cells: what `paint` shows, at a tenth of the cost for each row."""
    segments = [Segment(text, _style(widget, role, base)) for text, role in spans]
    return Strip(segments).adjust_cell_length(width, base.rich_style)


@lru_cache(maxsize=2000)
def _role_style(role: str, theme: str, base: Style, variables: Variables) -> RichStyle:
    """A role on a background; `theme` stands for the variables, which are compared by identity."""
    own = Style.parse(STYLES[role], variables=variables.values) if STYLES[role] else base
    return (base + own).rich_style


class Variables:
    """The variables of a theme, to be a key of a cache: all of one theme are equal."""

    __slots__ = ("name", "values")

    def __init__(self, name: str, values: dict[str, str]) -> None:
        self.name = name
        self.values = values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variables) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)


def _style(widget: Widget, role: str, base: Style) -> RichStyle:
    """A role on the background of a widget."""
    app = widget.app
    return _role_style(role, app.theme, base, Variables(app.theme, app.theme_variables))
