"""Where batches are compiled: here, in worker processes, or on an executor of the caller's."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING, TypeVar

from .workers import worker_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from concurrent.futures import Executor, Future

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
) -> Generator[Outcome, None, None]:
    """`function` of each item, in the order of the items whatever ends first.

    A bounded number of items is under way at once, so that outcomes do not pile up. What `prepare` loads
    is shared by all processes where they are forked. Whoever leaves outcomes behind must close the
    generator.
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
        with worker_pool(jobs, context) as pool:
            yield from _submitted(function, items, pool, 3 * jobs, deque())


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
