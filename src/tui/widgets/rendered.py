"""Markdown as it is meant to look, its matches marked block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.widgets import Markdown
from textual.widgets._markdown import MarkdownBlock, MarkdownTableCellContents  # the only home of its blocks

from ..render import MATCH, PLAIN_MATCH

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.content import Content
    from textual.widgets import Static

    from ..views.pages import Range


class Rendered(VerticalScroll, can_focus=True):
    """A rendered document. Its links lead nowhere: the text is not to be trusted."""

    DEFAULT_CSS = """
    Rendered { height: 1fr; }
    Rendered Markdown { background: transparent; padding: 0 1; }
    Rendered MarkdownFence { overflow-x: auto; scrollbar-size-horizontal: 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._marked: list[Static] = []
        self._at = -1

    def compose(self) -> ComposeResult:
        """The document."""
        yield Markdown(open_links=False)

    @property
    def position(self) -> tuple[int, int]:
        """The passage with matches that the reader is at, from 1, and how many there are."""
        return self._at % len(self._marked) + 1 if self._marked and self._at != -1 else 0, len(self._marked)

    async def show(self, text: str, spans: Callable[[str], list[Range]]) -> None:
        """Render a safe text; `spans` finds the matches in the text of one block."""
        markdown = self.query_one(Markdown)
        await markdown.update(text)
        self.scroll_home(animate=False)
        self._marked, self._at = [], -1
        for block in [*markdown.query(MarkdownBlock), *markdown.query(MarkdownTableCellContents)]:
            self._mark(block, spans)

    def _mark(self, block: Static, spans: Callable[[str], list[Range]]) -> None:
        content: Content | None = getattr(block, "_content", None) or getattr(block, "content", None)
        plain = getattr(content, "plain", "")
        found = spans(plain) if plain.strip() else []
        if not found or content is None:
            return
        for start, end in found:
            content = content.stylize(PLAIN_MATCH if self.app.no_color else MATCH, start, end)
        if isinstance(block, MarkdownBlock):
            block.set_content(content)
        else:
            block.update(content)
        self._marked.append(block)

    def go(self, steps: int) -> None:
        """To another block with matches, around the ends."""
        if self._marked:
            self._at = (
                (self._at + steps) % len(self._marked)
                if self._at >= 0
                else (0 if steps > 0 else len(self._marked) - 1)
            )
            self.scroll_to_widget(self._marked[self._at], animate=False, force=True)
