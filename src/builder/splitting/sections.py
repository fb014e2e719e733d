"""Splitting a file into sections that stand for themselves.

The sections of a file, joined, are the file. A size is the sum of the token counts of a section's blocks,
each counted once: about what the section counts as a whole, and no reason to count the same text again.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from .blocks import BODY, SCANNERS, Block, blocks, line_number
from .headings import plain
from .joining import spans
from .names import words
from .slugs import Slugs, slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_UNTITLED = "top"


class Section(NamedTuple):
    """A piece of a file that is a document of its own."""

    text: str
    """Exactly as it stands in the file."""
    heading_path: tuple[str, ...]
    """The headings above the section and its first own one, outermost first, as plain text."""
    slug: str
    """What follows `#` in the document's id, unique in the file; "" if the section is the whole file."""
    line: int
    """The line of the file where it begins, from 1."""


def split(
    text: str, *, kind: str, max_tokens: int, count: Callable[[str], int], body_start: int = 0
) -> list[Section]:
    """The sections of a file, in order; one, when it has at most `max_tokens` tokens or cannot be cut.

    `body_start` is the offset where the front matter ends, which goes with the first section.
    """
    found = list(blocks(SCANNERS[kind](text, body_start))) if count(text) > max_tokens else []
    starts = [0, *(block.start for block in found[1:]), len(text)]
    tokens = [count(text[start:end]) for start, end in pairwise(starts)]
    cuts = spans([block.level for block in found], tokens, max_tokens)
    if len(cuts) < 2:
        heading = _first_heading(text, kind, body_start)
        return [Section(text, (heading,) if heading else (), "", 1)]
    return list(_sections(text, kind, found, [low for low, _ in cuts]))


def title(text: str, *, kind: str, id: str, body_start: int = 0) -> str:  # noqa: A002 - a document's `id`
    """The first heading that says something, else the words of the file's name."""
    return _first_heading(text, kind, body_start) or words(id)


def _first_heading(text: str, kind: str, body_start: int) -> str:
    """The plain text of the first heading that has any."""
    headings = (place.heading for place in SCANNERS[kind](text, body_start) if place.level < BODY)
    return next(filter(None, (plain(heading, kind) for heading in headings)), "")


class _Place(NamedTuple):
    """Where a block stands in the outline of its file."""

    path: tuple[str, ...]
    anchor: str
    """Of the heading that begins the block; "" if none does."""


def _sections(text: str, kind: str, found: Sequence[Block], lows: Sequence[int]) -> Iterator[Section]:
    """The sections that begin at the blocks with the numbers `lows`."""
    slugs = Slugs()
    places = list(_outline(found, kind, slugs))
    starts = [0, *(found[low].start for low in lows[1:]), len(text)]
    line = 1
    for low, (start, end) in zip(lows, pairwise(starts), strict=True):
        path, anchor = places[low]
        own = anchor or slugs.take(slug(path[-1]) if path else _UNTITLED)
        yield Section(text[start:end], path, own, line)
        line += line_number(text, start, end)


def _outline(found: Sequence[Block], kind: str, slugs: Slugs) -> Iterator[_Place]:
    """For each block the headings above it and its first own one; every heading takes its slug in turn."""
    above: list[tuple[int, str]] = []
    for block in found:
        place = None
        for level, written in block.headings:
            heading = plain(written, kind)
            above = [outer for outer in above if outer[0] < level] + [(level, heading)]
            anchor = slugs.take(slug(heading))
            place = place or _Place(_texts(above), anchor)
        yield place or _Place(_texts(above), "")


def _texts(headings: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(text for _, text in headings if text)
