"""Which breaks become cuts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from ctxcache.builder.splitting.blocks import BODY
from ctxcache.builder.splitting.sections import Span, spans, units

if TYPE_CHECKING:
    from random import Random

_BLOCKS = st.lists(
    st.tuples(st.sampled_from([1, 2, 3, BODY, BODY + 2]), st.integers(0, 120)), min_size=1, max_size=40
)


@given(_BLOCKS, st.integers(1, 200))
def test_spans_tile_the_blocks_and_only_a_single_block_exceeds_the_limit(
    blocks: list[tuple[int, int]], limit: int
) -> None:
    levels, tokens = [level for level, _ in blocks], [size for _, size in blocks]
    found = spans(levels, tokens, limit)
    assert [found[0][0], *(end for _, end in found)] == [0, *(low for low, _ in found[1:]), len(blocks)]
    assert all(sum(tokens[low:high]) <= limit or high - low == 1 for low, high in found)


def test_chapters_that_fit_are_joined_and_one_that_does_not_is_cut_inside() -> None:
    levels = [1, 2, 2, 2, 3, 3, 2]
    tokens = [30, 40, 20, 40, 50, 50, 30]
    assert spans(levels, tokens, 100) == [(0, 3), (3, 5), (5, 6), (6, 7)]


def test_a_few_words_above_a_long_part_go_with_its_beginning() -> None:
    """The heading of a chapter alone would be found, and tell nothing."""
    assert spans([1, 2, 2, 2], [5, 90, 90, 90], 100) == [(0, 2), (2, 3), (3, 4)]


def test_a_crumb_is_not_put_before_the_part_that_it_does_not_belong_to() -> None:
    """The next chapter's few introductory words stay out of the last one, where there is room for them."""
    found = spans([1, 2, 3, 3, 2, 3, 3], [0, 10, 90, 20, 5, 90, 90], 100)
    assert (4, 6) in found


@given(_BLOCKS)
def test_what_fits_in_one_span_is_not_cut(blocks: list[tuple[int, int]]) -> None:
    total = sum(size for _, size in blocks)
    assert spans([level for level, _ in blocks], [size for _, size in blocks], total) == [(0, len(blocks))]


def test_neighbouring_small_parts_do_not_stay_apart() -> None:
    found = spans([2] * 50, [7] * 50, 100)
    assert all(a[1] - a[0] + b[1] - b[0] > 14 for a, b in pairwise(found))


@given(_BLOCKS, st.integers(1, 200), st.randoms())
def test_units_give_the_same_spans_as_their_blocks(
    blocks: list[tuple[int, int]], limit: int, random: Random
) -> None:
    """Whatever is said not to fit, although it does."""
    levels, tokens = [level for level, _ in blocks], [size for _, size in blocks]

    def fits(part: Span) -> bool:
        return sum(tokens[slice(*part)]) <= limit and random.random() < 0.8

    parts = list(units(levels, fits)) if len(blocks) > 1 else [(0, 1)]
    sizes = [sum(tokens[slice(*part)]) for part in parts]
    found = spans([levels[low] for low, _ in parts], sizes, limit)
    assert [(parts[low][0], parts[high - 1][1]) for low, high in found] == spans(levels, tokens, limit)
