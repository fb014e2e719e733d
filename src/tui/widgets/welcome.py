"""What stands where the answer will be, before anything is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import Vertical, VerticalScroll
from textual.message import Message
from textual.widgets import Static

from ..commands import CACHES_COMMAND, DOCUMENTS_COMMAND, HISTORY_COMMAND
from ..render import paint
from ..views.caches import welcome_foot, welcome_head
from ..views.spans import escaped
from .lines import Lines

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..catalog import CacheInfo

ELSEWHERE = (DOCUMENTS_COMMAND, CACHES_COMMAND, HISTORY_COMMAND)
"""Where else to go."""


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

    async def show(self, info: CacheInfo, titles: tuple[str, ...]) -> None:
        """Say what a cache holds, and offer some of its titles."""
        self.query_one("#welcome-head", Lines).show(welcome_head(info, len(titles)))
        self.query_one("#welcome-foot", Lines).show(welcome_foot(len(titles), ELSEWHERE))
        box = self.query_one("#examples")
        async with self.batch():
            await box.remove_children()
            await box.mount_all(Example(title) for title in titles)
