"""The threads in which calls do their work, so that the event loop is always free to answer.

A fixed number of threads: any number of slow calls waits for them and delays nothing else.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import anyio

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


class Workers:
    """A bounded number of threads, and a bound for each call."""

    def __init__(self, *, threads: int = 8, timeout: float = 30) -> None:
        """`timeout` is in seconds and counts from the call, the wait for a thread included."""
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="call")
        self._timeout = timeout

    async def run(self, work: Callable[[], Result]) -> Result:
        """What `work` returns or raises; `TimeoutError` when it takes too long.

        Work that is cancelled or late before it got a thread never begins; work that began
        runs to its end unheard, for a thread cannot be stopped.
        """
        with anyio.fail_after(self._timeout):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
