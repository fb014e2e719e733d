"""All documents of a cache, and how it was built."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Input

from .. import jobs
from ..binding import bindings
from ..command_table import DOCUMENTS
from ..listing import Order, histogram
from ..messages import Arranged, ColumnPicked, HeadingsRead, Verified, WhyFound
from ..pieces import count, shown
from ..shelf import facts
from ..shelf_lines import about_lines
from ..widgets.asking import Revealing
from ..widgets.bars import KeyBar, TitleBar
from ..widgets.document_list import DocumentList
from ..widgets.panels import Lines, Problem
from ..widgets.why_panel import WhyPanel
from .base import ListView

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..answered import Answered
    from ..commands import Command
    from ..library import DocumentSummary, Verification


class DocumentsScreen(ListView[None]):
    """A table with a filter; beside it the cache's configuration and the sizes of its documents."""

    CSS_PATH = "documents.tcss"
    AUTO_FOCUS = "#filter"
    commands: ClassVar[tuple[Command, ...]] = DOCUMENTS
    BINDINGS = bindings(DOCUMENTS)

    def __init__(self, answered: Answered | None) -> None:
        """`answered` is the answer on screen, to say where each document stands for it."""
        super().__init__()
        self._answered = answered
        self._headings: list[DocumentSummary] = []
        self._order = Order()
        self._verified: Verification | str | None = None

    def compose(self) -> ComposeResult:
        """The parts."""
        yield TitleBar()
        yield Problem()
        with Horizontal():
            with Vertical():
                yield Input(id="filter", placeholder="words of an id or a title", highlighter=Revealing())
                yield DocumentList(id="documents")
            with Vertical(id="facts"):
                with VerticalScroll(id="about", can_focus=False):
                    yield Lines(id="about-lines")
                with VerticalScroll(id="sizes", can_focus=False):
                    yield Lines(id="size-lines")
                yield WhyPanel()
        yield KeyBar()

    def on_mount(self) -> None:
        """List the documents."""
        self.query_one("#about").border_title = "how it was built"
        self.query_one("#sizes").border_title = "documents by tokens"
        self.query_one("#filter").border_title = "filter"
        self.set_class(self._answered is not None, "-asked")
        self._draw_about()
        cache = self.inspector.desk.cache
        if cache is not None:
            self.start("list", jobs.list_headings, cache)

    @on(HeadingsRead)
    def _take(self, message: HeadingsRead) -> None:
        self.query_one(Problem).say(message.problem)
        if message.headings:
            self._headings = message.headings
            room = self.query_one("#sizes").scrollable_content_region.width
            self.query_one("#size-lines", Lines).show(histogram(message.sizes, room))
        self._arrange(self._order)

    def _arrange(self, order: Order) -> None:
        """Filter and sort, off the event loop: 100,000 documents take longer than a key may."""
        self._order = order
        self.start("arrange", jobs.arrange, self._headings, order)

    @on(Arranged)
    def _show(self, message: Arranged) -> None:
        if message.order != self._order:
            return
        headings = message.headings
        self.query_one(DocumentList).show(headings, message.order)
        total = sum(heading.tokens for heading in headings)
        self.query_one(TitleBar).show(
            [(f" {shown(self._cache_name)} / ", "dim"), ("documents", "strong")],
            [(f"{len(headings):,} of {len(self._headings):,} · {count(total, 'token')} ", "dim")],
        )

    @property
    def _cache_name(self) -> str:
        volume = self.inspector.desk.volume
        return volume.name if volume else ""

    def _draw_about(self) -> None:
        desk = self.inspector.desk
        if desk.volume is not None and desk.cache is not None:
            lines = about_lines(desk.volume, facts(desk.cache), self._verified)
            self.query_one("#about-lines", Lines).show(lines)

    @on(Input.Changed, "#filter")
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        self._arrange(self._order.filtered(event.value))

    @on(DocumentList.Moved)
    @on(DocumentList.InView)
    def _explain(self) -> None:
        """Say where the highlighted document stands for the question on screen, matching or not."""
        table = self.query_one(DocumentList)
        if self._answered is not None and table.count:
            self.start("why", jobs.find_why, self._answered, table.headings[table.cursor].id)

    @on(WhyFound)
    def _show_why(self, message: WhyFound) -> None:
        table = self.query_one(DocumentList)
        if table.count and message.document == table.headings[table.cursor].id:
            self.query_one(WhyPanel).why = message.why
            self.query_one(Problem).say(message.problem)

    @on(ColumnPicked)
    def _sort(self, message: ColumnPicked) -> None:
        self.action_sort(message.column)

    def action_sort(self, column: str) -> None:
        """Sort by a column, or turn its order round."""
        self._arrange(self._order.by(column))

    def action_filter(self) -> None:
        """To the filter."""
        self.query_one("#filter").focus()

    @on(Input.Submitted, "#filter")
    @on(DocumentList.Opened)
    def action_read(self) -> None:
        """Open the highlighted document; the others of the table follow."""
        table = self.query_one(DocumentList)
        if table.count:
            self.inspector.show_listed(table.headings, table.cursor)

    def action_verify(self) -> None:
        """Check every byte."""
        volume = self.inspector.desk.volume
        if volume is not None:
            if other := self.inspector.desk.begin(volume.path, "verification"):
                self.notify(f"a {other} of {shown(volume.name)} is still running", markup=False)
                return
            self._verified = "checking every byte …"
            self._draw_about()
            self.start("verify", jobs.check_volume, volume)

    @on(Verified)
    def _show_verified(self, message: Verified) -> None:
        self.inspector.desk.end(message.path)
        self._verified = message.verification or message.problem
        self._draw_about()
        self.inspector.tell_verified(message)
