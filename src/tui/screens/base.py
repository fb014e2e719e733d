"""Base classes of the screens: commands with key bindings, a session, a build that can be stopped."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textual import on
from textual.await_complete import AwaitComplete
from textual.screen import Screen

from ...errors import UsageError
from ...text.display import pluralize
from ..commands import BACK, Command, bindings
from ..views.pages import layout
from ..views.project import progress_line
from ..views.spans import Line, escaped
from ..widgets.document import TextView
from ..widgets.lines import KeyBar, Lines, Problem, TitleBar
from ..widgets.table import Table
from ..workers import start

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import ComposeResult

    from ...builder.build import Progress, Reporter
    from ...builder.verification import Verification
    from ..catalog import CacheInfo
    from ..session import Session

T = TypeVar("T")
Outcome = TypeVar("Outcome")


class CommandScreen(Screen[Outcome], Generic[Outcome]):
    """A screen with commands as key bindings; closing it closes the screens over it first."""

    commands: ClassVar[tuple[Command, ...]] = (BACK,)

    def __init_subclass__(cls) -> None:
        """Bind the keys of the commands."""
        cls.BINDINGS = bindings(cls.commands)
        super().__init_subclass__()

    def dismiss(self, result: Outcome | None = None) -> AwaitComplete:
        """Close this screen and those over it; Textual would close the top screen only."""
        if self not in self.app.screen_stack:
            return AwaitComplete()
        while self.app.screen is not self:
            self.app.screen.dismiss(None)
        return super().dismiss(result)

    def action_back(self) -> None:
        """Close the screen without a result."""
        self.dismiss(None)

    # The list of rows, for screens that have one.

    @property
    def table(self) -> Table:
        """The list that the movement keys act on."""
        return self.query_one(Table)

    def move(self, move: Callable[[Table], None]) -> None:
        """Move the cursor of the list; `move` does it."""
        move(self.table)

    def action_move(self, steps: int) -> None:
        """Move the cursor by rows."""
        self.move(lambda table: table.move(steps))

    def action_page(self, pages: int) -> None:
        """Move the cursor by pages."""
        self.move(lambda table: table.page(pages))

    def action_jump(self, index: int) -> None:
        """Move the cursor to a row; -1 is the last."""
        self.move(lambda table: table.jump(index))


class SessionScreen(CommandScreen[Outcome], Generic[Outcome]):
    """A screen that shows a session: a title bar, a line for a problem, its own widgets, a key bar."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (150, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (18, "-low"), (30, "-high")]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    def compose(self) -> ComposeResult:
        """The widgets of every screen, with those of this one in the middle."""
        yield TitleBar()
        yield Problem()
        yield from self.parts()
        yield KeyBar()

    def parts(self) -> ComposeResult:
        """The widgets of this screen."""
        yield from ()

    def start(
        self,
        group: str,
        operation: Callable[[], T],
        then: Callable[[T], object],
        failed: Callable[[str], object] | None = None,
    ) -> None:
        """Run an operation in a thread (see `workers.start`); by default a failure is shown with `say`."""
        start(self, group, operation, then, failed or self.say)

    def push(self, screen: Screen[T], then: Callable[[T], Awaitable[None] | None]) -> None:
        """Open another screen, and call `then` with its result, unless it is closed without one."""

        async def call(result: T | None) -> None:
            if result is not None and (waiting := then(result)) is not None:
                await waiting

        self.app.push_screen(screen, call)

    def say(self, problem: str) -> None:
        """Show what is wrong; an empty sentence clears it."""
        self.query_one(Problem).say(problem)

    @on(TextView.LayoutWanted)
    def _make_layout(self, message: TextView.LayoutWanted) -> None:
        """Cut a page into rows, in a thread: it may have a million lines."""
        page, width = message.page, message.width
        self.start("layout", lambda: layout(page, width), message.view.set_layout)

    def copy(self, text: str, what: str) -> None:
        """Copy a text to the clipboard and notify the user; `what` names the text in the notification."""
        self.app.copy_to_clipboard(text)
        self.notify(f"Copied {what}, {pluralize(len(text), 'character')}", markup=False)

    @property
    def document_id(self) -> str:
        """The id of the highlighted document of the open cache; empty if there is none."""
        return ""

    def action_copy_id(self) -> None:
        """Copy the id of the highlighted document."""
        if self.document_id:
            # A line end or an escape sequence in a name would act where it is pasted.
            self.copy(escaped(self.document_id), "the id")

    def action_copy_content(self) -> None:
        """Copy the content of the highlighted document."""
        cache, id_ = self.session.cache, self.document_id
        if cache is not None and id_:
            self.start(
                "copy",
                lambda: cache.document(id_),
                lambda document: self.copy(document.content, "the content") if document else None,
                lambda problem: self.notify(escaped(problem), severity="error", markup=False),
            )

    def verify(self, info: CacheInfo, redraw: Callable[[], object]) -> None:
        """Verify a cache, unless another operation on it is running.

        `redraw` is called when the verification starts and when it ends.
        """
        from ...builder.verification import verify  # the whole builder, which costs as much as Textual

        other = self.session.begin(info.path, "verification")
        if other:
            self.notify(f"The {other} of {escaped(info.name)} is still running", markup=False)
            return
        self.session.verified[info.path] = "checking every byte …"

        def finished(outcome: Verification | str) -> None:
            self.session.end(info.path)
            self.session.verified[info.path] = outcome
            redraw()
            self._notify_verified(info.name, outcome)

        # One group a cache, so that verifying another cache meanwhile does not replace this operation.
        start(self, f"verify {info.path}", lambda: verify(info.path), finished, finished)
        redraw()

    def _notify_verified(self, name: str, outcome: Verification | str) -> None:
        if not isinstance(outcome, str) and outcome.valid:
            self.notify(f"{escaped(name)}: every byte verified", markup=False)
            return
        fault = outcome if isinstance(outcome, str) else str(outcome.faults[0].detail)
        self.notify(escaped(fault), title=escaped(name), severity="error", markup=False)


