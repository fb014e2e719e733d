"""Why the highlighted document stands where it does, drawn a line at a time.

No layout is worked out when another document is highlighted: that would cost every key of a
typist more than all the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..painting import strip
from ..why_lines import nothing_lines, why_lines

if TYPE_CHECKING:
    from ..answered import Answered
    from ..reasons import Why
    from ..why_lines import Line


class WhyPanel(ScrollView, can_focus=True):
    """Everything there is to say of one document."""

    BORDER_TITLE = "why"
    DEFAULT_CSS = """
    WhyPanel { height: 1fr; overflow-x: hidden; overflow-y: auto; scrollbar-gutter: stable; }
    """
    ALLOW_SELECT = False

    why: reactive[Why | None] = reactive(None)
    arithmetic: reactive[bool] = reactive(False)
    """Whether the score is shown as a tree, to the last number."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.lines: list[Line] = []

    def watch_why(self, old: Why | None, new: Why | None) -> None:
        """Show another document, from its top."""
        if old is None or new is None or old.id != new.id:
            self.scroll_home(animate=False)
        self._write()

    def watch_arithmetic(self) -> None:
        """Show or hide the arithmetic."""
        self._write()

    def on_resize(self) -> None:
        """Lines follow the width."""
        self._write()

    def nothing(self, answered: Answered | None) -> None:
        """Say why there is no document to speak of."""
        self.why = None
        self._show(nothing_lines(answered.explained) if answered else [])

    def _write(self) -> None:
        if self.why is not None:
            width = self.scrollable_content_region.width
            self._show(why_lines(self.why, width, tree=self.arithmetic) if width > 0 else [])

    def _show(self, lines: list[Line]) -> None:
        self.lines = lines
        self.virtual_size = Size(0, len(lines))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line."""
        place, width = self.scroll_offset.y + y, self.scrollable_content_region.width
        if place >= len(self.lines):
            return Strip.blank(width, self.rich_style)
        return strip(self, self.lines[place], width, self.visual_style)
