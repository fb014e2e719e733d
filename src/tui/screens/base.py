"""What all screens have: commands with bindings, a title bar and a key bar."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar, cast

from textual import on
from textual.screen import ModalScreen, Screen

from ..command_table import BACK
from ..jobs import lay_page
from ..messages import PageLaid
from ..widgets.row_list import RowList
from ..widgets.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..app import Inspector
    from ..commands import Command

Outcome = TypeVar("Outcome")


class View(Screen[Outcome], Generic[Outcome]):
    """A screen of the inspector."""

    commands: ClassVar[tuple[Command, ...]] = (BACK,)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (96, "-normal"), (150, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]

    @property
    def inspector(self) -> Inspector:
        """The application."""
        return cast("Inspector", self.app)

    def start(self, group: str, job: Callable[..., None], *arguments: object) -> None:
        """Run a job in a thread; it posts to this screen. A later job of the group replaces it."""
        # A function of its own: Textual would write out the arguments of a partial one.
        self.run_worker(lambda: job(self.post_message, *arguments), thread=True, exclusive=True, group=group)

    @on(TextView.LayoutWanted)
    def lay(self, message: TextView.LayoutWanted) -> None:
        """Cut a page into rows, in a thread: it may be a million lines."""
        self.start("layout", lay_page, message.page, message.width)

    @on(PageLaid)
    def show_layout(self, message: PageLaid) -> None:
        """Show the rows; only one text of a screen is cut at a time."""
        self.query_one(TextView).lay(message.layout)

    def action_back(self) -> None:
        """Go back."""
        self.dismiss(None)


class ListView(View[Outcome], Generic[Outcome]):
    """A screen with a list that the keys move in."""

    @property
    def rows(self) -> RowList:
        """The list."""
        return self.query_one(RowList)

    def action_move(self, steps: int) -> None:
        """Move by rows."""
        self.rows.move(steps)

    def action_page(self, pages: int) -> None:
        """Move by pages."""
        self.rows.page(pages)

    def action_jump(self, index: int) -> None:
        """To the first row or the last."""
        self.rows.jump(index)


class Box(ModalScreen[Outcome], Generic[Outcome]):
    """A screen that lies over another."""

    commands: ClassVar[tuple[Command, ...]] = (BACK,)

    def action_back(self) -> None:
        """Go back."""
        self.dismiss(None)