PROGRESS_STEPS = 200  # the most often that the progress of one build is drawn


class Stopped(Exception):
    """The user stopped a build."""


class BuildScreen(SessionScreen[Outcome], Generic[Outcome]):
    """A screen that builds a cache and shows the progress in `#progress`; `esc` stops the build."""

    is_building = False
    _is_stopped = False

    def build(
        self,
        operation: Callable[[Reporter], T],
        then: Callable[[T], object],
        failed: Callable[[str], object],
    ) -> None:
        """Run a build in a thread.

        `operation` is given a function to report its progress to, which raises `Stopped` after `esc`.
        """
        self.is_building, self._is_stopped = True, False
        self.say("")
        self._advance(0, 1)
        loop, step = asyncio.get_running_loop(), -1

        def report(progress: Progress) -> None:
            nonlocal step
            if self._is_stopped:
                raise Stopped
            before, step = step, progress.done * PROGRESS_STEPS // max(1, progress.total)
            if step != before:
                loop.call_soon_threadsafe(self._advance, progress.done, progress.total)

        def stoppable() -> T:
            try:
                return operation(report)
            except Stopped:
                raise UsageError("stopped; the cache that was being built is as it was") from None

        def end(callback: Callable[[Any], object], outcome: object) -> None:
            self.is_building = False
            self.query_one("#progress").display = False
            callback(outcome)

        self.start("build", stoppable, partial(end, then), partial(end, failed))

    def _advance(self, done: int, total: int) -> None:
        if self.is_building and not self._is_stopped and self.is_mounted:
            lines = self.query_one("#progress", Lines)
            words: Line = [("building …", "strong"), ("  esc stops it", "dim")]
            lines.display = True
            lines.show([words, progress_line(done, total, lines.content_size.width)])

    def on_unmount(self) -> None:
        """Stop a build whose screen is gone."""
        self._is_stopped = True

    def action_back(self) -> None:
        """Stop the build, or go back."""
        if self.is_building:
            self._is_stopped = True
            self.query_one("#progress", Lines).show([[("stopping …", "strong")]])
        else:
            super().action_back()
