"""Two answers side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctxcache.builder.build import build
from ctxcache.builder.compile import GivenText
from ctxcache.builder.config import BuildConfig
from ctxcache.resolver.cache import Cache, open_cache
from ctxcache.resolver.compare import compare
from ctxcache.resolver.result import wire_tokens
from ctxcache.text import token_counter

if TYPE_CHECKING:
    from pathlib import Path


def cache_of(place: Path, **texts: str) -> Cache:
    """A cache of these texts, by id."""
    given = [GivenText(id_, "", text) for id_, text in texts.items()]
    build(given, place, config=BuildConfig(tokenizer="bytes4"), jobs=1)
    return open_cache(place)


@pytest.fixture
def animals(tmp_path: Path) -> Cache:
    """Three documents of one, two and three tokens."""
    return cache_of(tmp_path / "animals", a="cat", b="cat dog", c="dog dog bird")


def fates(before: Cache, first: tuple[str, int], after: Cache, second: tuple[str, int]) -> dict[str, str]:
    comparison = compare(before.explain(*first), after.explain(*second))
    return {difference.id: difference.fate for difference in comparison.differences}


def test_the_same_question_changes_nothing(animals: Cache) -> None:
    assert set(fates(animals, ("cat", 9), animals, ("cat", 9)).values()) == {"kept"}


def test_another_query_says_what_entered_and_what_left(animals: Cache) -> None:
    found = fates(animals, ("cat", 9), animals, ("bird", 9))
    assert found == {"c": "entered", "a": "left", "b": "left"}


def test_a_smaller_budget_leaves_documents_out(animals: Cache) -> None:
    before = [document.id for document in animals.resolve("cat dog", 9).documents]
    after = [document.id for document in animals.resolve("cat dog", 3).documents]
    found = fates(animals, ("cat dog", 9), animals, ("cat dog", 3))
    assert {id_ for id_, fate in found.items() if fate == "left"} == set(before) - set(after)


def test_a_document_that_stands_elsewhere_has_moved(animals: Cache) -> None:
    found = fates(animals, ("cat", 9), animals, ("dog cat cat dog dog", 9))
    assert "moved" in found.values()


def test_another_cache_may_lack_the_document(animals: Cache, tmp_path: Path) -> None:
    """Documents are the same when their ids are."""
    other = cache_of(tmp_path / "other", a="cat", d="cat cat")
    comparison = compare(animals.explain("cat", 9), other.explain("cat", 9))
    by_id = {difference.id: difference for difference in comparison.differences}
    assert by_id["b"].fate == "left" and by_id["b"].after is None
    assert by_id["d"].fate == "entered" and by_id["d"].before is None
    assert comparison.to_dict()["entered"] == 1
    assert comparison.to_dict()["documents"][0].keys() == {"id", "fate", "before", "after"}


def test_the_wire_is_the_whole_text_of_the_answer(animals: Cache) -> None:
    """More than the budget counts: names, scores and the JSON around the contents."""
    result = animals.resolve("cat", 9)
    tokens = wire_tokens(result, animals.manifest.tokenizer)
    assert tokens == token_counter("bytes4")(result.to_json()) > result.tokens_used
