"""Splitting a file into sections that stand for themselves.

The sections of a file, joined, are the file. Where to cut is chosen on two lists of numbers, one entry a
block or a unit of blocks: how outward the break before it is, and how many tokens it holds. Parts are near
the limit and keep together what belongs together; everything is linear in the blocks, times the number of
levels. Counting tokens is most of the work, so what will not be cut is counted once, as a whole, and larger
parts are summed up wherever the tokenizer says that the sum is exact.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache, lru_cache
from itertools import accumulate, chain, pairwise, zip_longest
from typing import NamedTuple, TypeAlias

from .blocks import BODY, blocks, with_line_feeds
from .formats import scan
from .hard_cut import SMALL_PART, hard_cut
from .headings import READ, Slugs, plain, slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...text import TokenCounter
    from .blocks import Blocks

Span = tuple[int, int]
"""Blocks from the first number up to, not including, the second."""


def units(levels: Sequence[int], fits: Callable[[Span], bool], span: Span | None = None) -> Iterator[Span]:
    """What `spans` would never cut, in the largest chunks, so that nothing inside them need be counted.

    `fits` tells whether a span is within the limit; a no costs time, where it is wrong, and nothing else.
    """
    for part in pairwise(_edges(span or (0, len(levels)), levels)):
        if part[1] - part[0] == 1 or fits(part):
            yield part
        else:
            yield from units(levels, fits, part)


def _edges(span: Span, levels: Sequence[int]) -> list[int]:
    """The outermost breaks inside a span, and its ends."""
    low, high = span
    outermost = min(levels[low + 1 : high], default=0)
    return [low, *(at for at in range(low + 1, high) if levels[at] == outermost), high]


def spans(levels: Sequence[int], tokens: Sequence[int], limit: int) -> list[Span]:
    """Spans of at most `limit` tokens that tile the blocks; only a single block may exceed it."""
    sums = [0, *accumulate(tokens)]
    cuts = list(_cut((0, len(levels)), levels, sums, limit))
    return _join_small(cuts, list(_depths(levels)), sums, limit)


def _cut(span: Span, levels: Sequence[int], sums: Sequence[int], limit: int) -> Iterator[Span]:
    """Cut at the outermost breaks inside, join neighbours that stay small, cut further what is too big."""
    low, high = span
    if sums[high] - sums[low] <= limit or high - low == 1:
        yield span
        return
    small = [low]
    for start, end in pairwise(_edges(span, levels)):
        if sums[end] - sums[start] <= limit:
            small.append(end)
            continue
        yield from _join(small, sums, limit)
        yield from _cut((start, end), levels, sums, limit)
        small = [end]
    yield from _join(small, sums, limit)


def _join(edges: Sequence[int], sums: Sequence[int], limit: int) -> Iterator[Span]:
    """Join neighbours, none of which exceeds the limit, as long as they stay within it."""
    start = edges[0]
    for before, end in pairwise(edges):
        if sums[end] - sums[start] > limit:
            yield start, before
            start = before
    if start < edges[-1]:
        yield start, edges[-1]


def _depths(levels: Sequence[int]) -> Iterator[int]:
    """For each block the level of the heading that it begins with or stands under; 0 above the first."""
    depth = 0
    for level in levels:
        depth = level if level < BODY else depth
        yield depth


def _join_small(cuts: Sequence[Span], depths: Sequence[int], sums: Sequence[int], limit: int) -> list[Span]:
    """Give a very small part to the one that it introduces, or else to the one that it ends.

    What begins further out than the part before it stays for itself, however small.
    """
    larger = [cuts[0]]
    for span, after in zip_longest(cuts[1:], cuts[2:]):
        start, (low, high) = larger[-1][0], span
        inward = depths[low] - depths[start]
        introduced = inward > 0 and (sums[low] - sums[start]) * SMALL_PART < limit
        introduces = after is not None and depths[after[0]] > depths[low]
        ends = inward >= 0 and not introduces and (sums[high] - sums[low]) * SMALL_PART < limit
        if (introduced or ends) and sums[high] - sums[start] <= limit:
            larger[-1] = (start, high)
        else:
            larger.append(span)
    return larger


SECTIONS = "sections-2"
"""The name of this way to split, which is part of a cache's identity: another way gets another name."""

