"""The screen of all documents of a cache, with its configuration and the sizes of documents and folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Input

from ...text.display import pluralize
from ..catalog import build_facts
from ..commands import DOCUMENTS
from ..views.documents import (
    COLUMNS,
    Order,
    column_titles,
    document_cells,
    filter_and_sort,
    folder_lines,
    histogram,
    size_counts,
)
from ..views.project import about_lines
from ..views.spans import escaped
from ..views.why import Why, why_lines, why_title
from ..widgets.lines import Lines, LinesPanel, TitleBar
from ..widgets.question import ControlHighlighter
from ..widgets.table import Table
from .base import SessionScreen
from .document import DocumentScreen

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ...cache.documents import DocumentSummary
    from ...resolver.cache import Cache
    from ..result import Result
    from ..session import Session

FIRST_ROWS = 500
"""The number of documents that are shown before all are read."""
FOLDERS = 8


class DocumentsScreen(SessionScreen[None]):
    """A table with a filter; beside it the cache's configuration and the sizes of its documents."""

    CSS_PATH = "documents.tcss"
    AUTO_FOCUS = "#filter"
    commands = DOCUMENTS

    def __init__(self, session: Session, result: Result | None) -> None:
        """`result` is the answer of the main screen, from which the highlighted document is explained."""
        super().__init__(session)
        self._result = result
        self._all: list[DocumentSummary] = []
        self.summaries: list[DocumentSummary] = []
        self._order = Order()
        self.why: Why | None = None

    def parts(self) -> ComposeResult:
        """The filter, the table and the explanation on the left, the figures on the right."""
        with Horizontal(id="body"):
            with Vertical(id="listed"):
                words = "words of an id or a title"
                field = Input(id="filter", placeholder=words, highlighter=ControlHighlighter())
                field.border_title = "filter"
                yield field
                yield Table(COLUMNS, title="documents", id="documents")
                yield LinesPanel(title="why", id="why")
            with VerticalScroll(id="facts", can_focus=False):
                yield Lines(id="about", title="how it was built")
                yield Lines(id="folders", title="tokens by folder")
                yield Lines(id="sizes", title="documents by tokens")

    def on_mount(self) -> None:
        """Read the documents."""
        self.set_class(self._result is not None, "-asked")
        self._draw_about()
        cache = self.session.cache
        if cache is not None:
            self._list(cache, min(FIRST_ROWS, cache.document_count))

    def _list(self, cache: Cache, stop: int) -> None:
        """Read the first `stop` documents in a thread and show them, then all."""

        def take(summaries: list[DocumentSummary]) -> None:
            self._take(summaries)
            if stop < cache.document_count:
                self._list(cache, cache.document_count)

        self.start("list", lambda: list(cache.summaries(0, stop)), take)

    def _take(self, summaries: list[DocumentSummary]) -> None:
        self._all = summaries
        self._draw_sizes()
        self._arrange(self._order)

    def on_resize(self) -> None:
        """Draw the bars for the new width."""
        self._draw_sizes()

    def _draw_sizes(self) -> None:
        if self._all:
            width = max(20, self.query_one("#sizes").content_size.width)
            self.query_one("#sizes", Lines).show(histogram(size_counts(self._all), width))
            self.query_one("#folders", Lines).show(folder_lines(self._all, width, FOLDERS))

    def _arrange(self, order: Order) -> None:
        """Filter and sort in a thread: 100,000 documents take longer than a key may."""
        self._order = order
        summaries = self._all
        self.start("arrange", lambda: filter_and_sort(summaries, order), self._show)

    def _show(self, summaries: list[DocumentSummary]) -> None:
        self.summaries = summaries
        self.table.show(
            len(summaries), lambda index: document_cells(summaries[index]), titles=column_titles(self._order)
        )
        total = sum(summary.tokens for summary in summaries)
        name = self.session.info.name if self.session.info else ""
        self.query_one(TitleBar).show(
            [(f" {escaped(name)} / ", "dim"), ("documents", "strong")],
            [(f"{len(summaries):,} of {len(self._all):,} · {pluralize(total, 'token')} ", "dim")],
        )
        self.explain()

    def _draw_about(self) -> None:
        info, cache = self.session.info, self.session.cache
        if info is not None and cache is not None:
            lines = about_lines(info, build_facts(cache), self.session.verified.get(info.path))
            self.query_one("#about", Lines).show(lines)

    @on(Input.Changed, "#filter")
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        self._arrange(self._order.filtered(event.value))

    @property
    def summary(self) -> DocumentSummary | None:
        """The highlighted document; None if there is none."""
        index = self.table.index
        return self.summaries[index] if 0 <= index < len(self.summaries) else None

    @on(Table.Moved)
    def explain(self) -> None:
        """Explain the rank of the highlighted document, which need not match, in the answer."""
        result, summary = self._result, self.summary
        if result is not None and summary is not None:
            self.start("why", lambda: result.why(summary.id), self._show_why)

    def _show_why(self, why: Why) -> None:
        self.why = why
        panel = self.query_one("#why", LinesPanel)
        panel.border_title = why_title(why)
        words = self._result.words if self._result is not None else {}
        panel.show(lambda width, height: why_lines(why, width, words))

    @on(Table.TitleClicked)
    def _sort_by(self, message: Table.TitleClicked) -> None:
        self._arrange(self._order.by(message.key))

    def action_sort(self) -> None:
        """Sort by the next column."""
        self._arrange(self._order.next())

    def action_reverse(self) -> None:
        """Reverse the order."""
        self._arrange(self._order.by(self._order.column))

    def action_filter(self) -> None:
        """Focus the filter."""
        self.query_one("#filter").focus()

    @on(Input.Submitted, "#filter")
    @on(Table.Opened)
    def action_read(self) -> None:
        """Open the highlighted document, with the other documents of the table next to it."""
        cache, summaries = self.session.cache, self.summaries
        if cache is None or self.summary is None:
            return

        def id_at(index: int) -> tuple[str, str] | None:
            return (summaries[index].id, "") if 0 <= index < len(summaries) else None

        query = self.session.question.query
        self.app.push_screen(DocumentScreen(self.session, cache, id_at, self.table.index, query))

    @property
    def document_id(self) -> str:
        """The id of the highlighted document."""
        return self.summary.id if self.summary is not None else ""

    def action_verify(self) -> None:
        """Verify the cache."""
        if self.session.info is not None:
            self.verify(self.session.info, self._draw_about)
