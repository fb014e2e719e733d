"""Writes results to standard output, and messages and progress to standard error.

Bytes are written to the descriptors directly: always UTF-8 with line feeds, whatever the locale is, and no
buffer is left whose flush could fail when the interpreter ends.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar

from ..errors import IoError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ..jsonio import JsonResult

_STDOUT, _STDERR = 1, 2

_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


def hold_channels() -> None:
    """Open the null device on each standard descriptor that the parent process closed.

    Otherwise the next file that is opened would get that number, and the program's output.
    """
    while (descriptor := os.open(os.devnull, os.O_RDONLY)) <= _STDERR:
        pass
    os.close(descriptor)


def write(text: str) -> None:
    """Write a result. Raises `BrokenPipeError` if the reader has closed the pipe, `IoError`."""
    try:
        _write_all(_STDOUT, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise IoError(f"standard output: {error.strerror}") from None


def write_as(form: str, result: JsonResult | dict[str, Any], make_text: Callable[[], str]) -> None:
    """Write a result in the form of `--format`: json, pretty, else as the text that `make_text` returns."""
    if form not in ("json", "pretty"):
        write(make_text())
    elif isinstance(result, dict):
        write_json(form, result)
    else:
        write(result.to_json() if form == "json" else result.to_pretty())


def write_json(form: str, value: dict[str, Any]) -> None:
    """Write an object: on one line for json, else indented."""
    from .. import jsonio  # `ctx --version` does not need it

    write(jsonio.compact(value) if form == "json" else jsonio.pretty(value))


@contextmanager
def quiet(on: bool) -> Iterator[None]:
    """Suppress messages and progress within this context, if `on`."""
    before = _quiet.set(on)
    try:
        yield
    finally:
        _quiet.reset(before)


def narrate(line: str) -> None:
    """Write a message of one line to standard error, with control characters escaped."""
    if not _quiet.get():
        _write_stderr(_visible(line) + "\n")


def shows_progress() -> bool:
    """Whether standard error is a terminal and messages are not suppressed."""
    return not _quiet.get() and _is_terminal(_STDERR)


def shows_results() -> bool:
    """Whether standard output is a terminal."""
    return _is_terminal(_STDOUT)


def _is_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor)
    except OSError:
        return False


def draw(line: str) -> None:
    """Replace the current line of the terminal on standard error; `""` clears it."""
    _write_stderr("\r" + _visible(line) + "\x1b[K")


def _visible(line: str) -> str:
    from ..text.display import escape_control  # takes longer to load than a run without messages

    return escape_control(line)


def _write_stderr(text: str) -> None:
    """Write to standard error; errors, such as a closed pipe, are ignored."""
    try:
        _write_all(_STDERR, text)
    except OSError:
        return


def _write_all(descriptor: int, text: str) -> None:
    data = memoryview(text.encode("utf-8", "backslashreplace"))
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:  # another process made the pipe non-blocking
            import select

            select.select([], [descriptor], [])
