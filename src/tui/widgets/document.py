"""Widgets for the text of a document: rendered Markdown, or raw rows, with matches highlighted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual
from textual.widgets import Markdown, Static
from textual.widgets._markdown import MarkdownBlock, MarkdownTableCellContents  # the only home of its blocks

from ..render import CURRENT, MATCH, PLAIN_CURRENT, PLAIN_MATCH
from ..views.pages import Layout, Page, Range, layout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.selection import Selection


def _index_after(index: int, steps: int, count: int) -> int:
    """The index `steps` after another of `count`, modulo `count`; after -1 the first or the last."""
    if index < 0:
        return 0 if steps > 0 else count - 1
    return (index + steps) % count


class MarkdownView(VerticalScroll, can_focus=True):
    """A rendered document. Its links do not open: the text is not trusted."""

    _marked: Sequence[Static] = ()
    """The blocks with matches."""
    _at = -1
    """The index of the current one of these; -1 for none."""

    def compose(self) -> ComposeResult:
        """The Markdown widget."""
        yield Markdown(open_links=False)

    @property
    def position(self) -> tuple[int, int]:
        """The number of the current block with matches, from 1 (0 for none), and their number."""
        return self._at + 1, len(self._marked)

    async def show(self, text: str, spans: Callable[[str], list[Range]]) -> None:
        """Render an escaped text; `spans` returns the matches in the text of one block."""
        markdown = self.query_one(Markdown)
        await markdown.update(text)
        self.scroll_home(animate=False)
        blocks = [*markdown.query(MarkdownBlock), *markdown.query(MarkdownTableCellContents)]
        self._marked, self._at = [block for block in blocks if self._mark(block, spans)], -1

    def _mark(self, block: Static, spans: Callable[[str], list[Range]]) -> bool:
        """Highlight the matches in a block; False if it has none."""
        content: Content | None = getattr(block, "_content", None) or getattr(block, "content", None)
        plain = getattr(content, "plain", "")
        ranges = spans(plain) if plain.strip() else []
        if not ranges or content is None:
            return False
        for start, end in ranges:
            content = content.stylize(PLAIN_MATCH if self.app.no_color else MATCH, start, end)
        if isinstance(block, MarkdownBlock):
            block.set_content(content)
        else:
            block.update(content)
        return True

    def go(self, steps: int) -> None:
        """Go to the next (1) or previous (-1) block with matches, around the ends."""
        if self._marked:
            self._at = _index_after(self._at, steps, len(self._marked))
            self.scroll_to_widget(self._marked[self._at], animate=False, force=True)


FIRST_CHARACTERS = 20_000
"""Characters that are cut into rows immediately; the layout of a longer text comes from a thread."""


class TextView(ScrollView, can_focus=True):
    """Shows a page in rows. The layout of a long page is requested from the screen with a message."""

    match: reactive[int] = reactive(-1)
    """The index of the current match; -1 for none."""

    class Moved(Message):
        """Another match is the current one."""

    @dataclass
    class LayoutWanted(Message):
        """A page is to be cut into rows."""

        view: TextView
        page: Page
        width: int

    class Shown(Message):
        """The widget became visible."""

    _page: Page | None = None
    _layout_shown: Layout | None = None

    def show(self, page: Page) -> None:
        """Show another page, from its top."""
        self._page = page
        self.set_reactive(TextView.match, -1)
        self._request_layout()

    def mark(self, page: Page) -> None:
        """Show other matches in the same text, without scrolling."""
        before = self._layout_shown
        self._page = page
        self.set_reactive(TextView.match, -1)
        if before is not None and before.rows and before.rows[-1][1] == len(page.text):
            self._layout_shown = replace(before, page=page)
            self.refresh()
        else:
            self._request_layout()
        self.post_message(self.Moved())

    @property
    def text(self) -> str:
        """The text of the page."""
        return self._page.text if self._page else ""

    def set_layout(self, layout: Layout) -> None:
        """Show a layout, unless the page or the width have changed since it was requested."""
        if layout.page is self._page and layout.width == self._width:
            if self._layout_shown is None or self._layout_shown.page is not layout.page:
                self.scroll_home(animate=False)
            self._layout_shown = layout
            self.virtual_size = Size(0, len(layout.rows))
            self.refresh()
            self._reveal()

    def go(self, steps: int) -> None:
        """Go to the next (1) or previous (-1) match, around the ends."""
        if self._page and self._page.matches:
            self.match = _index_after(self.match, steps, len(self._page.matches))

    @property
    def position(self) -> tuple[int, int]:
        """The number of the current match, from 1 (0 for none), and the number of matches."""
        return self.match + 1, len(self._page.matches) if self._page else 0

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    def _request_layout(self) -> None:
        if self._page is None or self._width <= 0:
            return
        self.set_layout(layout(self._page, self._width, characters=FIRST_CHARACTERS))
        if len(self._page.text) > FIRST_CHARACTERS:
            self.post_message(self.LayoutWanted(self, self._page, self._width))

    def on_resize(self) -> None:
        """Cut the page into rows for the new width."""
        if self._layout_shown is None or self._layout_shown.width != self._width:
            self._request_layout()

    def on_show(self) -> None:
        """Post that the widget is visible: the main screen fills it only then."""
        self.post_message(self.Shown())

    def watch_match(self) -> None:
        """Scroll to the current match."""
        self.post_message(self.Moved())
        self._reveal()

    def _reveal(self) -> None:
        layout = self._layout_shown
        if layout is None or self.match < 0 or layout.page is not self._page:
            return
        row = layout.row_of(layout.page.matches[self.match][0])
        height = self.size.height
        if not self.scroll_offset.y <= row < self.scroll_offset.y + height:
            self.scroll_to(y=max(0, row - height // 3), animate=False, force=True)

    def _style(self, *, is_current: bool) -> str:
        if self.app.no_color:
            return PLAIN_CURRENT if is_current else PLAIN_MATCH
        return CURRENT if is_current else MATCH

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        row, layout, width = self.scroll_offset.y + y, self._layout_shown, self._width
        if layout is None or row >= len(layout.rows) or not width:
            return Strip.blank(width, self.rich_style)
        start, end = layout.rows[row]
        content = Content(layout.page.text[start:end])
        current = self.match if layout.page is self._page else -1
        for number, (first, last) in layout.matches_in(row):
            content = content.stylize(self._style(is_current=number == current), first, last)
        selected = self.text_selection.get_span(row) if self.text_selection is not None else None
        if selected is not None:
            first, last = selected
            style = self.screen.get_visual_style("screen--selection")
            content = content.stylize(style, first, len(content) if last == -1 else last)
        strip = content.truncate(width)
        # `to_strips` would apply the selection as if each row were the first of a text.
        strips = Visual.to_strips(self, strip, width, 1, self.visual_style, apply_selection=False, pad=True)
        return strips[0].apply_offsets(0, row)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected part of the text, without line ends where a line was cut into rows."""
        layout, (start, end) = self._layout_shown, selection
        if layout is None:
            return None
        text = layout.page.text
        first = layout.offset_of(start.y, start.x) if start is not None else 0
        return text[first : layout.offset_of(end.y, end.x) if end is not None else len(text)], "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        self.refresh()
