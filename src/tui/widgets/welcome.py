"""What stands where the answer will be, before anything is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from ..messages import ExamplePicked
from ..painting import paint
from ..pieces import shown
from .panels import Lines

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..pieces import Piece


class Example(Static):
    """A question to start with; a click asks it."""

    DEFAULT_CSS = "Example { width: auto; height: 1; }"
    ALLOW_SELECT = False

    def __init__(self, query: str) -> None:
        super().__init__(paint([("  → ", "accent"), (shown(query), "")]), markup=False)
        self._query = query

    def on_click(self) -> None:
        """Ask it."""
        self.post_message(ExamplePicked(self._query))


class Welcome(VerticalScroll, can_focus=False):
    """Says what is there and how to begin."""

    DEFAULT_CSS = "Welcome { height: 1fr; } Welcome > #examples { height: auto; }"

    def compose(self) -> ComposeResult:
        """Words, examples, words."""
        yield Lines(id="welcome-head")
        yield Vertical(id="examples")
        yield Lines(id="welcome-foot")

    async def show(self, head: list[list[Piece]], examples: tuple[str, ...], foot: list[list[Piece]]) -> None:
        """Replace everything."""
        self.query_one("#welcome-head", Lines).show(head)
        self.query_one("#welcome-foot", Lines).show(foot)
        box = self.query_one("#examples")
        async with self.batch():
            await box.remove_children()
            await box.mount_all(Example(query) for query in examples)
