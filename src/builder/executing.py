"""Where batches are compiled: here, in worker processes, or on an executor of the caller's."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

ALONE = 2 << 20
"""Up to so many bytes, one process is done before others have started."""


def processes(jobs: int | None, size: int) -> int:
    """How many processes to use for `size` bytes: `jobs`, or one for each core if that is None."""
    if jobs is not None:
        return jobs
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 1 if size <= ALONE else cores


def ordered_map(
    function: Callable[[Item], Outcome],
    items: Iterable[Item],
    *,
    jobs: int,
    executor: Executor | None = None,
    prepare: Callable[[], object] = lambda: None,
) -> Iterator[Outcome]:
    """`function` of each item, in the order of the items whatever ends first.

    A bounded number of items is under way at once, so that outcomes do not pile up. What `prepare` loads is
    shared by all processes where they are forked.
    """
    if executor is not None:
        under_way: deque[Future[Outcome]] = deque()
        try:
            yield from _submitted(function, items, executor, 4 * max(jobs, os.cpu_count() or 1), under_way)
        finally:
            for future in under_way:
                future.cancel()
    elif jobs <= 1:
        yield from map(function, items)
    else:
        context = _context()
        if context.get_start_method() == "fork":
            prepare()
        with ProcessPoolExecutor(jobs, context, initializer=_end_at_interrupts) as pool:
            try:
                with _no_interrupts():
                    pool.submit(int)  # starts the processes
                yield from _submitted(function, items, pool, 3 * jobs, deque())
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def _end_at_interrupts() -> None:
    """In a worker: an interrupt from the keyboard, which reaches it too, ends it at once.

    It would go on with what is queued otherwise, and the pool would wait for that.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


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


def _submitted(
    function: Callable[[Item], Outcome],
    items: Iterable[Item],
    executor: Executor,
    most: int,
    under_way: deque[Future[Outcome]],
) -> Iterator[Outcome]:
    """Outcomes in order; what is submitted and not yet given out is in `under_way`."""
    for item in items:
        under_way.append(executor.submit(function, item))
        if len(under_way) >= most:
            yield under_way.popleft().result()
    while under_way:
        yield under_way.popleft().result()


def _context() -> multiprocessing.context.BaseContext:
    """Fork where nothing else runs in this process, which spares each worker its imports; else spawn."""
    alone = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if alone else "spawn")
