"""What connects the inspector with a terminal or a browser; it ends when that goes away.

A program without a controlling terminal gets no signal when its terminal is closed: reading returns nothing,
and writing fails. Textual's own drivers then read for ever, or wait for ever to write.
"""

from __future__ import annotations

import os
import selectors
from codecs import getincrementaldecoder
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.drivers.web_driver import WebDriver
from textual.events import Resize

from .screen_diff import ScreenDiff

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.driver import Driver
    from textual.message import Message

TERMINAL_GONE = 129
"""Exit code of a program whose terminal went away, as a shell tells it of SIGHUP."""


class TerminalDriver(LinuxDriver):
    """Writes only what differs from what the terminal shows."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._diff = ScreenDiff()
        # Textual writes in a thread, through this.
        self._file: Any = TerminalOutput(self._file, lambda: end(self))

    def write(self, data: str) -> None:
        """Write what differs."""
        super().write(self._diff.filter(data))

    def send_message(self, message: Message) -> None:
        """Forget what the terminal shows once it has another size: it may have moved its lines."""
        if isinstance(message, Resize):
            self._diff.forget()
        super().send_message(message)

    def start_application_mode(self) -> None:
        """Another program may have written meanwhile."""
        self._diff.forget()
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual's is not annotated

    def run_input_thread(self) -> None:
        """Read keys until the program ends, or the terminal goes away."""
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(0.1):
                    data = self._read()
                    if not data:
                        end(self)
                        return
                    for message in parser.feed(decode(data)):
                        self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)

    def _get_terminal_size(self) -> tuple[int, int]:
        """Ask the terminal. What the environment says need not be of this one, and never changes."""
        try:
            width, height = os.get_terminal_size(self.fileno)
        except OSError:
            width = height = 0
        return (width, height) if width and height else super()._get_terminal_size()

    def _read(self) -> bytes:
        """What was typed; nothing when the terminal went away."""
        try:
            return os.read(self.fileno, 4096)
        except OSError:
            return b""


class BrowserDriver(WebDriver):
    """Speaks to the web server that started this process, and ends with it."""

    def write(self, data: str) -> None:
        """Send what is to be shown."""
        with suppress(BrokenPipeError):  # the end of the input says so too
            super().write(data)

    def write_meta(self, data: dict[str, object]) -> None:
        """Send what is to be done."""
        with suppress(BrokenPipeError):  # as above
            super().write_meta(data)

    def run_input_thread(self) -> None:
        """Read keys until the program ends, or the server does."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            end(self)


class TerminalOutput:
    """Writes to a terminal. Once that fails it drops everything: whoever writes never waits or fails."""

    def __init__(self, file: IO[str], on_loss: Callable[[], None]) -> None:
        """`on_loss` is called once, when writing fails."""
        self._file = file
        self._on_loss = on_loss
        self._is_lost = False

    def write(self, text: str) -> None:
        """Write a text, or drop it."""
        self._try(self._file.write, text)

    def flush(self) -> None:
        """Send what was written."""
        self._try(self._file.flush)

    def _try(self, operation: Callable[..., object], *arguments: str) -> None:
        if self._is_lost:
            return
        try:
            operation(*arguments)
        except OSError:
            self._is_lost = True
            self._on_loss()


def end(driver: Driver) -> None:
    """End the program of a driver whose terminal went away; may be called in any thread, and again."""
    with suppress(RuntimeError):  # the program ended already
        driver._loop.call_soon_threadsafe(driver._app.exit, None, TERMINAL_GONE)
