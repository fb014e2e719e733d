"""Worker processes that never outlive their use.

They end when the build ends, whichever way: done, failed, interrupted or killed. Each of them holds
one end of a pipe whose other end only the builder has; when that is closed, by the builder or by its
death, they leave.
"""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ..errors import IoError
from . import converter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext


@contextmanager
def worker_pool(jobs: int, context: BaseContext) -> Iterator[ProcessPoolExecutor]:
    """A pool of so many processes. What fails inside ends them in the middle of their work.

    Raises `IoError` when one of them was killed.
    """
    use, user = context.Pipe(duplex=False)
    with use, user, ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(use, user)) as pool:
        try:
            with _no_interrupts():
                pool.submit(int)  # starts the processes
            yield pool
        except BaseException as error:
            user.close()
            _let_go(pool)
            pool.shutdown(cancel_futures=True)  # they leave, so the wait is short
            if isinstance(error, BrokenProcessPool):
                words = "a process of the build was killed, perhaps for lack of memory; try --jobs 1"
                raise IoError(words) from None
            raise


def _let_go(pool: ProcessPoolExecutor) -> None:
    """Close the pool's own end of the pipe in which it gets outcomes.

    A worker that leaves in the middle of an outcome would leave the thread of the pool waiting for
    the rest: it learns that none will come when nobody can write any more. There is no public way.
    """
    outcomes = getattr(pool, "_result_queue", None)
    writer = getattr(outcomes, "_writer", None)
    if writer is not None:
        writer.close()


def _begin(use: Connection, user: Connection) -> None:
    """In a worker: leave when nobody needs it any more; what an interrupt means is for the builder to say."""
    user.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_after, args=(use,), daemon=True).start()


def _leave_after(use: Connection) -> None:
    with suppress(EOFError, OSError):
        use.recv_bytes()
    converter.kill()
    os._exit(1)


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Interrupts wait: while a process is forked, Python would lose one, or the new process with it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