_UNTITLED = "top"
_SEPARATORS = re.compile(r"[-_\s]+")
_LIKELY = 4  # characters a token: a text of fewer is worth counting as a whole, since most fit
_BLOCK_LIMIT = 2  # times the limit: a block above is cut


class Heading(NamedTuple):
    """A heading in a file."""

    slug: str
    """Its anchor: what follows `#`, unique in the file."""
    title: str
    """Its plain text, which is not empty."""


class Section(NamedTuple):
    """A chunk of a file that is a document of its own."""

    text: str
    """Exactly as it stands in the file."""
    heading_path: tuple[str, ...]
    """The headings above the section and its first own one, outermost first, as plain text.

    Empty if the section is the whole file, whose title may come from elsewhere.
    """
    slug: str
    """What follows `#` in the document's id, unique in the file; "" if the section is the whole file."""
    line: int
    """The line of the file where it begins, from 1."""
    tokens: int
    """As many as its text counts alone."""
    headings: tuple[Heading, ...] = ()
    """All headings that stand in it, in order."""
    part: str = ""
    """What it holds of a block that was cut, such as "rows 41 to 80"."""


def split(
    text: str, *, kind: str, max_tokens: int | None, counter: TokenCounter, body_start: int = 0
) -> list[Section]:
    """The sections of a file, in order; one, when it has at most `max_tokens` tokens or there is no limit.

    `body_start` is the offset where the front matter ends, which goes with the first section.
    """
    scanned = blocks(scan(text, kind, body_start))
    outline = _Outline(scanned, kind)
    if max_tokens is None:
        return [_whole(text, counter(text), outline)]
    if len(text) <= _LIKELY * max_tokens and (tokens := counter(text)) <= max_tokens:
        return [_whole(text, tokens, outline)]
    parts = _Parts(text, scanned, counter, max_tokens)
    tokens = parts.tokens((0, len(parts.counts)))
    chunks = list(_chunks(text, parts, max_tokens, counter)) if tokens > max_tokens else []
    if len(chunks) < 2:
        return [_whole(text, tokens, outline)]
    return list(_sections(text, chunks, outline))


def title(text: str, *, kind: str, id: str, body_start: int = 0) -> str:  # noqa: A002 - a document's `id`
    """The first heading that says something, else the words of the file's name."""
    headings = scan(text, kind, body_start).headings.values()
    return next(filter(None, (plain(heading, kind) for heading in headings)), "") or words(id)


def words(path: str) -> str:
    """The words of a file's name without its extension: `deploy-notes_v2.md` is "deploy notes v2"."""
    name = path.rpartition("/")[2]
    stem = name.rpartition(".")[0].strip(".") or name.strip(".")
    return _SEPARATORS.sub(" ", stem).strip() or name


class _Parts:
    """The parts of a file that are not cut further, with the token counts of each, and of spans of them."""

    def __init__(self, text: str, scanned: Blocks, counter: TokenCounter, limit: int) -> None:
        self._text = text
        self._counter = counter
        starts = [0, *scanned.starts[1:], len(text)]

        @cache
        def count(part: Span) -> int:
            return counter(text[starts[part[0]] : starts[part[1]]])

        def fits(part: Span) -> bool:
            return starts[part[1]] - starts[part[0]] <= _LIKELY * limit and count(part) <= limit

        parts = list(units(scanned.levels, fits))
        self.blocks = [low for low, _ in parts]
        self.levels = [scanned.levels[low] for low in self.blocks]
        self.counts = [count(part) for part in parts]
        self.edges = [*(starts[low] for low in self.blocks), len(text)]
        """Where each part begins, and where the last one ends."""
        self.blocks.append(len(scanned))
        """The number of each part's first block, and that of all blocks."""
        self._sums = [0, *accumulate(self.counts)]
        seams = counter.seams(text, self.edges[1:-1])
        self._rough = [0, *accumulate(not exact for exact in seams)]  # cuts so far where sums may be wrong

    def tokens(self, span: Span) -> int:
        """The count of a span: a sum, or its own where that may differ."""
        low, high = span
        if self._rough[high - 1] == self._rough[low]:
            return self._sums[high] - self._sums[low]
        return self._counter(self._text[self.edges[low] : self.edges[high]])


