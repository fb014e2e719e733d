"""Output for people: tables, colours, a pager and a progress bar, as far as the terminal supports them."""

from __future__ import annotations

import os
import shutil
import sys
import time
import unicodedata

from ..text.display import escape_control, pluralize
from .output import draw, shows_progress, shows_results, write

TYPE_CHECKING = False

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable, Sequence

_UNLIMITED = 1 << 16
"""The width of output that goes to no terminal."""
_MIN_COLUMN = 20
"""The least width of a shortened column, in cells."""
_CODES = {"bold": "1", "dim": "2", "green": "32", "yellow": "33"}


def add_color(parser: ArgumentParser) -> None:
    """Add `--color`."""
    text = "auto (a terminal, unless NO_COLOR is set), always, never"
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", metavar="WHEN", help=text
    )


class Terminal:
    """Standard output, which may be a terminal or not."""

    def __init__(self, color: str = "auto") -> None:
        """`color` is auto, always or never."""
        self.is_present = shows_results()
        wanted = self.is_present and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._colored = color == "always" or (color == "auto" and wanted)

    @property
    def width(self) -> int:
        """The cells of a line; 65,536 if standard output is no terminal."""
        return shutil.get_terminal_size().columns if self.is_present else _UNLIMITED

    def paint(self, text: str, *styles: str) -> str:
        """`text` in these styles, unchanged without colours. It must be escaped already."""
        if not self._colored or not text:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"

    def page(self, text: str) -> None:
        """Write `text`, through a pager if it has more lines than the terminal."""
        if not self.is_present or text.count("\n") < shutil.get_terminal_size().lines or not _page(text):
            write(text)


def _page(text: str) -> bool:
    """Show a text in `CTX_PAGER`, else `PAGER`, else less; False if there is no pager, or it is `cat`."""
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
    """`rows` in aligned columns, a line each; `align` has `<` or `>` for each column.

    Control characters are escaped. If the terminal is too narrow, the cells of the column with the index
    `shorten` are cut in their middle.
    """
    cells = [[escape_control(cell) for cell in row] for row in rows]
    if shorten is not None:
        columns = enumerate(zip(*cells, strict=True))
        others = sum(max(map(width, column)) + 2 for index, column in columns if index != shorten)
        most = max(_MIN_COLUMN, Terminal().width - others)
        for row in cells:
            row[shorten] = crop_middle(row[shorten], most)
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(map(_cell, row, widths, align)).rstrip() for row in cells]
    return "".join(f"{line}\n" for line in lines)


def width(text: str) -> int:
    """The number of terminal cells that `text` takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def crop_middle(text: str, most: int) -> str:
    """`text` in at most `most` terminal cells; an ellipsis stands for what was cut from its middle."""
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


def left_out_words(left_out: int, report: str = "--report FILE") -> str:
    """`3 files left out; REPORT names them`, empty for none; `report` is the option that names them."""
    them = "it" if left_out == 1 else "them"
    return f"{pluralize(left_out, 'file')} left out; {report} names {them}" if left_out else ""


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
    """A progress bar on standard error. Use it as a context manager: the line is cleared at the end."""

    def __init__(self, label: str, *, patience: float = 1.0) -> None:
        """`label` stands before the bar, which is first drawn after `patience` seconds."""
        self._label = label
        self._is_shown = shows_progress()
        self._next = time.monotonic() + patience
        self._is_drawn = False

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_drawn:
            draw("")

    def show(self, done: int, total: int, name: str = "") -> None:
        """Draw the bar at `done` of `total`, unless it was drawn within the last tenth of a second.

        With the `name` of a step that takes long, it is drawn at once.
        """
        now = time.monotonic()
        if not self._is_shown or (now < self._next and not name):
            return
        self._next = now + _INTERVAL
        self._is_drawn = True
        filled = _WIDTH * done // max(total, 1)
        bar = f"{'█' * filled}{'░' * (_WIDTH - filled)} {100 * done // max(total, 1):3} %"
        label = name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"
        draw(" ".join(filter(None, (self._label, bar, label))))
