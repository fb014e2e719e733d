"""Widgets that show lines of spans: text, problems, title bar, key bar, budget bar, budget curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.binding import Binding
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from ..commands import available_commands
from ..render import paint, paint_lines, strip
from ..views.budget import Segment, bar, curve_lines, figures, gain, segments
from ..views.spans import Line, escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual import events
    from textual.app import ComposeResult
    from textual.content import Content

    from ...resolver.budget import CurvePoint
    from ..result import Result


class Lines(Static):
    """Lines that Textual wraps."""

    def __init__(self, *, title: str = "", id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.border_title = title

    def show(self, lines: Iterable[Line]) -> None:
        """Replace the lines."""
        self.update(paint_lines(lines))


class Problem(Static):
    """A message about a problem; hidden when there is none."""

    _sentence = ""

    def say(self, sentence: str) -> None:
        """Show a message; an empty one hides the widget."""
        if sentence == self._sentence:
            return
        self._sentence = sentence
        self.update(paint([(escaped(sentence), "")]))
        self.set_class(bool(sentence), "-said")


class LinesPanel(ScrollView, can_focus=True):
    """Scrolling lines that a function makes for the size of the panel, drawn one by one.

    Replacing the lines computes no layout, which would take longer than everything else that a key does.
    """

    ALLOW_SELECT = False

    def __init__(self, *, title: str = "", id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.border_title = title or self.BORDER_TITLE
        self.lines: list[Line] = []
        self._make: Callable[[int, int], list[Line]] = lambda width, height: []

    def show(self, make: Callable[[int, int], list[Line]], *, from_top: bool = True) -> None:
        """Show the lines that `make` returns for a width and a height in cells."""
        self._make = make
        if from_top:
            self.scroll_home(animate=False)
        self._write()

    def on_resize(self) -> None:
        """Make the lines for the new size."""
        self._write()

    def _write(self) -> None:
        region = self.scrollable_content_region
        self.lines = self._make(region.width, region.height) if region.width > 0 else []
        self.virtual_size = Size(0, len(self.lines))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        index, width = self.scroll_offset.y + y, self.scrollable_content_region.width
        if index >= len(self.lines):
            return Strip.blank(width, self.rich_style)
        return strip(self.lines[index], width, self.visual_style)


class TitleBar(Horizontal):
    """The title of the screen on the left, figures on the right."""

    def compose(self) -> ComposeResult:
        """The title and the figures."""
        yield Static(markup=False, id="where")
        yield Static(markup=False, id="figures")

    def show(self, where: Line, figures: Line) -> None:
        """Replace the title and the figures."""
        self.query_one("#where", Static).update(paint(where))
        self.query_one("#figures", Static).update(paint([("  ", ""), *figures]))


class Key(Static):
    """A key of the footer and the name of its command; a click runs the command."""

    ALLOW_SELECT = False

    def __init__(self, key: str, word: str, action: str, tooltip: str) -> None:
        super().__init__(paint([(key, "accent"), (f" {word}", "soft")]), markup=False)
        self.tooltip = tooltip
        self._action = action

    async def on_click(self) -> None:
        """Run the command."""
        await self.screen.run_action(self._action)


class KeyBar(Horizontal):
    """The footer: the commands that have a name for it, with keys that work where the focus is."""

    def on_mount(self) -> None:
        """Watch the focus: letters are keys only while no input field has it."""
        self.watch(self.screen, "focused", self._renew)

    def on_resize(self) -> None:
        """Show as many keys as fit the new width."""
        self._renew()

    def _renew(self) -> None:
        self.call_next(self.renew)

    async def renew(self) -> None:
        """Show the commands that work now."""
        typing = isinstance(self.screen.focused, Input)
        # The commands of the application stand first, so that a narrow terminal does not cut them off.
        commands = sorted(available_commands(self.screen), key=lambda pair: pair[1].startswith("screen."))
        keys, room = [], self.size.width
        for command, action in commands:
            key, word = command.key(typing=typing), command.footer
            room -= cell_len(key) + len(word) + 3 if key and word else 0
            if key and word and room >= 0:
                keys.append(Key(key, word, action, f"{command.title}. {command.help}"))
        async with self.batch():
            await self.remove_children()
            await self.mount_all(keys)


@dataclass
class RankPicked(Message):
    """A document was picked in the budget bar."""

    rank: int


class BudgetBar(Widget):
    """A segment for each chosen document, and the figures of the selection; a click picks a document."""

    ALLOW_SELECT = False

    result: reactive[Result | None] = reactive(None)
    tokens: reactive[int | None] = reactive(None)
    """The tokens of the whole answer as JSON; None until they are counted."""

    def __init__(self, *, has_colours: bool = True) -> None:
        """Without `has_colours` neighbouring segments have different shades instead of colours."""
        super().__init__()
        self._has_colours = has_colours

    @property
    def figures(self) -> str:
        """The figures of the selection in words."""
        return "" if self.result is None else figures(self.result, self.tokens, self.content_size.width)

    def render(self) -> Content:
        """The bar with its figures below."""
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
        """Show the segment under the mouse as a tooltip."""
        part = self._at(event)
        if part is None or self.result is None:
            self.tooltip = None
        elif part.rank is None:
            self.tooltip = (
                f"{self.result.question.budget - self.result.explained.tokens_used:,} tokens remain"
            )
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

    BORDER_TITLE = "what a larger budget brings"
    BINDINGS = [
        Binding("left", "screen.other_answer(-1)", show=False),
        Binding("right", "screen.other_answer(1)", show=False),
    ]

    def show_curve(self, points: list[CurvePoint], budget: int) -> None:
        """Show the number of documents that each budget chooses."""
        self.border_subtitle = gain(points, budget)
        self.show(lambda width, height: curve_lines(points, budget, width, height))
