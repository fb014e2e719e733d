"""What is on screen, saved as a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Vertical

from ..binding import bindings
from ..command_table import SAVE_TEST
from ..pieces import shown
from ..widgets.panels import Lines
from ..widgets.pick_list import PickList
from .base import Box

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ..commands import Command
    from ..question import Question


class SaveTestBox(Box[list[str] | None]):
    """The question and the chosen documents; its outcome are the ids that the answer must hold."""

    CSS_PATH = "boxes.tcss"
    AUTO_FOCUS = "PickList"
    commands: ClassVar[tuple[Command, ...]] = SAVE_TEST
    BINDINGS = bindings(SAVE_TEST)

    def __init__(self, question: Question, chosen: list[str], files: list[str]) -> None:
        """`files` are those of the chosen documents: a heading is renamed more often than a file."""
        super().__init__()
        self._files = files
        self._question = question
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        """The question, and a list to pick from."""
        with Vertical(id="box"):
            yield Lines()
            yield PickList(self._chosen)

    def on_mount(self) -> None:
        """Fill it."""
        box = self.query_one("#box")
        box.border_title = "save as a test"
        box.border_subtitle = "⏎ saves · space one · a all or none · f whole files · esc"
        budget = f"within {self._question.budget:,} tokens"
        self.query_one(Lines).show([[(shown(self._question.query), "strong")], [(budget, "dim")], []])

    @on(PickList.Opened)
    def action_pick(self) -> None:
        """Take or leave the highlighted document."""
        self.query_one(PickList).toggle()

    def action_whole_files(self) -> None:
        """Expect files instead of their sections, or the other way."""
        picks = self.query_one(PickList)
        picks.show(self._chosen if picks.ids == self._files else self._files)

    def action_pick_all(self) -> None:
        """Take all or none."""
        self.query_one(PickList).toggle_all()

    def action_move(self, steps: int) -> None:
        """Move by documents."""
        self.query_one(PickList).move(steps)

    def action_save(self) -> None:
        """Save what is picked."""
        picked = self.query_one(PickList).picked
        if picked:
            self.dismiss(picked)
        else:
            self.notify("A test must expect something: take at least one document", severity="warning")
