"""The log of a server: one line for each failure, on standard error, safe for a terminal."""

from __future__ import annotations

import logging
import sys

from ..text.visible import visible


class OneLine(logging.Formatter):
    """`ctx serve: what went wrong`; of an exception the last line only."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            text += f": {type(error).__name__}: {error}"
        return f"ctx serve: {visible(text)}"


def log_to_stderr() -> None:
    """Send warnings and errors of this program and its libraries to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
