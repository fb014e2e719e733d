"""A progress bar on a terminal, for work that takes longer than a second."""

from __future__ import annotations

import time

from .output import draw, is_terminal

_INTERVAL = 0.1  # seconds between two drawings
_WIDTH = 30  # characters
_LONGEST_NAME = 30  # characters


class Bar:
    """Shows how far something has come. Use as a context manager: the line is cleared at the end."""

    def __init__(self, label: str, *, patience: float = 1.0) -> None:
        """`label` stands before the bar, which is worth showing after `patience` seconds."""
        self._label = label
        self._watched = is_terminal()
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
        shown = name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"
        draw(" ".join(filter(None, (self._label, bar, shown))))
