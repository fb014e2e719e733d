"""A list of any length with a cursor: only the rows in view are drawn, and only they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..painting import strip

if TYPE_CHECKING:
    from textual import events

    from ..pieces import Piece

REVERSE = Style(reverse=True)
"""How the cursor is told where there is no colour."""


class RowList(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows under a header line; a subclass draws one row as pieces."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--cursor", "row-list--hover"}
    DEFAULT_CSS = """
    RowList {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
    }
    """
    ALLOW_SELECT = False

    count: reactive[int] = reactive(0)
    """How many rows there are."""
    cursor: reactive[int] = reactive(0)
    """The highlighted row, from 0."""
    hovered: reactive[int] = reactive(-1)

    class Moved(Message):
        """Another row is highlighted."""

        def __init__(self, rows: RowList) -> None:
            super().__init__()
            self.rows = rows

        @property
        def control(self) -> RowList:
            """The list."""
            return self.rows

    class Opened(Moved):
        """The highlighted row was clicked twice."""

    class InView(Moved):
        """Other rows than before are in view."""

    def header(self, width: int) -> list[Piece]:
        """The header line."""
        raise NotImplementedError

    def row(self, index: int, width: int) -> list[Piece]:
        """One row."""
        raise NotImplementedError

    @property
    def window(self) -> range:
        """The rows in view, and one page on either side."""
        height = max(1, self.size.height - 1)
        top = self.scroll_offset.y
        return range(max(0, top - height), min(self.count, top + 2 * height))

    def move(self, steps: int) -> None:
        """Move the cursor by rows."""
        self.cursor += steps

    def page(self, pages: int) -> None:
        """Move the cursor by pages."""
        self.cursor += pages * max(1, self.size.height - 2)

    def jump(self, index: int) -> None:
        """To a row; -1 is the last."""
        self.cursor = index if index >= 0 else self.count + index

    def renew(self) -> None:
        """Draw everything again."""
        self.refresh()
        self.post_message(self.InView(self))

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(cursor, self.count - 1))

    def watch_count(self) -> None:
        """Follow the number of rows."""
        self.virtual_size = Size(0, self.count + 1)
        self.cursor = self.validate_cursor(self.cursor)
        self.renew()

    def watch_cursor(self) -> None:
        """Bring the cursor into view, and tell of it."""
        row = Region(0, self.cursor, self.size.width, 2 if self.size.height > 1 else 1)
        self.scroll_to_region(row, animate=False, force=True)
        self.refresh()
        self.post_message(self.Moved(self))

    def watch_hovered(self) -> None:
        """Draw the row under the mouse differently."""
        self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell that other rows are in view."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.InView(self))

    def on_resize(self) -> None:
        """More rows may be in view."""
        self.post_message(self.InView(self))

    def render_line(self, y: int) -> Strip:
        """The header in the first line, rows below it."""
        width = self.scrollable_content_region.width
        if y == 0:
            return self._strip(self.header(width), width)
        index = self.scroll_offset.y + y - 1
        if index >= self.count:
            return Strip.blank(width, self.rich_style)
        names = ["row-list--hover"] if index == self.hovered else []
        names += ["row-list--cursor"] if index == self.cursor else []
        return self._strip(self.row(index, width), width, *names)

    def _strip(self, pieces: list[Piece], width: int, *names: str) -> Strip:
        line = strip(self, pieces, width, self.get_visual_style(*names))
        is_cursor = "row-list--cursor" in names
        return line.apply_style(REVERSE) if is_cursor and self.app.no_color else line

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse."""
        self.hovered = self._index_at(event)

    def on_leave(self) -> None:
        """The mouse is gone."""
        self.hovered = -1

    def on_click(self, event: events.Click) -> None:
        """Highlight a row; a second click opens it."""
        index = self._index_at(event)
        if index < 0:
            return
        self.cursor = index
        if event.chain == 2:
            self.post_message(self.Opened(self))

    def _index_at(self, event: Any) -> int:
        """The row under the mouse, -1 when there is none."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y < 1:
            return -1
        index = self.scroll_offset.y + offset.y - 1
        return int(index) if index < self.count else -1
