"""Choosing where to cut: pieces that are near a limit and keep together what belongs together.

Works on two lists of numbers, one entry a block or a unit of blocks: how outward the break before it is, and
how many tokens it holds. Everything is linear in the blocks, times the number of levels.
"""

from __future__ import annotations

from itertools import accumulate, pairwise, zip_longest

from .blocks import BODY
from .hard_cut import CRUMB

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Span = tuple[int, int]
"""Blocks from the first number up to, not including, the second."""


def units(levels: Sequence[int], fits: Callable[[Span], bool]) -> Iterator[Span]:
    """What `spans` would never cut, in the largest pieces, so that nothing inside them need be counted.

    `fits` tells whether a span is within the limit; a no costs time, where it is wrong, and nothing else.
    """
    return _units((0, len(levels)), levels, fits)


def _units(span: Span, levels: Sequence[int], fits: Callable[[Span], bool]) -> Iterator[Span]:
    for part in pairwise(_edges(span, levels)):
        if part[1] - part[0] == 1 or fits(part):
            yield part
        else:
            yield from _units(part, levels, fits)


def _edges(span: Span, levels: Sequence[int]) -> list[int]:
    """The outermost breaks inside a span, and its ends."""
    low, high = span
    outermost = min(levels[low + 1 : high], default=0)
    return [low, *(at for at in range(low + 1, high) if levels[at] == outermost), high]


def spans(levels: Sequence[int], tokens: Sequence[int], limit: int) -> list[Span]:
    """Spans of at most `limit` tokens that tile the blocks; only a single block may exceed it."""
    sums = [0, *accumulate(tokens)]
    cuts = list(_cut((0, len(levels)), levels, sums, limit))
    return _without_crumbs(cuts, list(_depths(levels)), sums, limit)


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


def _without_crumbs(
    cuts: Sequence[Span], depths: Sequence[int], sums: Sequence[int], limit: int
) -> list[Span]:
    """Give a very small part to the one that it introduces, or else to the one that it ends.

    What begins further out than the part before it stays for itself, however small.
    """
    kept = [cuts[0]]
    for span, after in zip_longest(cuts[1:], cuts[2:]):
        start, (low, high) = kept[-1][0], span
        inward = depths[low] - depths[start]
        introduced = inward > 0 and (sums[low] - sums[start]) * CRUMB < limit
        introduces = after is not None and depths[after[0]] > depths[low]
        ends = inward >= 0 and not introduces and (sums[high] - sums[low]) * CRUMB < limit
        if (introduced or ends) and sums[high] - sums[start] <= limit:
            kept[-1] = (start, high)
        else:
            kept.append(span)
    return kept
