"""Where the items of some work are done: here, in worker processes, or on an executor of the caller's.

Worker processes never outlive their use. They end when the work ends, whichever way: done, failed,
interrupted or killed. Each of them holds one end of a pipe whose other end only this process has; when that
is closed, by this process or by its death, they leave.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .errors import IoError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from concurrent.futures import Executor, Future
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


class Work(ABC, Generic[Item, Outcome]):
    """What is done with each item; it is sent to other processes, and called by threads at once."""

    @abstractmethod
    def __call__(self, item: Item, /) -> Outcome:
        """Do it."""

    def prepare(self) -> None:
        """Load what processes share that are forked from this one."""
        return

    def kill(self) -> None:
        """End what it has started: this process is about to leave in the middle of it."""
        return


def processes(jobs: int | None, *, pays: bool) -> int:
    """How many processes to use: `jobs`, or one for each core if that is None and it `pays` to start some."""
    if jobs is not None:
        return jobs
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if pays else 1


def ordered_map(
    work: Work[Item, Outcome], items: Iterable[Item], *, jobs: int, executor: Executor | None = None
) -> Generator[Outcome, None, None]:
    """`work` of each item, in the order of the items whatever ends first.

    A bounded number of items is under way at once, so that outcomes do not pile up. Whoever leaves
    outcomes behind must close the generator.
    """
    if executor is not None:
        under_way: deque[Future[Outcome]] = deque()
        submit: Callable[[Item], Future[Outcome]] = lambda item: executor.submit(work, item)  # noqa: E731
        try:
            yield from _submitted(submit, items, lambda: 4 * size(jobs, executor), under_way)
        finally:
            for future in under_way:
                future.cancel()
    elif jobs <= 1:
        yield from map(work, items)
    else:
        context = _context()
        if context.get_start_method() == "fork":
            work.prepare()
        with worker_pool(jobs, context, work) as pool:
            yield from _submitted(lambda item: pool.submit(_do, item), items, lambda: 3 * jobs, deque())


def _submitted(
    submit: Callable[[Item], Future[Outcome]],
    items: Iterable[Item],
    most: Callable[[], int],
    under_way: deque[Future[Outcome]],
) -> Iterator[Outcome]:
    """Outcomes in order; what is submitted and not yet given out is in `under_way`."""
    for item in items:
        under_way.append(submit(item))
        if len(under_way) >= most():
            yield under_way.popleft().result()
    while under_way:
        yield under_way.popleft().result()


def size(jobs: int, executor: Executor | None) -> int:
    """How many items are worked on at once, as far as an executor says; it may grow."""
    if executor is None:
        return jobs
    workers = getattr(executor, "size", None) or getattr(executor, "_max_workers", None)
    return max(jobs, workers if isinstance(workers, int) else os.cpu_count() or 1)


def _context() -> BaseContext:
    """Fork where nothing else runs in this process, which spares each worker its imports; else spawn."""
    alone = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if alone else "spawn")


class _SafePath:
    """`PYTHONSAFEPATH` in the environment while somebody starts processes.

    A process that `multiprocessing` does not fork begins as `python -c`, which looks for modules in the
    current directory first: a `multiprocessing.py` among the documents would be run. Threads may overlap.
    """

    _NAME = "PYTHONSAFEPATH"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before: str | None = None

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                self._before = os.environ.get(self._NAME)
                os.environ[self._NAME] = "1"
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                if self._before is None:
                    os.environ.pop(self._NAME, None)
                else:
                    os.environ[self._NAME] = self._before


_safe_path = _SafePath()


def start_resource_tracker() -> None:
    """Start the process that looks after those of builds, while there is a standard error to give it."""
    with _safe_path:
        resource_tracker.ensure_running()


@contextmanager
def worker_pool(
    jobs: int, context: BaseContext, work: Work[Any, Any] | None = None
) -> Iterator[ProcessPoolExecutor]:
    """A pool of so many processes that do `work`. What fails inside ends them in the middle of it.

    Raises `IoError` when one of them was killed.
    """
    use, user = context.Pipe(duplex=False)
    begin = (use, user, work)
    safe: AbstractContextManager[None] = nullcontext() if context.get_start_method() == "fork" else _safe_path
    pool = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=begin)
    with use, user, safe, pool:
        try:
            with _no_interrupts():
                pool.submit(int)  # starts the processes
            yield pool
        except BaseException as error:
            user.close()
            _close_outcomes(pool)
            pool.shutdown(cancel_futures=True)  # they leave, so the wait is short
            if isinstance(error, BrokenProcessPool):
                words = "a worker process was killed, perhaps for lack of memory; try --jobs 1"
                raise IoError(words) from None
            raise


def _close_outcomes(pool: ProcessPoolExecutor) -> None:
    """Close the pool's own end of the pipe in which it gets outcomes.

    A worker that leaves in the middle of an outcome would leave the thread of the pool waiting for
    the rest: it learns that none will come when nobody can write any more. There is no public way.
    """
    outcomes = getattr(pool, "_result_queue", None)
    writer = getattr(outcomes, "_writer", None)
    if writer is not None:
        writer.close()


_work: Work[Any, Any] | None = None
"""In a worker process, what it was started for; None in any other."""


def _begin(use: Connection, user: Connection, work: Work[Any, Any] | None) -> None:
    """In a worker: leave when nobody needs it any more; what an interrupt means is for others to say."""
    global _work  # of a process that does nothing else, and one thing at a time
    _work = work
    user.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_after, args=(use,), daemon=True).start()


def _do(item: Any) -> Any:
    """In a worker: what it was started for."""
    assert _work is not None
    return _work(item)


def _leave_after(use: Connection) -> None:
    with suppress(EOFError, OSError):
        use.recv_bytes()
    if _work is not None:
        _work.kill()
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
