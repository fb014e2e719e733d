"""Lines of spans: short ones that flow, and many that are drawn one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

from ..render import paint_lines, strip
from ..views.spans import escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..views.spans import Line


class Lines(Static):
    """Lines that flow."""

    DEFAULT_CSS = "Lines { width: 1fr; height: auto; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - as Textual
        super().__init__(markup=False, id=id, classes=classes)

    def show(self, lines: Iterable[Line]) -> None:
        """Replace the lines."""
        self.update(paint_lines(lines))


class Problem(Static):
    """A sentence where the eye is; hidden when there is nothing to say."""

    DEFAULT_CSS = """
    Problem { height: auto; max-height: 6; display: none; }
    Problem.-said { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as Textual
        super().__init__(markup=False, id=id)
        self._sentence = ""

    def say(self, sentence: str) -> None:
        """Show a sentence; an empty one hides the panel."""
        if sentence == self._sentence:
            return
        self._sentence = sentence
        self.update(escaped(sentence))
        self.set_class(bool(sentence), "-said")


class LinesPanel(ScrollView, can_focus=True):
    """Lines that are made for the width that there is, drawn one at a time.

    No layout is worked out when they are replaced: that would cost every key of a typist more than
    all the rest.
    """

    DEFAULT_CSS = """
    LinesPanel { height: 1fr; overflow-x: hidden; overflow-y: auto; scrollbar-gutter: stable; }
    """
    ALLOW_SELECT = False

    def __init__(self, *, title: str = "", id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.border_title = title or self.BORDER_TITLE
        self.lines: list[Line] = []
        self._make: Callable[[int, int], list[Line]] = lambda width, height: []

    def show(self, make: Callable[[int, int], list[Line]], *, from_top: bool = True) -> None:
        """Show the lines that a function makes for a width and a height."""
        self._make = make
        if from_top:
            self.scroll_home(animate=False)
        self._write()

    def on_resize(self) -> None:
        """Lines follow the width."""
        self._write()

    def _write(self) -> None:
        region = self.scrollable_content_region
        self.lines = self._make(region.width, region.height) if region.width > 0 else []
        self.virtual_size = Size(0, len(self.lines))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line."""
        index, width = self.scroll_offset.y + y, self.scrollable_content_region.width
        if index >= len(self.lines):
            return Strip.blank(width, self.rich_style)
        return strip(self, self.lines[index], width, self.visual_style)
