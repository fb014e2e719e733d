"""The context of one directory, as an agent gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on

from .. import jobs
from ..binding import bindings
from ..command_table import SCOPE
from ..lines import page
from ..messages import ScopeRead
from ..pieces import count, shown
from ..scope_lines import state_lines
from ..widgets.bars import KeyBar, TitleBar
from ..widgets.panels import Lines
from ..widgets.text_view import TextView
from .base import View

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..commands import Command


MOST = 8
"""Changes that are named."""


class ScopeScreen(View[None]):
    """What led to its state, above its text."""

    DEFAULT_CSS = "ScopeScreen > Lines { padding: 0 2; }"
    AUTO_FOCUS = "TextView"
    commands: ClassVar[tuple[Command, ...]] = SCOPE
    BINDINGS = bindings(SCOPE)

    def __init__(self, project: str, scope: str) -> None:
        """`project` is its root directory, `scope` the name of the directory in it."""
        super().__init__()
        self._project = project
        self._scope = scope
        self._text = ""

    def compose(self) -> ComposeResult:
        """The state and the text."""
        yield TitleBar()
        yield Lines()
        yield TextView()
        yield KeyBar()

    def on_mount(self) -> None:
        """Read it."""
        self.query_one(TitleBar).show([(f" {shown(self._scope)}", "accent")], [("query_context ", "dim")])
        self.start("scope", jobs.read_scope, self._project, self._scope)

    @on(ScopeRead)
    def _show(self, message: ScopeRead) -> None:
        self._text = message.text
        self.query_one(Lines).show(state_lines(message.state, message.changes, MOST))
        self.query_one(TextView).show(page(message.text))

    def action_copy(self) -> None:
        """Copy it."""
        self.app.copy_to_clipboard(self._text)
        self.notify(f"Copied {count(len(self._text), 'character')}")
