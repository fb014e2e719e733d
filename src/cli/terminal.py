"""What people see: tables, colours, a pager and a progress bar, as the terminal allows."""

from __future__ import annotations

import os
import shutil
import sys
import time
import unicodedata

from ..text.display import escape_control
from .output import draw, shows_progress, shows_results, write

TYPE_CHECKING = False

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable, Sequence

_FULL = 1 << 16
_NARROWEST = 20
"""Cells that a column keeps, however narrow the terminal is."""
_CODES = {"bold": "1", "dim": "2", "green": "32", "yellow": "33"}


def add_color(parser: ArgumentParser) -> None:
    """`--color`."""
    words = "auto (a terminal, unless NO_COLOR is set), always, never"
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", metavar="WHEN", help=words
    )


class Terminal:
    """Where a result is written to: standard output, as it is."""

    def __init__(self, color: str = "auto") -> None:
        """`color` is auto, always or never."""
        self.present = shows_results()
        wanted = self.present and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._colored = color == "always" or (color == "auto" and wanted)

    @property
    def width(self) -> int:
        """Cells in a line; more than any text has where there is no terminal."""
        return shutil.get_terminal_size().columns if self.present else _FULL

    def paint(self, text: str, *styles: str) -> str:
        """`text` in these styles, unchanged without colours. It must be harmless already."""
        if not self._colored or not text:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"

    def page(self, text: str) -> None:
        """Write `text`, through a pager if there is a terminal and the text is higher than it."""
        if not self.present or text.count("\n") < shutil.get_terminal_size().lines or not _paged(text):
            write(text)


def _paged(text: str) -> bool:
    """Whether a pager showed the text: `CTX_PAGER`, else `PAGER`, else less. Empty or `cat` is none."""
    import shlex
    import subprocess

    command = os.environ.get("CTX_PAGER", os.environ.get("PAGER", "less"))
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    if not words or words == ["cat"] or shutil.which(words[0]) is None:
        return False
    environment = {"LESS": "FRX", "LV": "-c", **os.environ}
    sys.stdout.flush()
    subprocess.run(words, input=text.encode("utf-8", "backslashreplace"), env=environment, check=False)
    return True


def table(rows: Iterable[Sequence[str]], align: str, *, shorten: int | None = None) -> str:
    """Lay `rows` out in columns; `align` has `<` or `>` for each. Cells may hold untrusted text.

    On a terminal that is too narrow, cells of the column `shorten` lose their middle, so that what
    stands beside them stays in view.
    """
    cells = [[escape_control(cell) for cell in row] for row in rows]
    if shorten is not None:
        others = sum(
            max(map(width, column)) + 2 for at, column in enumerate(zip(*cells, strict=True)) if at != shorten
        )
        most = max(_NARROWEST, Terminal().width - others)
        for row in cells:
            row[shorten] = fitted(row[shorten], most)
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(map(_cell, row, widths, align)).rstrip() for row in cells]
    return "".join(f"{line}\n" for line in lines)


def width(text: str) -> int:
    """How many terminal cells `text` takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def fitted(text: str, most: int) -> str:
    """`text` in at most so many terminal cells: what is too long loses its middle."""
    if width(text) <= most:
        return text
    half = max(1, (most - 1) // 2)
    head, tail = "", ""
    for character in text:
        if width(head + character) > half:
            break
        head += character
    for character in reversed(text):
        if width(character + tail) > most - 1 - half:
            break
        tail = character + tail
    return f"{head}…{tail}"


def count(number: int, noun: str) -> str:
    """`1 document`, `1,204 documents`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def left_out_words(left_out: int, report: str = "--report FILE") -> str:
    """How many files became no document of a cache that is fresh; `report` is what names them."""
    them = "it" if left_out == 1 else "them"
    return f"{count(left_out, 'file')} left out; {report} names {them}" if left_out else ""


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _cell(text: str, to: int, align: str) -> str:
    space = " " * (to - width(text))
    return space + text if align == ">" else text + space


_INTERVAL = 0.1  # seconds between two drawings
_WIDTH = 30  # characters
_LONGEST_NAME = 30  # characters


class Bar:
    """Shows how far something has come. Use as a context manager: the line is cleared at the end."""

    def __init__(self, label: str, *, patience: float = 1.0) -> None:
        """`label` stands before the bar, which is worth showing after `patience` seconds."""
        self._label = label
        self._watched = shows_progress()
        self._next = time.monotonic() + patience
        self._drawn = False

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            draw("")

    def show(self, done: int, total: int, name: str = "") -> None:
        """Draw the bar at `done` of `total`, unless nobody watches or it was drawn just now.

        With the `name` of what takes long, it is drawn at once.
        """
        now = time.monotonic()
        if not self._watched or (now < self._next and not name):
            return
        self._next = now + _INTERVAL
        self._drawn = True
        filled = _WIDTH * done // max(total, 1)
        bar = f"{'█' * filled}{'░' * (_WIDTH - filled)} {100 * done // max(total, 1):3} %"
        label = name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"
        draw(" ".join(filter(None, (self._label, bar, label))))
