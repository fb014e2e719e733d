"""The screen of one document, rendered or raw, with the matches of the query or of a text to find."""

from __future__ import annotations

import os
import shlex
import subprocess
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult, SuspendNotSupported
from textual.widgets import ContentSwitcher

from ...errors import UsageError
from ...resolver.snippets import match_spans
from ...text.display import pluralize
from ..commands import DOCUMENT
from ..views.documents import section_title
from ..views.pages import MATCHED_AT_ONCE, Page, Range, as_markdown, find_text, page
from ..views.spans import escaped
from ..widgets.document import MarkdownView, TextView
from ..widgets.lines import TitleBar
from .base import SessionScreen
from .dialogs import LineDialog

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...cache.documents import Document
    from ...resolver.cache import Cache
    from ..session import Session


class DocumentScreen(SessionScreen[None]):
    """One document of a list, whose other documents can be opened from here."""

    CSS_PATH = "document.tcss"
    commands = DOCUMENT

    def __init__(
        self,
        session: Session,
        cache: Cache,
        id_at: Callable[[int], tuple[str, str] | None],
        index: int,
        query: str,
    ) -> None:
        """`id_at` returns the id and a note (such as the rank) of a document, given its index in the list."""
        super().__init__(session)
        self._cache = cache
        self._id_at = id_at
        self._index = index
        self._query = query
        self._document: Document | None = None
        self._page: Page | None = None
        self._rendered = ""
        """The text as Markdown; empty if it is not rendered."""
        self._searched = ""
        """The text that the user searches; empty for the words of the query."""

    @classmethod
    def alone(cls, session: Session, cache: Cache, id_: str, query: str) -> DocumentScreen:
        """The screen of a document that is in no list."""
        return cls(session, cache, lambda index: None if index else (id_, ""), 0, query)

    def parts(self) -> ComposeResult:
        """The rendered and the raw view, one of which is visible."""
        with ContentSwitcher(initial="raw"):
            yield MarkdownView(id="rendered")
            yield TextView(id="raw")

    def on_mount(self) -> None:
        """Read the document in a thread."""
        self._read(self._index)

    def _read(self, index: int) -> None:
        listed = self._id_at(index)
        if listed is None:
            return
        self._index = index
        cache, query = self._cache, self._query
        self.start("document", lambda: read(cache, listed[0], query), self._show)

    async def _show(self, document_read: tuple[Document, Page, str]) -> None:
        self._document, self._page, self._rendered = document_read
        self._searched = ""
        self.say("")
        self.query_one(TextView).show(self._page)
        await self._switch(rendered=bool(self._rendered))
        self._draw_title()
        self._match_rest(self._document)

    def _match_rest(self, document: Document) -> None:
        """Find the matches in the whole of a long text, in a thread; the text is shown already."""
        cache, query, content = self._cache, self._query, document.content

        def show(page: Page) -> None:
            if document is self._document:
                self._page = page
                if not self._searched:
                    self.query_one(TextView).mark(page)

        if query.strip() and len(content) > MATCHED_AT_ONCE:
            self.start("matches", lambda: page(content, match_spans(cache, query, content)), show)

    async def _switch(self, *, rendered: bool) -> None:
        if rendered:
            await self.query_one(MarkdownView).show(self._rendered, self._spans)
        self.query_one(ContentSwitcher).current = "rendered" if rendered else "raw"
        self._view.focus()

    def _spans(self, text: str) -> list[Range]:
        return match_spans(self._cache, self._query, text)

    @on(TextView.Moved)
    def _draw_title(self) -> None:
        document, listed = self._document, self._id_at(self._index)
        if document is None:
            return
        note = f"{listed[1]} · " if listed and listed[1] else ""
        self.query_one(TitleBar).show(
            [
                (" ", ""),
                (section_title(document.title, document.id), "strong"),
                (f"  {escaped(document.id)}", "dim"),
            ],
            [(f"{note}{pluralize(document.tokens, 'token')}{self._matches()} ", "dim")],
        )

    def _matches(self) -> str:
        """` · 2 of 11 matches`, with the searched text if there is one."""
        if not self._query.strip() and not self._searched:
            return ""
        position, matches = self._view.position
        singular, plural = ("passage", "passages") if self._is_rendered else ("match", "matches")
        of = f"{position:,} of {matches:,}" if position else f"{matches:,}"
        what = f" of {escaped(self._searched, limit=20)}" if self._searched else ""
        return f" · {of} {singular if matches == 1 else plural}{what}"

    @property
    def _view(self) -> MarkdownView | TextView:
        """The visible view."""
        return self.query_one(MarkdownView) if self._is_rendered else self.query_one(TextView)

    @property
    def _is_rendered(self) -> bool:
        return self.query_one(ContentSwitcher).current == "rendered"

    def action_match(self, steps: int) -> None:
        """Go to the next (1) or previous (-1) match."""
        self._view.go(steps)
        self._draw_title()

    def action_find(self) -> None:
        """Ask for a text and find it in the raw document; an empty one finds the query's words again."""
        dialog = LineDialog("find in this document", "a text, in any case", self._searched)
        self.push(dialog, self._find)

    async def _find(self, words: str) -> None:
        if self._page is None:
            return
        self._searched = words
        await self._switch(rendered=False)
        self.query_one(TextView).show(find_text(self._page, words) if words else self._page)
        self.query_one(TextView).go(1)
        self._draw_title()

    async def action_rendered(self) -> None:
        """Switch between the rendered and the raw view; refuse for a text that is not rendered."""
        if not self._is_rendered and not self._rendered:
            self.notify("Only Markdown of an ordinary size is rendered; this text is shown as it is")
            return
        await self._switch(rendered=not self._is_rendered)
        self._draw_title()

    def action_document(self, steps: int) -> None:
        """Open the next (1) or previous (-1) document of the list."""
        self._read(self._index + steps)

    @property
    def document_id(self) -> str:
        """The id of the document."""
        return self._document.id if self._document is not None else ""

    def action_copy_content(self) -> None:
        """Copy the content."""
        if self._document is not None:
            self.copy(self._document.content, "the content")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable `edit` if the source file is unknown or the screen is in a browser."""
        if action == "edit":
            return self._source is not None and not self.app.is_web
        return super().check_action(action, parameters)

    @property
    def _source(self) -> str | None:
        if self._document is None:
            return None
        path = self.session.source_of(self._document.source)
        return str(path) if path else None

    def action_edit(self) -> None:
        """Open the source file in the user's editor, at the line where the document begins."""
        source, editor = self._source, os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
        if source is None or self._document is None:
            return
        # What reaches the command line is a whole number and an absolute path: neither is an option.
        line = self._document.origin.line or 1
        try:
            with self.app.suspend():
                subprocess.run([*shlex.split(editor), f"+{line:d}", source], check=False)  # the user's own
        except (SuspendNotSupported, OSError, ValueError) as error:
            self.notify(f"{escaped(editor)}: not possible here: {error}", severity="error", markup=False)


def read(cache: Cache, id_: str, query: str) -> tuple[Document, Page, str]:
    """A document, its page, and its text as Markdown, "" if it is none. Raises what `read_page` raises."""
    document, page_ = read_page(cache, id_, query)
    return document, page_, as_markdown(document.source or id_, page_.text)


def read_page(cache: Cache, id_: str, query: str) -> tuple[Document, Page]:
    """A document and its page, with the matches of a query in the first `MATCHED_AT_ONCE` characters.

    Raises `UsageError` where the cache has no such document, `CacheInvalid`, `IoError`.
    """
    document = cache.document(id_)
    if document is None:
        raise UsageError(f"{id_}: this cache has no such document")
    return document, page(document.content, match_spans(cache, query, document.content[:MATCHED_AT_ONCE]))
