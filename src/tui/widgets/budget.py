"""Where the budget went, and what a larger one brings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from ..render import paint, paint_lines
from ..views.budget import bar, curve_lines, figures, gain, segments
from .lines import LinesPanel

if TYPE_CHECKING:
    from textual import events
    from textual.content import Content

    from ...resolver.budget import CurvePoint
    from ..result import Result
    from ..views.budget import Segment


@dataclass
class RankPicked(Message):
    """A document was picked by its rank, from the bar."""

    rank: int


@dataclass
class AnswerStepped(Message):
    """The budget is to go to the next, or the previous, that changes the answer."""

    steps: int


class BudgetBar(Widget):
    """A segment for each chosen document, and the figures of the selection; a click picks a document."""

    DEFAULT_CSS = "BudgetBar { height: 2; padding: 0 1; }"
    ALLOW_SELECT = False

    result: reactive[Result | None] = reactive(None)
    tokens: reactive[int | None] = reactive(None)
    """What the answer costs its reader, once it was counted."""

    def __init__(self, *, has_colours: bool = True) -> None:
        """`has_colours`: there are enough to tell neighbours apart, which shades do otherwise."""
        super().__init__()
        self._has_colours = has_colours

    @property
    def figures(self) -> str:
        """The figures of the selection in words."""
        return "" if self.result is None else figures(self.result, self.tokens, self.content_size.width)

    def render(self) -> Content:
        """The bar, and its figures below it."""
        drawn = bar(self._segments(), colour=self._has_colours and not self.app.no_color)
        if self.content_size.height < 2:
            return paint(drawn)
        return paint_lines([drawn, [(self.figures, "soft")]])

    def on_click(self, event: events.Click) -> None:
        """Pick the document under the mouse."""
        part = self._at(event)
        if part and part.rank is not None:
            self.post_message(RankPicked(part.rank))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say what is under the mouse."""
        part = self._at(event)
        if part is None or self.result is None:
            self.tooltip = None
        elif part.rank is None:
            self.tooltip = f"{self.result.question.budget - self.result.tokens_used:,} tokens remain"
        else:
            self.tooltip = f"rank {part.rank}: {self.result.chosen[part.index].tokens:,} tokens"

    def _segments(self) -> list[Segment]:
        if self.result is None:
            return []
        return segments(self.result.chosen, self.result.question.budget, self.content_size.width)

    def _at(self, event: events.MouseEvent) -> Segment | None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y:
            return None
        return next((s for s in self._segments() if s.start <= offset.x < s.start + s.cells), None)


class CurvePanel(LinesPanel, can_focus=True):
    """Documents against the budget; ← and → go to the next budget that changes the answer."""

    DEFAULT_CSS = "CurvePanel { height: 1fr; overflow: hidden hidden; scrollbar-gutter: auto; }"
    BORDER_TITLE = "what a larger budget brings"

    def show_curve(self, points: list[CurvePoint], budget: int, matches: int) -> None:
        """Show what each of some budgets buys."""
        self.border_subtitle = gain(points, budget)
        self.show(lambda width, height: curve_lines(points, budget, matches, width, height))

    def key_left(self) -> None:
        """To the budget before with another answer."""
        self.post_message(AnswerStepped(-1))

    def key_right(self) -> None:
        """To the next budget with another answer."""
        self.post_message(AnswerStepped(1))
