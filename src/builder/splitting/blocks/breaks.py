"""Where a document may be cut: the common language of the scanners.

A scanner reads one kind of text and names the places where a line begins something new. Everything
between two of them stays together, whatever happens.
"""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BODY = 100
"""Levels below are headings, outermost first; `BODY` and above are blank lines in running text."""

_DEEPEST = 15


class Break(NamedTuple):
    """A place between two lines, and how much belongs together around it."""

    start: int
    """Offset of the line that follows, in characters."""
    level: int
    """The lower, the better a place to cut: a chapter, a section, a paragraph, a part of a list item."""
    heading: str = ""
    """The heading as written, where one begins here."""


class Breaks:
    """The breaks of a text as a scanner finds them, where a label goes with what it labels."""

    def __init__(self) -> None:
        self.found: list[Break] = []
        self._label: int | None = None

    def label(self, start: int) -> None:
        """A line that names, or says something about, what follows begins at `start`."""
        if self._label is None:
            self._label = start

    def add(self, start: int, level: int, heading: str = "") -> None:
        """Something begins at `start`, or at the labels right before it."""
        self.found.append(Break(start if self._label is None else self._label, level, heading))
        self._label = None

    def begin(self, start: int, indent: int, announced: bool) -> None:
        """Running text goes on at `start` behind a blank line, with some indent.

        What is indented depends on what it is indented under, and what is announced on the announcement.
        """
        self.add(start, BODY + min(indent + announced, _DEEPEST))


class Block(NamedTuple):
    """The text from one break to the next, which is never cut."""

    start: int
    level: int
    headings: tuple[tuple[int, str], ...] = ()
    """(level, heading as written) of the heading that begins the block and of those directly below it."""


def blocks(breaks: Sequence[Break]) -> Iterator[Block]:
    """Join each heading with what directly follows it: its first paragraph, or a heading one level deeper."""
    current: Block | None = None
    bare = False
    for place in breaks:
        if current and bare and place.level > current.headings[-1][0]:
            if place.level < BODY:
                current = current._replace(headings=(*current.headings, (place.level, place.heading)))
            else:
                bare = False
            continue
        if current:
            yield current
        bare = place.level < BODY
        current = Block(place.start, place.level, ((place.level, place.heading),) if bare else ())
    if current:
        yield current
