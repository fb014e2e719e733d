"""What each word of a query gives a document, and how what stands for it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig, GivenText

if TYPE_CHECKING:
    from pathlib import Path

    from ctxcache.resolver.shares import Share

TEXTS = {
    "deploy/rollback.md": "# Roll back\n\nRoll back a deployment with the rollback command.\n",
    "oncall/pager.md": "# Pager\n\nWho answers the pager at night, and for which deployments.\n",
    "limits.md": "# Quotas\n\nThe quota of requests a minute.\n",
}


@pytest.fixture(scope="module", params=["auto", "none"])
def cache(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> ctxcache.Cache:
    """With sections and without; the author says what the documents call a limit."""
    folder: Path = tmp_path_factory.mktemp("shares")
    config = BuildConfig(tokenizer="bytes4", split=request.param, synonyms=(("limit", ("quota",)),))
    ctxcache.build(
        [GivenText(id_, "", text) for id_, text in TEXTS.items()], folder / "c", config=config, jobs=1
    )
    return ctxcache.open_cache(folder / "c")


def first(cache: ctxcache.Cache, query: str) -> dict[str, Share]:
    """The shares of the first document of an answer, by word."""
    return {share.label: share for share in cache.explain(query).entry(1).shares}


@pytest.mark.parametrize(
    "query", ["roll back a deployment", "deploymnt at night", "oncall", "limit", "quota also: minute"]
)
def test_the_shares_of_a_document_are_its_total(cache: ctxcache.Cache, query: str) -> None:
    """But for what a later section of a file gets less, which no word gives."""
    for entry in cache.explain(query).entries():
        less = sum(min(0, part.value) for part in entry.reason.parts)
        assert sum(share.value for share in entry.shares) + less == entry.total


def test_a_word_is_told_as_the_query_has_it(cache: ctxcache.Cache) -> None:
    share = first(cache, "Deployments")["deployments"]
    assert (share.note, share.unit, share.doc_freq, share.documents) == ("", "documents", 2, 3)


@pytest.mark.parametrize(
    ("query", "word", "note"),
    [
        ("deploymnt pager", "deploymnt", "read as deployment"),
        ("the pager", "the", "orders only"),
        ("oncall", "oncall", "in a name"),
        ("pager\nalso: night", "night", "an alternative"),
        ("limit", "quota", "a synonym of limit in this cache"),
    ],
)
def test_what_stands_for_a_word_is_told(cache: ctxcache.Cache, query: str, word: str, note: str) -> None:
    assert first(cache, query)[word].note == note


def test_a_word_of_a_name_alone_occurs_nowhere_in_the_text(cache: ctxcache.Cache) -> None:
    """Neither in the body nor in the title."""
    share = first(cache, "oncall")["oncall"]
    assert (share.body, share.title, share.doc_freq) == (0, 0, 1)
