"""How the process ends: at once on a signal, and never waiting for a thread."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import FrameType


def end_at_once_on_signals() -> None:
    """End the process in the handler of SIGINT and SIGTERM.

    A normal exit would wait for the thread that reads and for calls at work.
    """

    def handler(number: int, _: FrameType | None) -> NoReturn:
        os._exit(128 + number)

    signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGTERM, handler)


def leave(code: int) -> NoReturn:
    """End the process without waiting for threads; what was logged is written."""
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)
