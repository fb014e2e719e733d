"""Operations in threads: one callback with the result in the event loop, or one with an error message.

A later operation of a group replaces an earlier one, whose callbacks are not called. The message of a
`CtxError` is shown as it is; of any other exception a report is written, and the program goes on.
"""

from __future__ import annotations

import asyncio
import platform
import traceback
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from inspect import isawaitable
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import CtxError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from textual.app import App
    from textual.dom import DOMNode
    from textual.worker import Worker

    from .session import StateDir

T = TypeVar("T")


def start(
    node: DOMNode,
    group: str,
    operation: Callable[[], T],
    then: Callable[[T], object],
    failed: Callable[[str], object],
) -> None:
    """Run an operation in a thread for a widget or screen, then call `then` or `failed` in the event loop.

    `then` is given the result, `failed` an error message. Neither is called once a later operation of the
    group has started.
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

    _run_alone(node, group, work)


def start_later(node: DOMNode, group: str, seconds: float, do: Callable[[], object]) -> None:
    """Call a function after a delay, unless the group starts another operation or is cancelled meanwhile."""

    async def work() -> None:
        await asyncio.sleep(seconds)
        do()

    _run_alone(node, group, work)


def _run_alone(node: DOMNode, group: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine as the only worker of its group; an unexpected error becomes a notification."""

    async def guarded() -> None:
        try:
            await work()
        except Exception as error:
            node.app.notify(report(node.app, error), severity="error", markup=False)

    _: Worker[None] = node.run_worker(guarded, exclusive=True, group=group, exit_on_error=False)


async def _in_thread(operation: Callable[[], T], *, name: str) -> T:
    """Run a function in a new daemon thread, and return its result.

    The threads of asyncio's executor are joined when the program ends: quitting would wait for the
    verification of a large cache.
    """
    future: Future[T] = Future()

    def run() -> None:
        with suppress(InvalidStateError):  # the waiting worker was cancelled
            try:
                future.set_result(operation())
            except BaseException as error:  # raised again in the worker that waits
                future.set_exception(error)

    Thread(target=run, name=name, daemon=True).start()
    return await asyncio.wrap_future(future)


def report(app: App[Any], error: BaseException) -> str:
    """Write a report of an unexpected error, and return a message that names the file.

    The report contains the frames of the traceback and no values, which may be texts of documents.
    """
    frames = "".join(traceback.format_tb(error.__traceback__))
    kind = type(error).__name__
    text = f"ctx tui, Python {platform.python_version()}\n{frames}{kind}\n"
    state: StateDir | None = getattr(getattr(app, "session", None), "state", None)
    file = state.write("last-error.txt", text) if state else None
    where = f"; a report is in {file}" if file else ""
    return f"something unforeseen went wrong ({kind}){where}"
