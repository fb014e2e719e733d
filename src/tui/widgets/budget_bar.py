"""The bar that shows where the budget went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive
from textual.widget import Widget

from ..budget_lines import account, bar, segments, wire
from ..messages import RankPicked
from ..painting import paint

if TYPE_CHECKING:
    from textual import events
    from textual.content import Content

    from ..answered import Answered
    from ..budget_lines import Segment


class BudgetBar(Widget):
    """A segment for each chosen document; a click picks it."""

    BORDER_TITLE = "budget used"
    DEFAULT_CSS = "BudgetBar { height: 3; }"
    ALLOW_SELECT = False

    answered: reactive[Answered | None] = reactive(None)
    tokens: reactive[int | None] = reactive(None)
    """What the answer costs on the wire, once it was counted."""

    def watch_answered(self, answered: Answered | None) -> None:
        """Show another answer's figures."""
        self.border_title = account(answered) if answered else "budget used"

    def watch_tokens(self, tokens: int | None) -> None:
        """Show what the answer costs."""
        self.border_subtitle = wire(tokens)

    def render(self) -> Content:
        """The bar."""
        return paint(bar(self._segments(), colour=not self.app.no_color))

    def on_click(self, event: events.Click) -> None:
        """Pick the document under the mouse."""
        part = self._at(event)
        if part and part.rank is not None:
            self.post_message(RankPicked(part.rank))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say what is under the mouse."""
        part = self._at(event)
        if part is None or self.answered is None:
            self.tooltip = None
        elif part.rank is None:
            self.tooltip = f"{self.answered.question.budget - self.answered.tokens_used:,} tokens remain"
        else:
            self.tooltip = f"rank {part.rank}: {self.answered.chosen[part.place].tokens:,} tokens"

    def _segments(self) -> list[Segment]:
        if self.answered is None:
            return []
        return segments(self.answered.chosen, self.answered.question.budget, self.content_size.width)

    def _at(self, event: events.MouseEvent) -> Segment | None:
        offset = event.get_content_offset(self)
        if offset is None:
            return None
        return next((s for s in self._segments() if s.start <= offset.x < s.start + s.cells), None)
