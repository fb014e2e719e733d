"""What stands where the answer will be, before anything is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import Vertical, VerticalScroll
from textual.message import Message
from textual.widgets import Static

from ..render import paint
from ..views.spans import escaped
from .lines import Lines

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..views.spans import Line


@dataclass
class ExamplePicked(Message):
    """An example was picked, to be asked as it stands."""

    query: str


class Example(Static):
    """A question to start with; a click asks it."""

    DEFAULT_CSS = "Example { width: auto; height: 1; }"
    ALLOW_SELECT = False

    def __init__(self, query: str) -> None:
        super().__init__(paint([("  → ", "accent"), (escaped(query), "")]), markup=False)
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

    async def show(self, head: list[Line], examples: tuple[str, ...], foot: list[Line]) -> None:
        """Replace everything."""
        self.query_one("#welcome-head", Lines).show(head)
        self.query_one("#welcome-foot", Lines).show(foot)
        box = self.query_one("#examples")
        async with self.batch():
            await box.remove_children()
            await box.mount_all(Example(query) for query in examples)
