"""Panels of lines: why a document stands where it does, what a cache is, what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.reactive import reactive
from textual.widgets import Static

from ..painting import paint_lines
from ..pieces import shown
from ..why_lines import nothing_lines, why_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult

    from ..answered import Answered
    from ..pieces import Piece
    from ..reasons import Why


class Lines(Static):
    """Lines of pieces."""

    DEFAULT_CSS = "Lines { width: 1fr; height: auto; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - as Textual
        super().__init__(markup=False, id=id, classes=classes)

    def show(self, lines: Iterable[Iterable[Piece]]) -> None:
        """Replace the lines."""
        self.update(paint_lines(lines))


class Problem(Static):
    """A sentence where the eye is; hidden when there is nothing to say."""

    DEFAULT_CSS = """
    Problem { height: auto; max-height: 6; display: none; }
    Problem.-said { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as Textual
        super().__init__(markup=False, id=id)

    def say(self, sentence: str) -> None:
        """Show a sentence; an empty one hides the panel."""
        self.update(shown(sentence))
        self.set_class(bool(sentence), "-said")


class WhyPanel(VerticalScroll, can_focus=True):
    """Everything there is to say of the highlighted document."""

    BORDER_TITLE = "why"

    why: reactive[Why | None] = reactive(None)
    arithmetic: reactive[bool] = reactive(False)
    """Whether the arithmetic is shown, to the last number."""

    def compose(self) -> ComposeResult:
        """One block of lines."""
        yield Lines()

    def watch_why(self, old: Why | None, new: Why | None) -> None:
        """Show another document, from its top."""
        self._draw()
        if old is None or new is None or old.id != new.id:
            self.scroll_home(animate=False)

    def watch_arithmetic(self) -> None:
        """Show or hide the arithmetic."""
        self._draw()

    def on_resize(self) -> None:
        """Bars follow the width."""
        self._draw()

    def nothing(self, answered: Answered | None) -> None:
        """Say why there is no document to speak of."""
        self.why = None
        self.query_one(Lines).show(nothing_lines(answered.explained) if answered else [])

    def _draw(self) -> None:
        if self.why is not None:
            width = self.scrollable_content_region.width
            self.query_one(Lines).show(why_lines(self.why, width, tree=self.arithmetic))
