"""How fast the inspector is in a real terminal: `python -m benchmarks.tui [CACHE]`.

The program runs in a pseudo-terminal on a cache of 100,000 documents (made on the first run). A query is
typed key by key, as fast as a quick typist and in bursts; measured are the time from a key to its echo and
from the last key of a burst to the new answer on the screen, and the bytes that are written for a key.
"""

from __future__ import annotations

import fcntl
import os
import pty
import random
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from dataclasses import dataclass, field
from pathlib import Path

import pyte

from ctxcache.builder.build import build
from ctxcache.builder.compile import GivenText
from ctxcache.builder.config import BuildConfig

DOCUMENTS = 100_000
QUERIES = ("deploy rollback queue", "how do we restore the database index", "token budget of an agent")
GAP = 0.12  # seconds between two keys of a quick typist
ROWS, COLUMNS = 40, 120


class Terminal:
    """The inspector in a pseudo-terminal, and what stands on its screen: it writes only what differs."""

    def __init__(self, cache: Path) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "XDG_STATE_HOME": tempfile.mkdtemp()}
        command = [sys.executable, "-m", "ctxcache", "tui", str(cache)]
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._came = 0.0
        self.written = 0
        """Bytes that came since the last key."""

    def press(self, keys: str) -> float:
        """Send keys; returns when that was."""
        self.written = 0
        os.write(self._master, keys.encode())
        return time.perf_counter()

    def line(self, text: str) -> str:
        """The line of the screen that holds a text; empty when there is none."""
        return next((line for line in self._screen.display if text in line), "")

    def wait_for(self, text: str, *, other_than: str = "", limit: float = 120.0) -> float:
        """Read until a line with a text stands on the screen; returns when what drew it came."""
        end = time.perf_counter() + limit
        while self.line(text) in ("", other_than):
            if not self._read(end - time.perf_counter()):
                raise TimeoutError(f"{text!r} was not drawn within {limit} s")
        return self._came

    def rest(self, seconds: float) -> None:
        """Read what is drawn for a while."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self._read(left)

    def _read(self, seconds: float) -> bool:
        """Take what comes next; whether something did."""
        if not select.select([self._master], [], [], max(0.0, seconds))[0]:
            return False
        data = os.read(self._master, 1 << 16)
        self._came = time.perf_counter()
        self.written += len(data)
        self._stream.feed(data)
        return True


def make_cache(place: Path) -> None:
    """A cache of 100,000 pages whose words are as unevenly frequent as those of a language."""
    chance = random.Random(1)
    stems = "deploy rollback queue cache index token budget agent server database restore page link graph"
    words = [f"{stem}{number or ''}" for stem in stems.split() for number in range(60)]
    chance.shuffle(words)
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    texts = []
    for number in range(DOCUMENTS):
        page = chance.choices(words, weights, k=chance.randint(30, 250))
        texts.append(
            GivenText(f"area{number % 97:02}/page{number:06}.md", " ".join(page[:4]), " ".join(page))
        )
    build(texts, place, config=BuildConfig(tokenizer="bytes4"), force=True)


@dataclass
class Measured:
    """What was measured: seconds, and bytes that a key makes the program write."""

    echoes: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    letters: list[float] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)


def measure(terminal: Terminal) -> Measured:
    """Type letter by letter, in bursts, and go down the list."""
    measured = Measured()
    for query in QUERIES:
        for number, letter in enumerate(query, start=1):
            pressed = terminal.press(letter)
            if letter != " ":
                measured.echoes.append(terminal.wait_for(query[:number]) - pressed)
            terminal.rest(GAP)
            measured.letters.append(terminal.written)
        terminal.rest(0.5)
        for burst in (" link", " graph", " page"):
            before = terminal.line("searched")
            pressed = terminal.press(burst)
            measured.answers.append(terminal.wait_for("searched", other_than=before) - pressed)
            terminal.rest(0.5)
        for _ in range(30):
            terminal.press("\x1b[B")
            terminal.rest(GAP)
            measured.moves.append(terminal.written)
        terminal.press("\x15")  # the whole line away
        terminal.rest(0.5)
    return measured


def told(name: str, figures: list[float], unit: str, factor: int = 1) -> str:
    """Median, 95th percentile and maximum."""
    ordered = sorted(factor * figure for figure in figures)
    at_95 = ordered[int(0.95 * (len(ordered) - 1))]
    line = f"{name} ({len(ordered)}): median {statistics.median(ordered):,.0f}"
    return f"{line}, 95 % {at_95:,.0f}, most {ordered[-1]:,.0f} {unit}"


def main() -> None:
    """Make the cache if need be, start the inspector, type, tell."""
    cache = Path(sys.argv[1] if len(sys.argv) > 1 else f"{tempfile.gettempdir()}/ctxcache-bench/hundred")
    if not cache.exists():
        cache.parent.mkdir(parents=True, exist_ok=True)
        make_cache(cache)
    begun = time.perf_counter()
    terminal = Terminal(cache)
    try:
        ready = terminal.wait_for("Type what an agent would ask") - begun
        terminal.rest(1.0)
        measured = measure(terminal)
    finally:
        terminal.process.kill()
    print(f"start to first screen: {1000 * ready:.0f} ms")
    print(told("key to echo", measured.echoes, "ms", 1000))
    print(told("last key to answer", measured.answers, "ms", 1000))
    print(told("written for a letter", measured.letters, "bytes"))
    print(told("written for a move", measured.moves, "bytes"))


if __name__ == "__main__":
    main()
