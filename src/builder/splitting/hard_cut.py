"""Cutting what has no break in it: a long table, list, transcript or paragraph.

It is cut at line ends; a line that is too long at sentence ends, else at white space, else after closing
brackets, else after commas (as in JSON without spaces), else between words, else between characters. Each
fragment is counted once, so that the time is linear; a piece holds as many as fit.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...text.words import DATA_URI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...text import TokenCounter

SMALL_PART = 8
"""What is smaller than this part of the limit does not stand alone."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_SENTENCE = re.compile(
    r"(?:[^.!?;:．。！？；：]|[.!?;:．](?![\"'”’»)\]]*\s))*+"  # noqa: RUF001 - the full-width forms are meant
    r"(?:(?:[.!?;:．][\"'”’»)\]]*|[。！？；：][\"'”’»」』）]*)(?:\s++\Z)?|\Z)"  # noqa: RUF001 - the same
)
_WORD = re.compile(r"\s*+\S++(?:\s++\Z)?|\s++\Z")
_OBJECT = re.compile(r"[^)\]}>]*+(?:[)\]}>]++[,;]?(?:\s++\Z)?|\Z)")
_ITEM = re.compile(r"[^,;|&，、；]*+(?:[,;|&，、；]++(?:\s++\Z)?|\Z)")  # noqa: RUF001 - the full-width forms are meant
_SIGNS = r"!-/:-@\[-^`{-~"  # of ASCII, but for `_`
_CHARACTER_RUN = re.compile(rf"[^{_SIGNS}]{{0,64}}+[{_SIGNS}]{{0,64}}+")
_FINER = (_SENTENCE, _WORD, _OBJECT, _ITEM, _CHARACTER_RUN)
_DATA_URI = re.compile(rf"{DATA_URI}[^\w\n]*+\n?")
"""With the punctuation behind it."""
_DELIMITER_ROW = re.compile(r"[ \t]*\|?[ \t]*:?-[-:| \t]*$")
_UNITS = {
    "row": re.compile(r"[ \t]*\|(?![-=:| \t]*$)"),
    "item": re.compile(r"[ \t]*(?:[-+*•]|\d{1,9}[.)])[ \t]"),
}


class Piece(NamedTuple):
    """A part of a block."""

    start: int
    end: int
    """Offsets in the text."""
    label: str
    """What it holds of the block: "rows 41 to 80"."""


class _Fragment(NamedTuple):
    """What is not cut further."""

    end: int
    tokens: int
    line: int
    """The number of its line in the block, from 0."""
    begins_line: bool
    """Whether it begins the line."""
    stands_alone: bool
    """Whether it is larger than the limit and no text, so that it must not take its neighbours with it."""


def hard_cut(
    text: str, start: int, end: int, *, first_line: int, limit: int, counter: TokenCounter
) -> list[Piece]:
    """The pieces of `text[start:end]`, whose lines end with line feeds, each of about `limit` tokens at most.

    `first_line` is the number of its first line in the file, from 1.
    """
    lines = _LINE.findall(text[start:end])
    fragments = list(_fragments(lines, start, limit, counter))
    runs = _join_small_last(list(_packed(fragments, limit)), limit)
    if len(runs) == 1:
        return [Piece(start, end, "")]
    pieces = []
    for run, label in zip(runs, _labels(runs, lines, first_line), strict=True):
        pieces.append(Piece(start, run[-1].end, label))
        start = run[-1].end
    return pieces


def _fragments(lines: Iterable[str], at: int, limit: int, counter: TokenCounter) -> Iterator[_Fragment]:
    """The lines, and the parts of those that exceed the limit."""
    for number, line in enumerate(lines):
        begins = True
        for part, tokens, apart in _line_parts(line, limit, counter):
            at += len(part)
            yield _Fragment(at, tokens, number, begins, apart)
            begins = False


def _line_parts(line: str, limit: int, counter: TokenCounter) -> Iterator[tuple[str, int, bool]]:
    """A line, or the parts of one that exceeds the limit: (text, tokens, whether it stands apart)."""
    if (tokens := counter(line)) <= limit:
        yield line, tokens, False
        return
    at = 0
    for uri in _DATA_URI.finditer(line):
        if (tokens := counter(uri[0])) > limit:
            yield from _finer(line[at : uri.start()], _FINER, limit, counter)
            yield uri[0], tokens, True
            at = uri.end()
    yield from _finer(line[at:], _FINER, limit, counter)


def _finer(
    text: str, patterns: tuple[re.Pattern[str], ...], limit: int, counter: TokenCounter
) -> Iterator[tuple[str, int, bool]]:
    """What the first pattern finds in a text, cut by the next ones where that exceeds the limit."""
    for part in filter(None, _matches(patterns[0], text)):
        tokens = counter(part)
        if tokens <= limit or len(patterns) == 1:
            yield part, tokens, False
        else:
            yield from _finer(part, patterns[1:], limit, counter)


def _matches(pattern: re.Pattern[str], text: str) -> Iterable[str]:
    """What a pattern finds in a text; white space at its end goes with what is before it."""
    return _character_runs(text) if pattern is _CHARACTER_RUN else pattern.findall(text)


def _character_runs(text: str) -> Iterator[str]:
    """Runs of characters. White space may be all that there is: no run looks for the end of it by itself."""
    end = len(text.rstrip())
    for run in _CHARACTER_RUN.finditer(text):
        if run.end() >= end:
            yield text[run.start() :]
            return
        yield run[0]


def _packed(fragments: Iterable[_Fragment], limit: int) -> Iterator[list[_Fragment]]:
    """Runs of fragments that hold as many as the limit lets; what stands apart is alone."""
    run: list[_Fragment] = []
    tokens = 0
    for fragment in fragments:
        if run and (tokens + fragment.tokens > limit or fragment.stands_alone or run[-1].stands_alone):
            yield run
            run, tokens = [], 0
        run.append(fragment)
        tokens += fragment.tokens
    if run:
        yield run


def _join_small_last(runs: list[list[_Fragment]], limit: int) -> list[list[_Fragment]]:
    """The runs, a very small last one joined to the one before it, unless that stands apart."""
    is_small = sum(fragment.tokens for fragment in runs[-1]) * SMALL_PART < limit
    if is_small and len(runs) > 1 and not runs[-2][-1].stands_alone:
        runs[-2:] = [runs[-2] + runs[-1]]
    return runs


def _labels(runs: list[list[_Fragment]], lines: list[str], first_line: int) -> Iterator[str]:
    """What each run holds of the block with these lines, such as "rows 41 to 80"."""
    unit, numbers = "line", list(range(first_line, first_line + len(lines)))
    for name, pattern in _UNITS.items():
        matches = [bool(pattern.match(line)) for line in lines]
        if sum(matches) * 2 > len(lines):
            unit, numbers = name, _numbered(lines, matches)
    part = 1
    for run in runs:
        first, last = numbers[run[0].line], numbers[run[-1].line]
        part = 1 if run[0].begins_line else part + 1
        if first != last:
            yield f"{unit}s {max(first, 1)} to {last}"
        else:
            yield f"{unit} {max(first, 1)}" + (f", part {part}" if part > 1 else "")


def _numbered(lines: list[str], matches: list[bool]) -> list[int]:
    """For each line the number of the row or item that it belongs to, from 1; the header row is none."""
    numbers = []
    count = 0
    for line, matches_unit in zip(lines, matches, strict=True):
        count += matches_unit
        if count == 1 and _DELIMITER_ROW.match(line.rstrip()) and not matches_unit:
            count = 0
        numbers.append(count)
    return numbers
