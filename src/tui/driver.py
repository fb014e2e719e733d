"""Drivers for a terminal and a browser that end the inspector when the terminal or the browser is gone.

A program without a controlling terminal gets no signal when its terminal is closed: reading returns no bytes,
and writing fails. Textual's own drivers then read in an endless loop, or wait without end to write.
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
"""The exit code when the terminal is gone, as a shell reports SIGHUP."""


class TerminalDriver(LinuxDriver):
    """Writes only the differences between the terminal's screen and the new one."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._diff = ScreenDiff()
        # Textual's writer thread writes to this.
        self._file: Any = TerminalOutput(self._file, lambda: end(self))

    def write(self, data: str) -> None:
        """Write the part of `data` that changes the screen."""
        super().write(self._diff.filter(data))

    def send_message(self, message: Message) -> None:
        """Forget the terminal's screen when its size changes: the terminal may have moved its lines."""
        if isinstance(message, Resize):
            self._diff.forget()
        super().send_message(message)

    def start_application_mode(self) -> None:
        """Forget the terminal's screen: another program may have written to it."""
        self._diff.forget()
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual's is not annotated

    def run_input_thread(self) -> None:
        """Read keys until the program ends or the terminal is gone."""
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
        """Ask the terminal: `COLUMNS` and `LINES` may be those of another terminal, and never change."""
        try:
            width, height = os.get_terminal_size(self.fileno)
        except OSError:
            width = height = 0
        return (width, height) if width and height else super()._get_terminal_size()

    def _read(self) -> bytes:
        """The bytes that were typed; none when the terminal is gone."""
        try:
            return os.read(self.fileno, 4096)
        except OSError:
            return b""


class BrowserDriver(WebDriver):
    """Talks to the web server that started this process, and ends with it."""

    def write(self, data: str) -> None:
        """Send terminal output to the server."""
        with suppress(BrokenPipeError):  # `run_input_thread` notices that the server has ended
            super().write(data)

    def write_meta(self, data: dict[str, object]) -> None:
        """Send a control message to the server."""
        with suppress(BrokenPipeError):  # as above
            super().write_meta(data)

    def run_input_thread(self) -> None:
        """Read keys until the program or the server ends."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            end(self)


class TerminalOutput:
    """Writes to a terminal. After the first failure it drops all text, so that the writer never blocks."""

    def __init__(self, file: IO[str], on_loss: Callable[[], None]) -> None:
        """`on_loss` is called once, when writing fails."""
        self._file = file
        self._on_loss = on_loss
        self._is_lost = False

    def write(self, text: str) -> None:
        """Write a text, unless the terminal is gone."""
        self._try(self._file.write, text)

    def flush(self) -> None:
        """Flush the file, unless the terminal is gone."""
        self._try(self._file.flush)

    def _try(self, operation: Callable[..., object], *arguments: str) -> None:
        if self._is_lost:
            return
        try:
            operation(*arguments)
        except OSError:
            self._is_lost = True
            self._discard()
            self._on_loss()

    def _discard(self) -> None:
        """Send what the file still holds to the null device: else its flush when Python ends would fail."""
        null = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(null, self._file.fileno())
        finally:
            os.close(null)


def end(driver: Driver) -> None:
    """Exit the application of a driver whose terminal is gone; may be called from any thread, repeatedly."""
    with suppress(RuntimeError):  # the program ended already
        driver._loop.call_soon_threadsafe(driver._app.exit, None, TERMINAL_GONE)
