"""The themes, and the style of each role of a span; no other module names a colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.content import Content
from textual.strip import Strip
from textual.style import Style
from textual.theme import Theme

from .views.spans import SLOTS, Span

if TYPE_CHECKING:
    from collections.abc import Iterable


def _theme(
    name: str,
    slots: str,
    *,
    shades: str,
    text: str,
    edge: str,
    match: str,
    accent: str | None = None,
    dark: bool = True,
) -> Theme:
    """A theme. `slots` are six colours: blue, green, yellow, violet, cyan, red.

    `shades` are those of background, surface and panel. `text` are those of normal, soft and dim text, and of
    text on a colour.
    """
    blue, green, yellow, violet, _, red = colours = slots.split()
    background, surface, panel = shades.split()
    foreground, soft, dim, on_slot = text.split()
    return Theme(
        name=name, dark=dark,
        primary=blue, accent=accent or blue, secondary=violet, success=green, warning=yellow, error=red,
        foreground=foreground, background=background, surface=surface, panel=panel,
        variables={
            "edge": edge, "text-soft": soft, "text-dim": dim, "slot-text": on_slot, "match": match,
            **{f"slot-{number}": colour for number, colour in enumerate(colours, start=1)},
        },
    )  # fmt: skip


DARK = _theme(
    "ctx-dark",
    "#7aa2f7 #9ece6a #e0af68 #bb9af7 #7dcfff #f7768e",
    shades="#12161f #171c27 #202736",
    text="#d5dbe8 #aab4c4 #7c889c #10141c",
    edge="#323c50",
    match="#54461f",
)
BASIC = _theme(
    "ctx-basic",
    "#5555ff #55ff55 #ffff55 #ff55ff #55ffff #ff5555",
    shades="#000000 #000000 #000000",
    text="#ffffff #aaaaaa #aaaaaa #000000",
    edge="#555555",
    match="#0000aa",
    accent="#55ffff",
)
"""For terminals with sixteen colours, of which these are; most other colours would be shown as white."""
LIGHT = _theme(
    "ctx-light",
    "#2e5fc4 #40781f #96621a #7a45c4 #0f7590 #b8304c",
    shades="#f6f7fa #ffffff #e8ebf2",
    text="#232a38 #49536a #68738a #ffffff",
    edge="#c3cad8",
    match="#f3dfa6",
    dark=False,
)


def defaults(theme: Theme) -> dict[str, str]:
    """Our theme variables for a theme that does not define them, as colours.

    Textual does not resolve a variable that names another one when it parses a stylesheet again.
    """
    colours = theme.to_color_system().generate()
    edge = colours["panel-lighten-2" if theme.dark else "panel-darken-2"]
    return {**(DARK if theme.dark else LIGHT).variables, "edge": edge}


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
"""The styles of a match, and of the current one."""
PLAIN_MATCH, PLAIN_CURRENT = "bold underline", "bold reverse"
"""The same styles without colour."""


def paint(spans: Iterable[Span]) -> Content:
    """One line as content, without markup."""
    return Content.assemble(*((text, STYLES[role]) for text, role in spans))


def paint_lines(lines: Iterable[Iterable[Span]]) -> Content:
    """Several lines as content."""
    return Content("\n").join(paint(line) for line in lines)


def strip(spans: Iterable[Span], width: int, base: Style) -> Strip:
    """One line of exactly `width` cells in a base style; looks like `paint`, at a tenth of the cost.

    Textual caches parsed styles and their sums until the theme changes.
    """
    segments = [Segment(text, (base + Style.parse(STYLES[role])).rich_style) for text, role in spans]
    return Strip(segments).adjust_cell_length(width, base.rich_style)
