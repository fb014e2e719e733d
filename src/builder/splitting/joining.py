"""Choosing where to cut: pieces that are near a limit and keep together what belongs together.

Works on two lists of numbers, one entry a block: how outward the break before it is, and how many tokens
it holds. Everything is linear in the blocks, times the number of levels.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Span = tuple[int, int]
"""Blocks from the first number up to, not including, the second."""


def spans(levels: Sequence[int], tokens: Sequence[int], limit: int) -> list[Span]:
    """Spans of at most `limit` tokens that tile the blocks; only a single block may exceed it."""
    sums = [0, *accumulate(tokens)]
    return list(_cut((0, len(levels)), levels, sums, limit))


def _cut(span: Span, levels: Sequence[int], sums: Sequence[int], limit: int) -> Iterator[Span]:
    """Cut at the outermost breaks inside, join neighbours that stay small, cut further what is too big."""
    low, high = span
    if sums[high] - sums[low] <= limit or high - low == 1:
        yield span
        return
    outermost = min(levels[low + 1 : high])
    edges = [low, *(at for at in range(low + 1, high) if levels[at] == outermost), high]
    small = [low]
    for start, end in pairwise(edges):
        if sums[end] - sums[start] <= limit:
            small.append(end)
            continue
        yield from _join(small, sums, limit)
        yield from _cut((start, end), levels, sums, limit)
        small = [end]
    yield from _join(small, sums, limit)


def _join(edges: Sequence[int], sums: Sequence[int], limit: int) -> Iterator[Span]:
    """Join small neighbours into the fewest spans, of sizes as even as that allows."""
    if len(edges) < 2:
        return
    fewest = len(_fill(edges, sums, limit))
    low, high = (sums[edges[-1]] - sums[edges[0]]) // fewest, limit
    while low < high:
        middle = (low + high) // 2
        if len(_fill(edges, sums, middle)) <= fewest:
            high = middle
        else:
            low = middle + 1
    yield from _fill(edges, sums, high)


def _fill(edges: Sequence[int], sums: Sequence[int], limit: int) -> list[Span]:
    """Join from the left while the sum stays within `limit`; a part above it stays alone."""
    filled: list[Span] = []
    start = edges[0]
    for before, end in pairwise(edges):
        if before > start and sums[end] - sums[start] > limit:
            filled.append((start, before))
            start = before
    filled.append((start, edges[-1]))
    return filled
