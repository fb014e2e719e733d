"""The table of the inspector: any number of rows, columns measured by their content, a cursor.

Only the rows in view are read and drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..render import strip
from ..views.documents import boundary
from ..views.spans import Column, Line, Row, Widths, column_at, fit, header, measure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events


REVERSE = Style(reverse=True)
"""The style of the cursor without colours; a `reverse` in a stylesheet does not reach `render_line`."""


class Table(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows under a header line; a function returns the cells of a row."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"table--cursor", "table--hover"}
    ALLOW_SELECT = False

    cursor: reactive[int] = reactive(0)
    """The highlighted row, from 0."""
    hovered: reactive[int] = reactive(-1)

    @dataclass
    class Moved(Message):
        """Another row is highlighted."""

        table: Table

        @property
        def control(self) -> Table:
            """The table, by which `@on` selects messages."""
            return self.table

    class Opened(Moved):
        """The highlighted row was double-clicked."""

    class InView(Moved):
        """Other rows than before are in view."""

    @dataclass
    class TitleClicked(Moved):
        """The title of a column was clicked."""

        key: str

    def __init__(self, columns: Sequence[Column], *, title: str = "", id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.columns = columns
        self.border_title = title
        self.count = 0
        """The number of rows."""
        self._cells: Callable[[int], Row | None] = lambda index: None
        self._titles: Sequence[str] = ()
        self._boundary = 0
        self._drawn: dict[int, Line] = {}
        self._header: Line = []
        self._widths: Widths = ()
        self._width = 0
        """The width that the lines were made for; a new width may be drawn before its resize event."""

    def show(
        self,
        count: int,
        cells: Callable[[int], Row | None],
        *,
        titles: Sequence[str] = (),
        boundary: int = 0,
        cursor: int | None = None,
    ) -> None:
        """Replace the rows; `cells` returns the cells of a row, or None for one that was not read yet.

        A rule is drawn below the first `boundary` rows, none for 0.
        """
        self._cells, self._titles = cells, titles
        self._boundary = boundary if 0 < boundary < count else 0
        self.count = count
        if cursor is not None:
            self.set_reactive(Table.cursor, self.validate_cursor(cursor))
        self.virtual_size = Size(0, count + 1 + bool(self._boundary))
        self.cursor = self.validate_cursor(self.cursor)
        self.renew()

    @property
    def index(self) -> int:
        """The highlighted row; -1 when there is none."""
        return self.cursor if self.count else -1

    @property
    def window(self) -> range:
        """The indices of the rows in view, and of one page on either side."""
        height = max(1, self.size.height - 1)
        top = self.scroll_offset.y
        return range(max(0, top - height), min(self.count, top + 2 * height))

    @property
    def _in_view(self) -> range:
        top = max(0, self.scroll_offset.y - 1)
        return range(min(top, self.count), min(self.count, top + max(1, self.size.height) + 1))

    def move(self, steps: int) -> None:
        """Move the cursor by rows."""
        self.cursor += steps

    def page(self, pages: int) -> None:
        """Move the cursor by pages."""
        self.cursor += pages * max(1, self.size.height - 2)

    def jump(self, index: int) -> None:
        """Move the cursor to a row; -1 is the last."""
        self.cursor = index if index >= 0 else self.count + index

    def renew(self) -> None:
        """Draw everything again."""
        self._drawn.clear()
        self.refresh()
        self.post_message(self.InView(self))

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(cursor, self.count - 1))

    def watch_cursor(self) -> None:
        """Scroll to the cursor, and post the move."""
        self._reveal()
        self.post_message(self.Moved(self))

    def _reveal(self) -> None:
        """Scroll to the row of the cursor, so that the header does not cover it."""
        row = Region(0, self._line_of(self.cursor), self.size.width, 2 if self.size.height > 1 else 1)
        self.scroll_to_region(row, animate=False, force=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Post that other rows are in view."""
        super().watch_scroll_y(old_value, new_value)
        self._drawn.clear()
        self.post_message(self.InView(self))

    def on_resize(self) -> None:
        """Draw the rows anew, and keep the cursor in view."""
        self._drawn.clear()
        self._reveal()
        self.refresh()
        self.post_message(self.InView(self))

    def render_line(self, y: int) -> Strip:
        """Draw one line: the header, the rule or a row."""
        width = self.scrollable_content_region.width
        if not self._drawn or width != self._width:
            self._draw(width)
        if y == 0:
            return strip(self._header, width, self.visual_style)
        line = self.scroll_offset.y + y - 1
        if self._boundary and line == self._boundary:
            return strip(boundary(width), width, self.visual_style)
        index = self._index_of(line)
        if not 0 <= index < self.count:
            return Strip.blank(width, self.rich_style)
        names = ["table--hover"] if index == self.hovered else []
        names += ["table--cursor"] if index == self.cursor else []
        drawn = self._drawn.get(index) or [(f" {index + 1:,} …", "dim")]
        row = strip(drawn, width, self.get_visual_style(*names))
        has_colours = not (self.app.no_color or self.app.has_class("-few-colours"))
        return row if has_colours or index != self.cursor else row.apply_style(REVERSE)

    def _draw(self, width: int) -> None:
        """Measure the columns for the rows in view, and make the lines of these rows."""
        read = {index: row for index in self._in_view if (row := self._cells(index)) is not None}
        rows = list(read.values())
        self._width = width
        self._widths = measure(self.columns, rows, width)
        self._header = header(self.columns, self._widths, self._titles)
        self._drawn = dict(zip(read, fit(self.columns, self._widths, rows), strict=True))

    def _line_of(self, index: int) -> int:
        """The line of a row, from 0 below the header."""
        return index + (1 if self._boundary and index >= self._boundary else 0)

    def _index_of(self, line: int) -> int:
        """The index of the row in a line; -1 for the rule."""
        if not self._boundary or line < self._boundary:
            return line
        return -1 if line == self._boundary else line - 1

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Highlight the row under the mouse."""
        self.hovered = self._index_at(event)

    def on_leave(self) -> None:
        """Remove the highlight of the mouse."""
        self.hovered = -1

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to a row; a double click opens it. A click on a title is posted."""
        offset = event.get_content_offset(self)
        if offset is not None and offset.y == 0:
            key = self.columns[column_at(self._widths, offset.x)].key
            if key:
                self.post_message(self.TitleClicked(self, key))
            return
        index = self._index_at(event)
        if index >= 0:
            self.cursor = index
            if event.chain == 2:
                self.post_message(self.Opened(self))

    def _index_at(self, event: Any) -> int:
        """The index of the row under the mouse; -1 if there is none."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y < 1:
            return -1
        index = self._index_of(self.scroll_offset.y + offset.y - 1)
        return int(index) if index < self.count else -1
