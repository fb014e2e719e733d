"""The manners of a terminal: its width, its colours, a pager. Elsewhere text is plain and full width."""

from __future__ import annotations

import os
import shutil
import sys

from .output import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser

_FULL = 1 << 16
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
        self.present = _is_terminal()
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


def _is_terminal() -> bool:
    try:
        return os.isatty(1)
    except OSError:
        return False


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
