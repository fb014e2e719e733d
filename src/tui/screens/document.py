"""A document, rendered or raw, with the words that the query found."""

from __future__ import annotations

import os
import shlex
import subprocess
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import SuspendNotSupported
from textual.widgets import ContentSwitcher

from .. import jobs
from ..binding import bindings
from ..command_table import DOCUMENT
from ..highlights import match_spans
from ..messages import DocumentRead
from ..pieces import count, shown
from ..widgets.bars import KeyBar, TitleBar
from ..widgets.panels import Problem
from ..widgets.rendered import Rendered
from ..widgets.text_view import TextView
from .base import View

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult

    from ..commands import Command
    from ..library import Cache, Document


class DocumentScreen(View[None]):
    """One document of a list that the opener knows."""

    CSS_PATH = "document.tcss"
    commands: ClassVar[tuple[Command, ...]] = DOCUMENT
    BINDINGS = bindings(DOCUMENT)

    def __init__(
        self, cache: Cache, id_at: Callable[[int], tuple[str, str] | None], place: int, query: str
    ) -> None:
        """`id_at` gives the id and a note (such as the rank) of the document at a place of the list."""
        super().__init__()
        self._cache = cache
        self._id_at = id_at
        self._place = place
        self._query = query
        self._document: Document | None = None
        self._rendered = ""

    def compose(self) -> ComposeResult:
        """Two ways to show it."""
        yield TitleBar()
        yield Problem()
        with ContentSwitcher(initial="raw"):
            yield Rendered(id="rendered")
            yield TextView(id="raw")
        yield KeyBar()

    def on_mount(self) -> None:
        """Read it."""
        self._read(self._place)

    def _read(self, place: int) -> None:
        found = self._id_at(place)
        if found is None:
            return
        self._place = place
        self.start("document", jobs.read_document, self._cache, found[0], self._query)

    @on(DocumentRead)
    async def _show(self, message: DocumentRead) -> None:
        self._document, self._rendered = message.document, message.rendered
        self.query_one(Problem).say(message.problem)
        if message.document is None or message.page is None:
            return
        self.query_one(TextView).show(message.page)
        await self._switch(rendered=bool(self._rendered))
        self._draw_title()

    async def _switch(self, *, rendered: bool) -> None:
        if rendered:
            spans = partial(match_spans, self._cache, self._query)
            await self.query_one(Rendered).show(self._rendered, spans)
        self.query_one(ContentSwitcher).current = "rendered" if rendered else "raw"
        self.query_one(f"#{self.query_one(ContentSwitcher).current}").focus()

    def _draw_title(self) -> None:
        document, listed = self._document, self._id_at(self._place)
        if document is None:
            return
        title = f"  {shown(document.title)}" if document.title else ""
        found = self.query_one(TextView).matches
        matches = f" · {found:,} match{'' if found == 1 else 'es'}" if self._query.strip() else ""
        note = f"{listed[1]} · " if listed and listed[1] else ""
        self.query_one(TitleBar).show(
            [(" ", ""), (shown(document.id), "accent"), (title, "dim")],
            [(f"{note}{count(document.tokens, 'token')}{matches} ", "dim")],
        )

    @property
    def _is_rendered(self) -> bool:
        return self.query_one(ContentSwitcher).current == "rendered"

    def action_next_match(self) -> None:
        """To the next match."""
        self._view.go(1)

    def action_previous_match(self) -> None:
        """To the match before."""
        self._view.go(-1)

    @property
    def _view(self) -> Rendered | TextView:
        return self.query_one(Rendered) if self._is_rendered else self.query_one(TextView)

    async def action_rendered(self) -> None:
        """The other way to show it; a text that is too long to render stays raw."""
        if not self._is_rendered and not self._rendered:
            self.notify("Only Markdown of an ordinary size is rendered; this text is shown as it is")
            return
        await self._switch(rendered=not self._is_rendered)

    def action_next_document(self) -> None:
        """The next of the list."""
        self._read(self._place + 1)

    def action_previous_document(self) -> None:
        """The one before."""
        self._read(self._place - 1)

    def action_copy(self) -> None:
        """Copy the content."""
        if self._document is not None:
            self.app.copy_to_clipboard(self._document.content)
            self.notify(f"Copied {count(len(self._document.content), 'character')}")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The source can be edited where it is known."""
        if action == "edit":
            return self._source is not None and not self.app.is_web
        return super().check_action(action, parameters)

    @property
    def _source(self) -> str | None:
        if self._document is None:
            return None
        path = self.inspector.desk.source_of(self._document.source)
        return str(path) if path else None

    def action_edit(self) -> None:
        """Open the source in the user's editor, at the line where the document begins."""
        source, editor = self._source, os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
        if source is None or self._document is None:
            return
        # What reaches the command line is a whole number and an absolute path: neither is an option.
        line = self._document.origin.line or 1
        try:
            with self.app.suspend():
                subprocess.run([*shlex.split(editor), f"+{line:d}", source], check=False)  # the user's own
        except (SuspendNotSupported, OSError, ValueError) as error:
            self.notify(f"{shown(editor)}: not possible here: {error}", severity="error", markup=False)
