"""The order of an explanation, worked out no further than it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctxcache.builder.build import build
from ctxcache.builder.compile import GivenText
from ctxcache.builder.config import BuildConfig
from ctxcache.resolver.cache import Cache, open_cache

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """1,500 documents that all hold one word, the larger the later their ids; one is small."""
    place: Path = tmp_path_factory.mktemp("many") / "cache"
    texts = [GivenText(f"{n:04}", "", "word " * (20 + n // 100)) for n in range(1499)]
    texts.append(GivenText("last", "", "word, then much that is something else " * 12 + "."))
    build(texts, place, config=BuildConfig(tokenizer="bytes4", unique=False), jobs=1)
    return open_cache(place)


def test_far_ranks_are_explained_like_near_ones(many: Cache) -> None:
    """Whatever was read before: the first page, the last row, or everything."""
    whole, piecewise = many.explain("word", 2000), many.explain("word", 2000)
    assert len(whole.order) == whole.matches == 1500
    for rank in (1, 256, 257, 1500):
        near, far = piecewise.entry(rank), whole.entry(rank)
        assert near.to_dict() == far.to_dict()
    assert [ranked[0] for ranked in whole.order if ranked[0] in whole.chosen] == list(whole.chosen)


@pytest.mark.parametrize("budget", [0, 1, 60, 500, 4000, 200_000])
def test_the_chosen_have_their_ranks(many: Cache, budget: int) -> None:
    explained = many.explain("word", budget)
    expected = [rank for rank, ranked in enumerate(explained.order, 1) if ranked[0] in explained.chosen]
    assert many.explain("word", budget).chosen_ranks == expected
    assert len(expected) == len(explained.chosen)
