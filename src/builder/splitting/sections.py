"""Splitting a file into sections that stand for themselves.

The sections of a file, joined, are the file. Counting tokens is most of the work, so what will not be cut is
counted once, as a whole, and larger pieces are summed up wherever the tokenizer says that the sum is exact.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from .blocks import blocks, with_line_feeds
from .formats import scan
from .headings import READ, Slugs, plain, slug
from .joining import Span, spans, units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...text import TokenCounter
    from .blocks import Blocks

_UNTITLED = "top"
_SEPARATORS = re.compile(r"[-_\s]+")
_LIKELY = 4  # characters a token: a text of fewer is worth counting as a whole, since most fit


class Section(NamedTuple):
    """A piece of a file that is a document of its own."""

    text: str
    """Exactly as it stands in the file."""
    heading_path: tuple[str, ...]
    """The headings above the section and its first own one, outermost first, as plain text.

    None if the section is the whole file, whose title may come from elsewhere.
    """
    slug: str
    """What follows `#` in the document's id, unique in the file; "" if the section is the whole file."""
    line: int
    """The line of the file where it begins, from 1."""
    tokens: int
    """As many as its text counts alone."""

    @classmethod
    def whole(cls, text: str, tokens: int) -> Section:
        """A file that is one document."""
        return cls(text, (), "", 1, tokens)


def split(
    text: str, *, kind: str, max_tokens: int, counter: TokenCounter, body_start: int = 0
) -> list[Section]:
    """The sections of a file, in order; one, when it has at most `max_tokens` tokens or cannot be cut.

    `body_start` is the offset where the front matter ends, which goes with the first section.
    """
    if len(text) <= _LIKELY * max_tokens and (tokens := counter(text)) <= max_tokens:
        return [Section.whole(text, tokens)]
    found = blocks(scan(text, kind, body_start))
    if len(found) < 2:
        return [Section.whole(text, counter(text))]
    parts = _Parts(text, found, counter, max_tokens)
    tokens = parts.tokens((0, len(parts.counts)))
    cuts = spans(parts.levels, parts.counts, max_tokens) if tokens > max_tokens else []
    if len(cuts) < 2:
        return [Section.whole(text, tokens)]
    return list(_sections(text, kind, found, cuts, parts))


def title(text: str, *, kind: str, id: str, body_start: int = 0) -> str:  # noqa: A002 - a document's `id`
    """The first heading that says something, else the words of the file's name."""
    return _first_heading(text, kind, body_start) or words(id)


def words(path: str) -> str:
    """The words of a file's name without its extension: `deploy-notes_v2.md` is "deploy notes v2"."""
    name = path.rpartition("/")[2]
    stem = name.rpartition(".")[0].strip(".") or name.strip(".")
    return _SEPARATORS.sub(" ", stem).strip() or name


def _first_heading(text: str, kind: str, body_start: int) -> str:
    """The plain text of the first heading that has any."""
    headings = scan(text, kind, body_start).headings.values()
    return next(filter(None, (plain(heading, kind) for heading in headings)), "")


class _Parts:
    """The parts of a file that are not cut further, with the token counts of each, and of spans of them."""

    def __init__(self, text: str, found: Blocks, counter: TokenCounter, limit: int) -> None:
        self._text = text
        self._counter = counter
        starts = [0, *found.starts[1:], len(text)]
        known: dict[Span, int] = {}

        def count(part: Span) -> int:
            if part not in known:
                known[part] = counter(text[starts[part[0]] : starts[part[1]]])
            return known[part]

        def fits(part: Span) -> bool:
            return starts[part[1]] - starts[part[0]] <= _LIKELY * limit and count(part) <= limit

        parts = list(units(found.levels, fits))
        self.blocks = [low for low, _ in parts]
        """The number of each part's first block."""
        self.levels = [found.levels[low] for low in self.blocks]
        self.counts = [count(part) for part in parts]
        self.edges = [*(starts[low] for low in self.blocks), len(text)]
        """Where each part begins, and where the last one ends."""
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
"""The level and the text of the innermost heading above a place, and what is above that."""


def _sections(text: str, kind: str, found: Blocks, cuts: Sequence[Span], parts: _Parts) -> Iterator[Section]:
    """The sections that the spans `cuts` of the parts make."""
    slugs = Slugs()
    outline = _Outline(found, kind, slugs)
    lines, line = with_line_feeds(text), 1
    for low, high in cuts:
        start, end = parts.edges[low], parts.edges[high]
        path, anchor = outline.place(parts.blocks[low])
        own = anchor or slugs.take(slug(path[-1]) if path else _UNTITLED)
        yield Section(text[start:end], path, own, line, parts.tokens((low, high)))
        line += lines.count("\n", start, end)


class _Outline:
    """Where the blocks of a file stand in it; every heading takes its slug in turn."""

    def __init__(self, found: Blocks, kind: str, slugs: Slugs) -> None:
        self._blocks = list(found.headings)  # those that begin with a heading, in order
        self._own: list[tuple[_Above, str]] = []
        self._under: list[_Above] = [None]  # above the first of them, then below each
        above: _Above = None
        for headings in found.headings.values():
            first = len(self._own)
            for level, written in headings:
                while above and above[0] >= level:
                    above = above[2]
                text, base = _named(written[:READ], kind)
                above = (level, text, above)
                if len(self._own) == first:
                    self._own.append((above, slugs.take(base)))
                else:
                    slugs.take(base)
            self._under.append(above)

    def place(self, block: int) -> tuple[tuple[str, ...], str]:
        """The headings above a block and its first own one, and the anchor of that, "" if it has none."""
        before = bisect_left(self._blocks, block)
        begins = before < len(self._blocks) and self._blocks[before] == block
        above, anchor = self._own[before] if begins else (self._under[before], "")
        path = []
        while above:
            path.append(above[1])
            above = above[2]
        return tuple(filter(None, reversed(path))), anchor


@lru_cache(maxsize=1 << 14)  # "Examples" and the like come again and again
def _named(written: str, kind: str) -> tuple[str, str]:
    """The text of a heading, and its slug."""
    text = plain(written, kind)
    return text, slug(text)
