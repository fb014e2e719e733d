"""The themes, and how a role of a span looks: no other module knows."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.content import Content
from textual.strip import Strip
from textual.style import Style
from textual.theme import Theme

from .views.spans import SLOTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.style import Style as RichStyle
    from textual.widget import Widget

    from .views.spans import Span

_DARK = {
    "text-soft": "#aab4c4",
    "text-dim": "#7c889c",
    "slot-text": "#10141c",
    "match": "#54461f",
    "slot-1": "#7aa2f7",
    "slot-2": "#9ece6a",
    "slot-3": "#e0af68",
    "slot-4": "#bb9af7",
    "slot-5": "#7dcfff",
    "slot-6": "#f7768e",
}
_BASIC = {
    "text-soft": "#aaaaaa",
    "text-dim": "#aaaaaa",
    "slot-text": "#000000",
    "match": "#0000aa",
    "slot-1": "#5555ff",
    "slot-2": "#55ff55",
    "slot-3": "#ffff55",
    "slot-4": "#ff55ff",
    "slot-5": "#55ffff",
    "slot-6": "#ff5555",
}
_LIGHT = {
    "text-soft": "#49536a",
    "text-dim": "#68738a",
    "slot-text": "#ffffff",
    "match": "#f3dfa6",
    "slot-1": "#2e5fc4",
    "slot-2": "#40781f",
    "slot-3": "#96621a",
    "slot-4": "#7a45c4",
    "slot-5": "#0f7590",
    "slot-6": "#b8304c",
}

DARK = Theme(
    name="ctx-dark",
    primary="#7aa2f7",
    secondary="#bb9af7",
    accent="#7aa2f7",
    success="#9ece6a",
    warning="#e0af68",
    error="#f7768e",
    foreground="#d5dbe8",
    background="#12161f",
    surface="#171c27",
    panel="#202736",
    dark=True,
    variables={"edge": "#323c50", **_DARK},
)
BASIC = Theme(
    name="ctx-basic",
    primary="#5555ff",
    secondary="#ff55ff",
    accent="#55ffff",
    success="#55ff55",
    warning="#ffff55",
    error="#ff5555",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#000000",
    dark=True,
    variables={"edge": "#555555", **_BASIC},
)
"""For terminals of sixteen colours: these are exact, where most others would become white."""
LIGHT = Theme(
    name="ctx-light",
    primary="#2e5fc4",
    secondary="#7a45c4",
    accent="#2e5fc4",
    success="#40781f",
    warning="#96621a",
    error="#b8304c",
    foreground="#232a38",
    background="#f6f7fa",
    surface="#ffffff",
    panel="#e8ebf2",
    dark=False,
    variables={"edge": "#c3cad8", **_LIGHT},
)


def defaults(theme: Theme) -> dict[str, str]:
    """The variables of ours, for a theme that does not define them: colours, never other variables.

    A variable that names another is not resolved when a stylesheet is parsed again.
    """
    colours = theme.to_color_system().generate()
    edge = colours["panel-lighten-2" if theme.dark else "panel-darken-2"]
    return {"edge": edge, **(_DARK if theme.dark else _LIGHT)}


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
