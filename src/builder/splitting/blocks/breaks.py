"""Where a document may be cut: the common language of the scanners.

A scanner reads one kind of text and names the places where a line begins something new. Everything
between two of them stays together, whatever happens.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BODY = 100
"""Levels below are headings, outermost first; `BODY` and above are blank lines in running text."""

_DEEPEST = 15


class Breaks:
    """The breaks of a text as a scanner finds them, in order, where a label goes with what it labels.

    Columns, one entry a break: there is one for every other line of a text.
    """

    def __init__(self) -> None:
        self.starts: list[int] = []
        """Offset of the line that follows, in characters."""
        self.levels: list[int] = []
        """The lower, the better a place to cut: a chapter, a section, a paragraph, a part of a list item."""
        self.headings: dict[int, str] = {}
        """By the number of the break: the heading as written, where one begins there."""
        self._label: int | None = None

    def __len__(self) -> int:
        return len(self.starts)

    def label(self, start: int) -> None:
        """A line that names, or says something about, what follows begins at `start`."""
        if self._label is None:
            self._label = start

    def heading(self, start: int, level: int, written: str) -> None:
        """A heading begins at `start`, or at the labels right before it."""
        self.headings[len(self.starts)] = written
        self.starts.append(start if self._label is None else self._label)
        self.levels.append(level)
        self._label = None

    def begin(self, start: int, indent: int, announced: bool) -> None:
        """Running text goes on at `start` behind a blank line, with some indent.

        What is indented depends on what it is indented under, and what is announced on the announcement.
        """
        depth = indent + announced
        self.starts.append(start if self._label is None else self._label)
        self.levels.append(BODY + (depth if depth < _DEEPEST else _DEEPEST))
        self._label = None

    def take_back(self) -> int:
        """Drop the last break, which is one in running text; returns where it was."""
        self.levels.pop()
        return self.starts.pop()


class Blocks:
    """The text from one break to the next, which is never cut: columns, one entry a block."""

    def __init__(
        self,
        starts: Sequence[int],
        levels: Sequence[int],
        headings: Mapping[int, Sequence[tuple[int, str]]],
    ) -> None:
        self.starts = starts
        self.levels = levels
        self.headings = headings
        """By the number of a block that begins with a heading: (level, heading as written) of that, and of
        those directly below it."""

    def __len__(self) -> int:
        return len(self.starts)


def blocks(breaks: Breaks) -> Blocks:
    """Join each heading with what directly follows it: its first paragraph, or a heading one level deeper."""
    starts: list[int] = []
    levels: list[int] = []
    headings: dict[int, list[tuple[int, str]]] = {}
    bare = BODY  # the level of a heading below which nothing stands yet
    for number, (start, level) in enumerate(zip(breaks.starts, breaks.levels, strict=True)):
        if level >= BODY:
            if bare < BODY:
                bare = BODY
                continue
        elif bare < level:
            headings[len(starts) - 1].append((level, breaks.headings[number]))
            bare = level
            continue
        else:
            headings[len(starts)] = [(level, breaks.headings[number])]
            bare = level
        starts.append(start)
        levels.append(level)
    return Blocks(starts, levels, headings)
