"""The context of one directory, as an agent gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on

from .. import jobs
from ..binding import bindings
from ..command_table import SCOPE
from ..lines import page
from ..messages import PageLaid, ScopeRead
from ..pieces import count, shown
from ..widgets.bars import KeyBar, TitleBar
from ..widgets.text_view import TextView
from .base import View

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..commands import Command


class ScopeScreen(View[None]):
    """One text."""

    commands: ClassVar[tuple[Command, ...]] = SCOPE
    BINDINGS = bindings(SCOPE)

    def __init__(self, project: str, scope: str) -> None:
        """`project` is its root directory, `scope` the name of the directory in it."""
        super().__init__()
        self._project = project
        self._scope = scope
        self._text = ""

    def compose(self) -> ComposeResult:
        """One text."""
        yield TitleBar()
        yield TextView()
        yield KeyBar()

    def on_mount(self) -> None:
        """Read it."""
        self.query_one(TitleBar).show([(f" {shown(self._scope)}", "accent")], [("query_context ", "dim")])
        self.start("scope", jobs.read_scope, self._project, self._scope)

    @on(ScopeRead)
    def _show(self, message: ScopeRead) -> None:
        self._text = message.text
        self.query_one(TextView).show(page(message.text))

    def action_copy(self) -> None:
        """Copy it."""
        self.app.copy_to_clipboard(self._text)
        self.notify(f"Copied {count(len(self._text), 'character')}")

    @on(TextView.LayoutWanted)
    def _lay(self, message: TextView.LayoutWanted) -> None:
        self.start("layout", jobs.lay_page, message.page, message.width)

    @on(PageLaid)
    def _show_layout(self, message: PageLaid) -> None:
        self.query_one(TextView).lay(message.layout)