_Above: TypeAlias = "tuple[int, str, _Above] | None"
"""The level and the text of the innermost heading above an offset, and what is above that."""


def _whole(text: str, tokens: int, outline: _Outline) -> Section:
    """A file that is one document."""
    return Section(text, (), "", 1, tokens, outline.headings(0, outline.size))


class _Chunk(NamedTuple):
    """What becomes a section."""

    start: int
    end: int
    """Offsets in the text."""
    first: int
    """The number of its first block."""
    behind: int
    """The number of the first block behind it."""
    tokens: int
    part: str = ""
    begins: bool = True
    """Whether it holds the beginning of its first block, and with it the headings there."""


def _chunks(text: str, parts: _Parts, max_tokens: int, counter: TokenCounter) -> Iterator[_Chunk]:
    """Blocks joined up to the limit, and what a block above twice the limit is cut into."""
    lines, line, counted = with_line_feeds(text), 1, 0
    for low, high in spans(parts.levels, parts.counts, max_tokens):
        start, end = parts.edges[low], parts.edges[high]
        first, behind = parts.blocks[low], parts.blocks[high]
        tokens = parts.tokens((low, high))
        if tokens <= _BLOCK_LIMIT * max_tokens or behind - first > 1:
            yield _Chunk(start, end, first, behind, tokens)
            continue
        line += lines.count("\n", counted, start)
        counted = start
        for one in hard_cut(lines, start, end, first_line=line, limit=max_tokens, counter=counter):
            own = counter(text[one.start : one.end])
            yield _Chunk(one.start, one.end, first, behind, own, one.label, begins=one.start == start)


def _sections(text: str, chunks: Sequence[_Chunk], outline: _Outline) -> Iterator[Section]:
    """The sections that the chunks make."""
    lines, line = with_line_feeds(text), 1
    for chunk in chunks:
        path, anchor = outline.place(chunk.first, begins=chunk.begins)
        own = anchor or outline.slugs.take(slug(path[-1]) if path else _UNTITLED)
        headings = outline.headings(chunk.first, chunk.behind) if chunk.begins else ()
        yield Section(text[chunk.start : chunk.end], path, own, line, chunk.tokens, headings, chunk.part)
        line += lines.count("\n", chunk.start, chunk.end)


class _Outline:
    """Where the blocks of a file stand in it; every heading takes its slug in turn."""

    def __init__(self, scanned: Blocks, kind: str) -> None:
        self.slugs = Slugs()
        self.size = len(scanned)
        self._blocks = list(scanned.headings)  # those that begin with a heading, in order
        self._headings: list[list[Heading]] = []  # of each of them
        self._own: list[_Above] = []  # the first heading of each, and what is above
        self._under: list[_Above] = [None]  # above the first of them, then below each
        above: _Above = None
        for headings in scanned.headings.values():
            own: list[Heading] = []
            for number, (level, written) in enumerate(headings):
                while above and above[0] >= level:
                    above = above[2]
                text, base = _named(written[:READ], kind)
                above = (level, text, above)
                own.append(Heading(self.slugs.take(base), text))
                if not number:
                    self._own.append(above)
            self._headings.append(own)
            self._under.append(above)

    def place(self, block: int, *, begins: bool) -> tuple[tuple[str, ...], str]:
        """The headings above a block and its first own one, and the anchor of that, "" if it has none.

        With `begins` false: for what stands in the block, below its own headings.
        """
        before = bisect_left(self._blocks, block)
        above, anchor = self._under[before], ""
        if before < len(self._blocks) and self._blocks[before] == block:
            above = self._own[before] if begins else self._under[before + 1]
            anchor = self._headings[before][0].slug if begins else ""
        path = []
        while above:
            path.append(above[1])
            above = above[2]
        return tuple(filter(None, reversed(path))), anchor

    def headings(self, first: int, behind: int) -> tuple[Heading, ...]:
        """The headings in some blocks that say something."""
        low, high = bisect_left(self._blocks, first), bisect_left(self._blocks, behind)
        return tuple(one for one in chain.from_iterable(self._headings[low:high]) if one.title)


@lru_cache(maxsize=1 << 14)  # "Examples" and the like come again and again
def _named(written: str, kind: str) -> tuple[str, str]:
    """The text of a heading, and its slug."""
    text = plain(written, kind)
    return text, slug(text)
