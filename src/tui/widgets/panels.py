"""Panels of lines: what a cache is, what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Static

from ..painting import paint_lines
from ..pieces import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..pieces import Piece


class Lines(Static):
    """Lines of pieces."""

    DEFAULT_CSS = "Lines { width: 1fr; height: auto; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - as Textual
        super().__init__(markup=False, id=id, classes=classes)

    def show(self, lines: Iterable[Iterable[Piece]]) -> None:
        """Replace the lines."""
        self.update(paint_lines(lines))


class Problem(Static):
    """A sentence where the eye is; hidden when there is nothing to say."""

    DEFAULT_CSS = """
    Problem { height: auto; max-height: 6; display: none; }
    Problem.-said { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as Textual
        super().__init__(markup=False, id=id)
        self._sentence = ""

    def say(self, sentence: str) -> None:
        """Show a sentence; an empty one hides the panel."""
        if sentence == self._sentence:
            return
        self._sentence = sentence
        self.update(shown(sentence))
        self.set_class(bool(sentence), "-said")
