"""The process of a server: its log on standard error, and how it ends."""

from __future__ import annotations

import logging
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

from ..text.display import escape_control

if TYPE_CHECKING:
    from types import FrameType


class OneLine(logging.Formatter):
    """`ctx serve: what went wrong`; of an exception the last line only."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            text += f": {type(error).__name__}: {error}"
        return f"ctx serve: {escape_control(text)}"


def log_to_stderr() -> None:
    """Send warnings and errors of this program and its libraries to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


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
