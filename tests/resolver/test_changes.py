"""Two caches side by side, and what the difference does to queries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.compile import GivenText
from ctxcache.resolver.compare import Changes, compare, compare_queries

if TYPE_CHECKING:
    from ctxcache import Cache

BEFORE = {
    "rollback.md": ("Roll back", "Roll back a deployment with the rollback command.\n"),
    "guide.md": ("Guide", "How a deployment goes.\n"),
    "old.md": ("Old", "A deployment of old.\n"),
    "same.md": ("Same", "Nothing changes here.\n"),
}
AFTER = {
    "rollback.md": ("Roll back", "Revert a release with the revert command.\n"),
    "guide.md": ("Guide", "How a deployment goes.\n"),
    "new.md": ("New", "Roll back a deployment the new way.\n"),
    "same.md": ("Same", "Nothing changes here.\n"),
}


@pytest.fixture(scope="module")
def caches(tmp_path_factory: pytest.TempPathFactory) -> tuple[Cache, Cache]:
    """The pages before and after."""
    root = tmp_path_factory.mktemp("changes")
    for name, pages in (("before", BEFORE), ("after", AFTER)):
        texts = [GivenText(id_, *texts) for id_, texts in pages.items()]
        ctxcache.build(texts, root / name, config=BuildConfig(tokenizer="bytes4"))
    return ctxcache.open_cache(root / "before"), ctxcache.open_cache(root / "after")


def test_documents_are_the_same_when_id_content_and_title_are(caches: tuple[Cache, Cache]) -> None:
    changes = Changes(*caches)
    assert (changes.added, changes.removed, changes.changed) == (["new.md"], ["old.md"], ["rollback.md"])
    assert changes.unchanged == 2


def test_what_changed_in_a_document_is_shown_as_a_diff(caches: tuple[Cache, Cache]) -> None:
    changes = Changes(*caches)
    assert changes.text_diff("rollback.md")[3:] == [
        "-Roll back a deployment with the rollback command.",
        "+Revert a release with the revert command.",
    ]
    assert changes.text_diff("new.md")[-1] == "+Roll back a deployment the new way."
    assert changes.text_diff("same.md") == []
    assert list(changes.to_dict(text=True)["diffs"]) == ["new.md", "old.md", "rollback.md"]


def test_each_move_has_the_term_that_explains_it(caches: tuple[Cache, Cache]) -> None:
    ((_, _, comparison),) = compare_queries(*caches, [("roll back a deployment", 1000)])
    causes = {each.id: (each.fate, each.cause) for each in comparison.differences}
    assert causes["new.md"] == ("entered", "not in the cache before")
    assert causes["old.md"] == ("left", "no longer in the cache")
    fate, cause = causes["rollback.md"]
    assert fate == "moved" or fate == "kept"
    word = re.fullmatch(r"(\w+) gives [\d,]+, before [\d,]+", cause)
    assert word and word[1] in {"roll", "back", "deployment"}
    assert comparison.to_dict(cause=True)["documents"][0]["cause"]


def test_the_budget_can_be_the_cause(caches: tuple[Cache, Cache]) -> None:
    """The same cache and query: what left had less left at its turn."""
    cache = caches[0]
    comparison = compare(cache.explain("deployment", 1000), cache.explain("deployment", 15))
    left = [each.cause for each in comparison.differences if each.fate == "left"]
    assert left and all("tokens left at its turn, before" in cause for cause in left)
