"""What all screens have: a session, commands with bindings, work off the event loop.

Work is one operation in a thread, and one callback with what came of it. A later operation of a group
replaces an earlier one: its callback is never called. What the library knows to go wrong is a sentence;
anything else is told in a sentence too, and kept in a report, and the program goes on.
"""

from __future__ import annotations

import asyncio
import platform
import traceback
from contextlib import suppress
from inspect import isawaitable
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from textual import on
from textual.await_complete import AwaitComplete
from textual.screen import Screen

from ...errors import CtxError
from ..commands import BACK
from ..palette import bindings
from ..session import write_report
from ..views.authoring import progress_line
from ..views.pages import layout
from ..views.spans import count, escaped
from ..widgets.document import TextView
from ..widgets.lines import Lines, Problem
from ..widgets.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.app import App
    from textual.dom import DOMNode
    from textual.worker import Worker

    from ...builder.verification import Verification
    from ..catalog import CacheInfo
    from ..commands import Command
    from ..project import Advanced, IsStopped
    from ..session import Session
    from ..views.spans import Line

T = TypeVar("T")


def start(
    node: DOMNode,
    group: str,
    operation: Callable[[], T],
    then: Callable[[T], object],
    failed: Callable[[str], object],
) -> None:
    """Run an operation in a thread for a widget or screen, then `then` or `failed` in the event loop.

    `failed` is given a sentence. Neither is called once a later operation of the group has started.
    """

    async def work() -> None:
        try:
            result = await _in_thread(operation, name=group)
        except CtxError as error:
            failed(str(error))
        except Exception as error:
            failed(report(node.app, error))
        else:
            outcome = then(result)
            if isawaitable(outcome):
                await outcome

    async def guarded() -> None:
        try:
            await work()
        except Exception as error:
            node.app.notify(report(node.app, error), severity="error", markup=False)

    _: Worker[None] = node.run_worker(guarded, exclusive=True, group=group, exit_on_error=False)


async def _in_thread(operation: Callable[[], T], *, name: str) -> T:
    """Run a function in a thread of its own, and return its result.

    asyncio waits for its own threads when the program ends: quitting would wait until a large cache is
    verified.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[T | None, BaseException | None]] = loop.create_future()

    def finish(result: T | None, error: BaseException | None) -> None:
        if not done.cancelled():
            done.set_result((result, error))

    def run() -> None:
        try:
            outcome: tuple[T | None, BaseException | None] = (operation(), None)
        except BaseException as error:  # raised again where it is waited for
            outcome = (None, error)
        with suppress(RuntimeError):  # nobody waits any more: the loop is closed
            loop.call_soon_threadsafe(finish, *outcome)

    Thread(target=run, name=name, daemon=True).start()
    result, error = await done
    if error is not None:
        raise error
    return cast("T", result)


def cancel(node: DOMNode, group: str) -> None:
    """Forget an operation: its callback is not called."""
    node.workers.cancel_group(node, group)


def from_thread(loop: asyncio.AbstractEventLoop, call: Callable[..., object]) -> Callable[..., None]:
    """A function that a thread may call, as often as it likes, for `call` to be called in the event loop."""

    def later(*arguments: object) -> None:
        loop.call_soon_threadsafe(call, *arguments)

    return later


def report(app: App[Any], error: BaseException) -> str:
    """Keep a report of an unforeseen error, and say in a sentence what happened and where it is kept.

    It holds the frames of the traceback and no value, which may be the text of a document.
    """
    frames = "".join(traceback.format_tb(error.__traceback__))
    kind = type(error).__name__
    text = f"ctx tui, Python {platform.python_version()}\n{frames}{kind}\n"
    directory: Path | None = getattr(getattr(app, "session", None), "state_dir", None)
    file = write_report(directory, text)
    kept = f"; a report is in {file}" if file else ""
    return f"something unforeseen went wrong ({kind}){kept}"


Outcome = TypeVar("Outcome")


class CommandScreen(Screen[Outcome], Generic[Outcome]):
    """A screen with commands, which closes itself, whatever lies over it."""

    commands: ClassVar[tuple[Command, ...]] = (BACK,)

    def __init_subclass__(cls) -> None:
        """Bind the keys of the commands."""
        cls.BINDINGS = bindings(cls.commands)
        super().__init_subclass__()

    def dismiss(self, result: Outcome | None = None) -> AwaitComplete:
        """Close the screen and those over it; Textual would close the one on top, and fail the next time."""
        if self not in self.app.screen_stack:
            return AwaitComplete()
        while self.app.screen is not self:
            self.app.screen.dismiss(None)
        return super().dismiss(result)

    def action_back(self) -> None:
        """Go back."""
        self.dismiss(None)


class View(CommandScreen[Outcome], Generic[Outcome]):
    """A screen of the inspector."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (150, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (18, "-low"), (30, "-high")]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    def start(
        self,
        group: str,
        operation: Callable[[], T],
        then: Callable[[T], object],
        failed: Callable[[str], object] | None = None,
    ) -> None:
        """Run an operation in a thread; a later one of the group replaces it."""
        start(self, group, operation, then, failed or self.say)

    def say(self, problem: str) -> None:
        """Show what is wrong; an empty sentence clears it."""
        self.query_one(Problem).say(problem)

    @on(TextView.LayoutWanted)
    def lay(self, message: TextView.LayoutWanted) -> None:
        """Cut a long page into rows, in a thread: it may be a million lines."""
        page, width = message.page, message.width
        self.start("layout", lambda: layout(page, width), message.view.lay)

    def copy(self, text: str, what: str) -> None:
        """Copy a text, and say so."""
        self.app.copy_to_clipboard(text)
        self.notify(f"Copied {what}, {count(len(text), 'character')}", markup=False)

    @property
    def document_id(self) -> str:
        """The id of the document of the open cache that is highlighted; empty where there is none."""
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

    def verify(self, info: CacheInfo, drawn: Callable[[], object]) -> None:
        """Check every byte of a cache; one operation on a cache at a time. `drawn` shows what is known."""
        from ...builder.verification import verify  # the whole builder, which costs as much as Textual

        other = self.session.begin(info.path, "verification")
        if other:
            self.notify(f"The {other} of {escaped(info.name)} is still running", markup=False)
            return
        self.session.verified[info.path] = "checking every byte …"

        def finished(outcome: Verification | str) -> None:
            self.session.end(info.path)
            self.session.verified[info.path] = outcome
            drawn()
            self._tell_verified(info.name, outcome)

        # A group of its own: another cache may be verified meanwhile, and each has its end told.
        start(self, f"verify {info.path}", lambda: verify(info.path), finished, finished)
        drawn()

    def _tell_verified(self, name: str, outcome: Verification | str) -> None:
        if not isinstance(outcome, str) and outcome.valid:
            self.notify(f"{escaped(name)}: every byte verified", markup=False)
            return
        fault = outcome if isinstance(outcome, str) else str(outcome.faults[0].detail)
        self.notify(escaped(fault), title=escaped(name), severity="error", markup=False)


