"""How fast the inspector is in a real terminal: `python -m benchmarks.tui [CACHE]`.

The program runs in a pseudo-terminal on a cache of 100,000 documents (made on the first run). A query is
typed key by key, as fast as a quick typist and in bursts; measured are the time from a key to its echo and
from the last key of a burst to the new answer on the screen.
"""

from __future__ import annotations

import fcntl
import os
import pty
import random
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from ctxcache.builder.build import build
from ctxcache.builder.compile import GivenText
from ctxcache.builder.config import BuildConfig

DOCUMENTS = 100_000
QUERIES = ("deploy rollback queue", "how do we restore the database index", "token budget of an agent")
GAP = 0.12  # seconds between two keys of a quick typist
SEQUENCE = re.compile(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]")


class Terminal:
    """The inspector in a pseudo-terminal of 120 columns and 40 rows."""

    def __init__(self, cache: Path) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "XDG_STATE_HOME": tempfile.mkdtemp()}
        command = [sys.executable, "-m", "ctxcache", "tui", str(cache)]
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self._raw = b""

    def press(self, keys: str) -> float:
        """Send keys; returns when that was."""
        self._raw = b""
        os.write(self._master, keys.encode())
        return time.perf_counter()

    def wait_for(self, text: str, limit: float = 120.0) -> float:
        """Read until a text is drawn; returns when that was."""
        end = time.perf_counter() + limit
        while text not in SEQUENCE.sub("", self._raw.decode("utf-8", "replace")):
            if not select.select([self._master], [], [], max(0.0, end - time.perf_counter()))[0]:
                raise TimeoutError(f"{text!r} was not drawn within {limit} s")
            self._raw += os.read(self._master, 1 << 16)
        return time.perf_counter()

    def rest(self, seconds: float) -> None:
        """Read and forget what is drawn for a while."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            if select.select([self._master], [], [], left)[0]:
                os.read(self._master, 1 << 16)


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


def measure(terminal: Terminal) -> tuple[list[float], list[float]]:
    """The times from each key to its echo, and from the last key of each burst to its answer."""
    echoes, answers = [], []
    for query in QUERIES:
        for number, letter in enumerate(query, start=1):
            pressed = terminal.press(letter)
            typed = query[:number].rstrip()
            echoes.append(terminal.wait_for(typed[-12:]) - pressed if letter != " " else 0.0)
            terminal.rest(GAP)
        for burst in (" again", " today", " and then"):
            pressed = terminal.press(burst)
            answers.append(terminal.wait_for("searched") - pressed)
            terminal.rest(0.5)
        terminal.press("\x15")  # the whole line away
        terminal.rest(0.5)
    return [echo for echo in echoes if echo], answers


def told(name: str, seconds: list[float]) -> str:
    """Median, 95th percentile and maximum in milliseconds."""
    ordered = sorted(1000 * second for second in seconds)
    at_95 = ordered[int(0.95 * (len(ordered) - 1))]
    return f"{name}: median {statistics.median(ordered):.0f}, 95 % {at_95:.0f}, most {ordered[-1]:.0f} ms"


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
        echoes, answers = measure(terminal)
    finally:
        terminal.process.kill()
    print(f"start to first screen: {1000 * ready:.0f} ms")
    print(told(f"key to echo ({len(echoes)} keys)", echoes))
    print(told(f"last key to answer ({len(answers)} bursts)", answers))


if __name__ == "__main__":
    main()
