"""Where a text may be cut: the common language of the scanners, and the scanner of plain text.

A scanner reads one kind of text and names the offsets where a line begins something new. Everything
between two of them stays together, as long as it is no larger than a document may be.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BODY = 100
"""Levels below are headings, outermost first; `BODY` and above are blank lines in running text."""

_DEEPEST = 15

BLANK = r"\s*(?:\n|\Z)"
"""Matches blank lines, as many as there are; never in the middle of a line that is not blank."""

_LINE = re.compile(r"(?P<line>(?P<space>[ \t]*+)(?P<rest>.*))\n?")
_TAB = 4
_NEAR = 16

_PARAGRAPH = re.compile(r"(?:[^\S\n]*+\S.*\n?)++")
_BLANK_LINES = re.compile(BLANK)


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


class Scanner(ABC):
    """Reads a text block by block; a break is where one begins behind a blank line or a heading."""

    def __init__(self, text: str) -> None:
        """`text` has lines that end with a line feed; all positions are offsets in it."""
        self.text = text
        self.breaks = Breaks()
        self.fresh = True
        """Whether a blank line or a heading came last."""
        self.last = 0
        """The end of the last line that is neither blank nor inside something raw."""

    def scan(self, start: int) -> Breaks:
        """The breaks from `start` on."""
        while start < len(self.text):
            if blank := _BLANK_LINES.match(self.text, start):
                self.fresh, start = True, blank.end()
            else:
                start = self.read(start)
        return self.breaks

    @abstractmethod
    def read(self, start: int) -> int:
        """Take what begins with the line at `start`, which is not blank; the offset where it ends."""

    def take_text(self, start: int, end: int, depth: int = 0) -> int:
        """Take running text up to `end`, which is returned; `depth` makes its break a worse place to cut."""
        if self.fresh:
            indent = width(line_at(self.text, start)["space"]) + depth
            self.breaks.begin(start, indent, announces(self.text, self.last))
        self.fresh, self.last = False, end
        return end


class TextScanner(Scanner):
    """The paragraphs of plain text: blank lines are all the structure there is."""

    def read(self, start: int) -> int:
        """Take the paragraph that begins at `start`."""
        paragraph = _PARAGRAPH.match(self.text, start)
        assert paragraph is not None  # the line is not blank
        return self.take_text(start, paragraph.end())


@dataclass(frozen=True, slots=True)
class Blocks:
    """The text from one break to the next, which is never cut: columns, one entry a block."""

    starts: Sequence[int]
    """Offset of each, in characters."""
    levels: Sequence[int]
    headings: Mapping[int, Sequence[tuple[int, str]]]
    """By the number of a block that begins with a heading: (level, heading as written) of that, and of
    those directly below it."""

    def __len__(self) -> int:
        return len(self.starts)


def blocks(breaks: Breaks) -> Blocks:
    """Join each heading with what directly follows it: its first paragraph, or a heading one level deeper.

    A text without a break is one block.
    """
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
    return Blocks(starts or [0], levels or [BODY], headings)


def line_at(text: str, start: int) -> re.Match[str]:
    """The line that begins at `start`, its line feed included: `line`, which is `space` and `rest`."""
    match = _LINE.match(text, start)
    assert match is not None  # it matches anything
    return match


def outdented(text: str, at: int, end: int, column: int) -> int:
    """The first line from `at` on with less indent than `column`, blank ones aside; `end` if none has."""
    deep = re.compile(rf"(?: {{{column}}}.*\n?|[^\S\n]*\n)*+")
    while at < end:
        match = deep.match(text, at, end)
        line = line_at(text, match.end() if match else at)
        if line.start() < end and width(line["space"]) < column and line["rest"].strip():
            return line.start()
        at = line.end()
    return end


def announces(text: str, end: int) -> bool:
    """Whether the line that ends at `end` ends with a colon, white space aside."""
    near = _NEAR  # a look at each character takes twice as long
    while not (last := text[max(end - near, 0) : end].rstrip()[-1:]) and near < end:
        near *= 4
    return last in (":", "：")  # noqa: RUF001 - the CJK colon is meant


def with_line_feeds(text: str) -> str:
    """The text with lines that end with a line feed and nothing else, as long as before: places stay."""
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text


def width(space: str, column: int = 0) -> int:
    """The columns that spaces and tabs take from `column` on; a tab reaches the next multiple of four."""
    if "\t" not in space:
        return len(space)
    return len((" " * (column % _TAB) + space).expandtabs(_TAB)) - column % _TAB