class BuildView(View[Outcome], Generic[Outcome]):
    """A screen that builds a cache, with lines for the progress; `esc` stops the build."""

    is_building = False
    _is_stopped = False

    def build(
        self,
        operation: Callable[[IsStopped, Advanced], T],
        then: Callable[[T], object],
        failed: Callable[[str], object],
    ) -> None:
        """Run a build in a thread; it is given what says whether to stop, and what is told how far it is."""
        self.is_building, self._is_stopped = True, False
        self.say("")
        self._advance(0, 1)
        advanced = from_thread(asyncio.get_running_loop(), self._advance)

        def ended(result: T) -> None:
            self._end_build()
            then(result)

        def refused(problem: str) -> None:
            self._end_build()
            failed(problem)

        self.start("build", lambda: operation(lambda: self._is_stopped, advanced), ended, refused)

    def _end_build(self) -> None:
        self.is_building = False
        self.query_one("#progress").display = False

    def _advance(self, done: int, total: int) -> None:
        if self.is_building and not self._is_stopped and self.is_mounted:
            lines = self.query_one("#progress", Lines)
            words: Line = [("building …", "strong"), ("  esc stops it", "dim")]
            lines.display = True
            lines.show([words, progress_line(done, total, lines.content_size.width)])

    def on_unmount(self) -> None:
        """Nobody waits for a build whose screen is gone."""
        self._is_stopped = True

    def action_back(self) -> None:
        """Stop the build, or go back."""
        if self.is_building:
            self._is_stopped = True
            self.query_one("#progress", Lines).show([[("stopping …", "strong")]])
        else:
            super().action_back()


class ListView(View[Outcome], Generic[Outcome]):
    """A screen with a list that the keys move in."""

    @property
    def table(self) -> Table:
        """The list."""
        return self.query_one(Table)

    def move(self, move: Callable[[Table], None]) -> None:
        """Move in the list."""
        move(self.table)

    def action_move(self, steps: int) -> None:
        """Move by rows."""
        self.move(lambda table: table.move(steps))

    def action_page(self, pages: int) -> None:
        """Move by pages."""
        self.move(lambda table: table.page(pages))

    def action_jump(self, index: int) -> None:
        """To the first row or the last."""
        self.move(lambda table: table.jump(index))
