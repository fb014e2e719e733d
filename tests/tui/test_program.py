"""The real program in a pseudo-terminal: what a user types, and what a terminal receives."""

from __future__ import annotations

import codecs
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

import pyte
import pytest

if TYPE_CHECKING:
    from pathlib import Path

pty = pytest.importorskip("pty", reason="pseudo-terminals are a thing of POSIX")

SIZE = (40, 120)  # rows, columns
PATIENCE = 120.0  # seconds that a program gets for what takes less than one


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        import fcntl
        import struct
        import termios

        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        # What the environment says of a size is of another terminal, and is not to be believed.
        size = {"LINES": "5", "COLUMNS": "33"}
        names = {"TERM": "xterm-256color", "COLORTERM": "truecolor", **size, **environment}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ctxcache", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, **names},
            start_new_session=True,
        )
        os.close(slave)
        self.seen = ""
        self._screen = pyte.Screen(SIZE[1], SIZE[0])
        self._stream = pyte.Stream(self._screen)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def type(self, text: str) -> None:
        """Send keys."""
        os.write(self._master, text.encode())

    def wait_for(self, text: str) -> None:
        """Read until a text stands on the screen: the program writes only what differs."""
        until = time.monotonic() + PATIENCE
        while not any(text in line for line in self._screen.display):
            data = self._read(until)
            assert data, f"{text!r} never came:\n" + "\n".join(self._screen.display)
            self._stream.feed(self._decoder.decode(data))

    @property
    def lines(self) -> list[str]:
        """What stands on the screen."""
        return list(self._screen.display)

    @property
    def reversed_lines(self) -> list[str]:
        """Those whose text begins in reversed colours."""
        return [line for y, line in enumerate(self.lines) if self._screen.buffer[y][2].reverse]

    def _read(self, until: float) -> bytes:
        """What the program wrote; nothing at its end, or when it takes too long."""
        ready, _, _ = select.select([self._master], [], [], max(0.0, until - time.monotonic()))
        return os.read(self._master, 65536) if ready else b""

    def finish(self) -> int:
        """Read the rest, and the exit code."""
        until = time.monotonic() + PATIENCE
        with suppress(OSError):  # how Linux tells the end of a pseudo-terminal
            while data := self._read(until):
                self.seen += data.decode("utf-8", "replace")
        self.close()
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """Take the terminal away."""
        os.close(self._master)


OpenTerminal = Callable[..., Terminal]


@pytest.fixture
def open_terminal() -> Iterator[OpenTerminal]:
    """Start the program in a terminal; it ends with the test, however that ends."""
    with ExitStack() as stack:

        def opened(*arguments: str, **environment: str) -> Terminal:
            terminal = Terminal(*arguments, **environment)
            stack.enter_context(terminal.process)
            stack.callback(terminal.process.kill)
            return terminal

        yield opened


def test_a_query_is_typed_results_moved_through_the_budget_changed_and_left(
    caches: Path, tmp_path: Path, open_terminal: OpenTerminal
) -> None:
    terminal = open_terminal("tui", str(caches), "--budget", "500", XDG_STATE_HOME=str(tmp_path))
    terminal.wait_for("Type what an agent would ask")
    terminal.type("roll back")
    terminal.wait_for("the budget ends here")  # which no beginning of the query makes it say
    terminal.type("\x1b[B")  # down
    terminal.wait_for("why 2")
    terminal.type("\x1b[1;2A")  # shift and up
    terminal.wait_for("of 550 ")
    terminal.type("\r")
    terminal.wait_for("next match")
    terminal.type("\x1b")
    terminal.wait_for("F6 caches")
    terminal.type("\x11")  # ctrl and q
    assert terminal.finish() == 0
    assert (tmp_path / "ctxcache" / "queries.jsonl").read_text() == '{"query": "roll back", "budget": 550}\n'
    assert "\x1b[?1049l" in terminal.seen  # the terminal is given back as it was


@pytest.mark.parametrize(("term", "shaded"), [("xterm-256color", False), ("xterm-16color", True)])
def test_sixteen_colours_are_helped_by_shades_and_reversal(
    caches: Path, tmp_path: Path, open_terminal: OpenTerminal, term: str, shaded: bool
) -> None:
    """Backgrounds of a theme become one of sixteen: the highlighted row would look like any other."""
    query = ("--query", "how do we roll back a deployment")
    state = {"XDG_STATE_HOME": str(tmp_path), "TERM": term, "COLORTERM": ""}
    terminal = open_terminal("tui", str(caches), "--budget", "500", *query, **state)
    terminal.wait_for("agent reads")  # which comes once the answer stands there whole
    assert any("▓▓" in line for line in terminal.lines) == shaded
    assert any("●" in line for line in terminal.reversed_lines) == shaded
    terminal.type("\x11")  # ctrl and q
    assert terminal.finish() == 0


def test_the_program_ends_with_its_terminal(
    caches: Path, tmp_path: Path, open_terminal: OpenTerminal
) -> None:
    """Without a controlling terminal no signal tells of it: the input ends, and nothing can be written."""
    terminal = open_terminal("tui", str(caches), XDG_STATE_HOME=str(tmp_path))
    terminal.wait_for("Type what an agent would ask")
    terminal.type("roll")
    terminal.close()
    assert terminal.process.wait(PATIENCE) == 129


def test_a_hangup_ends_the_program(caches: Path, tmp_path: Path, open_terminal: OpenTerminal) -> None:
    terminal = open_terminal("tui", str(caches), XDG_STATE_HOME=str(tmp_path))
    terminal.wait_for("Type what an agent would ask")
    terminal.process.send_signal(signal.SIGHUP)
    assert terminal.process.wait(PATIENCE) == -signal.SIGHUP
    terminal.close()


def test_without_a_terminal_it_says_what_to_do(caches: Path) -> None:
    command = [sys.executable, "-m", "ctxcache", "tui", str(caches)]
    ran = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "error: the inspector needs a terminal; `ctx tui --web` shows it in a browser\n"


@pytest.mark.parametrize(
    ("options", "code"),
    [(["--budget", "many"], 3), (["--port", "0", "--web"], 1), (["--query", "x" * 100_001], 2)],
)
def test_a_wrong_beginning_is_refused_before_anything_starts(options: list[str], code: int) -> None:
    command = [sys.executable, "-m", "ctxcache", "tui", *options]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert ran.returncode == code
    assert ran.stderr.startswith("error: ")
