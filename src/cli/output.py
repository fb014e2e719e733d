"""The two channels of the program: results on standard output, everything else on standard error.

Bytes go straight to the descriptors: UTF-8 and line feeds whatever the locale says, and
nothing is left in a buffer that could fail once more when the interpreter ends.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar

from ..errors import IoError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    from ..jsonio import JsonResult

    Result = TypeVar("Result", bound=JsonResult)

_STDOUT, _STDERR = 1, 2

_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


def hold_channels() -> None:
    """Occupy the number of each channel that the parent closed.

    A file of ours would get it otherwise, and then our lines.
    """
    while (descriptor := os.open(os.devnull, os.O_RDONLY)) <= _STDERR:
        pass
    os.close(descriptor)


def write(text: str) -> None:
    """Write a result. Raises `BrokenPipeError` when nobody reads it, `IoError` when it cannot be written."""
    try:
        _write_all(_STDOUT, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise IoError(f"standard output: {error.strerror}") from None


def write_as(form: str, result: Result, in_words: Callable[[Result], str]) -> None:
    """Write a result in one of the forms of `--format`: json, pretty, or for people."""
    if form == "json":
        write(result.to_json())
    elif form == "pretty":
        write(result.to_pretty())
    else:
        write(in_words(result))


def write_json(form: str, value: dict[str, Any]) -> None:
    """Write an object: json in one line, else indented."""
    from .. import jsonio  # `ctx --version` does without

    write(jsonio.compact(value) if form == "json" else jsonio.pretty(value))


@contextmanager
def quiet(on: bool) -> Iterator[None]:
    """Tell nothing within this context, if `on`."""
    before = _quiet.set(on)
    try:
        yield
    finally:
        _quiet.reset(before)


def narrate(line: str) -> None:
    """Tell people one line; what a terminal would obey or hide in it is spelled out."""
    if not _quiet.get():
        _tell(_visible(line) + "\n")


def shows_progress() -> bool:
    """Whether somebody watches standard error and wants progress."""
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
    """Replace the current line of the terminal on standard error, `""` clears it."""
    _tell("\r" + _visible(line) + "\x1b[K")


def _visible(line: str) -> str:
    from ..text.display import escape_control  # its package costs more than a run that has nothing to tell

    return escape_control(line)


def _tell(text: str) -> None:
    """Write to standard error; a listener who left is no reason to stop."""
    try:
        _write_all(_STDERR, text)
    except OSError:
        return


def _write_all(descriptor: int, text: str) -> None:
    data = memoryview(text.encode("utf-8", "backslashreplace"))
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:  # a parent process left the pipe non-blocking
            import select

            select.select([], [descriptor], [])
