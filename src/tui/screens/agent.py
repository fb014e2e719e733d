"""What the agent sends and what it sees, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on

from .. import jobs
from ..binding import bindings
from ..command_table import AGENT
from ..lines import page
from ..messages import Exchanged
from ..pieces import count
from ..widgets.bars import KeyBar, TitleBar
from ..widgets.panels import Problem
from ..widgets.text_view import TextView
from .base import View

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..calls import Exchange
    from ..commands import Command
    from ..question import Question

PARTS = {"text": "the exact answer", "pretty": "the answer, indented", "call": "the call"}


class AgentScreen(View[None]):
    """The call and the answer of one question, to read and to copy."""

    CSS_PATH = "agent.tcss"
    commands: ClassVar[tuple[Command, ...]] = AGENT
    BINDINGS = bindings(AGENT)

    def __init__(self, name: str, question: Question) -> None:
        """`name` is the cache's in its root, as an agent names it."""
        super().__init__()
        self._cache_name = name
        self._question = question
        self._exchange: Exchange | None = None
        self._part = "text"

    def compose(self) -> ComposeResult:
        """One text."""
        yield TitleBar()
        yield Problem()
        yield TextView()
        yield KeyBar()

    def on_mount(self) -> None:
        """Make the call."""
        cache = self.inspector.desk.cache
        if cache is not None:
            self.start("call", jobs.make_call, self._cache_name, cache, self._question)

    @on(Exchanged)
    def _take(self, message: Exchanged) -> None:
        self.query_one(Problem).say(message.problem)
        self._exchange = message.exchange
        self.action_show("text")

    @property
    def text(self) -> str:
        """The text in view, exactly."""
        return "" if self._exchange is None else str(getattr(self._exchange, self._part))

    def action_show(self, part: str) -> None:
        """Show one of the three texts."""
        self._part = part
        if self._exchange is None:
            return
        self.query_one(TextView).border_title = PARTS[part]
        self.query_one(TextView).show(page(self.text))
        self.query_one(TitleBar).show(
            [(" What the agent sees", "strong")],
            [
                (
                    f"{self._exchange.tokens:,} tokens on the wire, {len(self._exchange.text):,} characters ",
                    "dim",
                )
            ],
        )

    def action_copy(self) -> None:
        """Copy the text in view."""
        self.app.copy_to_clipboard(self.text)
        self.notify(f"Copied {PARTS[self._part]}, {count(len(self.text), 'character')}")
