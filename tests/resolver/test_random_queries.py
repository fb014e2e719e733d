"""10,000 random queries and budgets: an independent scorer, two ways to rank, one way to fill a budget."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from math import floor
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig, Cache
from ctxcache.builder.compile import GivenText
from ctxcache.cache.store import Store
from ctxcache.resolver.columns import ColumnRanking
from ctxcache.resolver.plain import PlainRanking
from ctxcache.resolver.query import read_query
from ctxcache.resolver.selection import select
from ctxcache.text import Analyzer

if TYPE_CHECKING:
    from pathlib import Path


class Reference:
    """Scores in fractions, from the texts alone: what `docs/ranking.md` says, written down once more."""

    def __init__(self, texts: list[GivenText]) -> None:
        """Count words and terms of each document."""
        analyze = Analyzer("english-1").frequencies
        self.bodies = [analyze(text.content) for text in texts]
        self.titles = [analyze(text.title) for text in texts]
        self.documents = len(texts)
        self.body_average = Fraction(sum(body.words for body in self.bodies), len(texts))
        self.title_average = Fraction(sum(title.words for title in self.titles), len(texts))

    @cache  # noqa: B019 - one object for one test
    def impact(self, term: str, document: int) -> int:
        """What the term gives the document, in 1/256; 0 when it lacks it."""
        body, title = self.bodies[document], self.titles[document]
        if term not in body.terms and term not in title.terms:
            return 0
        b = floor(4096 * (Fraction(1, 4) + Fraction(3, 4) * body.words / self.body_average))
        t = floor(4096 * (Fraction(1, 2) + Fraction(1, 2) * title.words / self.title_average))
        frequency = floor(Fraction(body.terms.get(term, 0) << 24, b))
        frequency += floor(Fraction(3 * title.terms.get(term, 0) << 24, t))
        return max(
            1, floor(Fraction(self.rarity(term) * frequency, floor(4096 * Fraction(6, 5)) + frequency))
        )

    @cache  # noqa: B019 - as above
    def rarity(self, term: str) -> int:
        """256 · log2((2N + 2) / (2n + 1)), rounded down by search."""
        fields = zip(self.bodies, self.titles, strict=True)
        holding = sum(term in body.terms or term in title.terms for body, title in fields)
        odds, bits = Fraction(2 * self.documents + 2, 2 * holding + 1) ** 256, 0
        while 2 ** (bits + 1) <= odds:
            bits += 1
        return max(1, bits)

    def totals(self, query: str) -> dict[int, int]:
        """The total of each matching document."""
        weights = [
            pair for word in Analyzer("english-1").query(query) if not word.ignored for pair in word.terms
        ]
        sums = {d: sum(w * self.impact(term, d) for term, w in weights) for d in range(self.documents)}
        return {document: total for document, total in sums.items() if total}


def queries(count: int, words: list[str], seed: int) -> list[tuple[str, int]]:
    """Random queries with budgets, some of them 0, some too large to matter."""
    source = random.Random(seed)
    return [
        (" ".join(source.choices(words, k=source.randrange(6))), source.choice([0, 1, 5, 50, 500, 10**6]))
        for _ in range(count)
    ]


@pytest.fixture(scope="module")
def reference(texts: list[GivenText]) -> Reference:
    """The independent scorer over `texts`."""
    return Reference(texts)


@pytest.fixture(scope="module")
def words(texts: list[GivenText]) -> list[str]:
    """Words that occur, and one that does not."""
    return [*sorted({word for text in texts for word in text.content.split()}), "absent"]


def test_every_total_is_that_of_the_independent_scorer(
    random_cache: Cache, reference: Reference, words: list[str]
) -> None:
    """And the order is total: by total, then by id."""
    for query, budget in queries(10_000, words, seed=1):
        totals = reference.totals(query)
        order = sorted(totals, key=lambda document: (-totals[document], document))
        explained = random_cache.explain(query, budget)
        assert [(d, t) for d, t, _ in explained.order] == [(d, totals[d]) for d in order]


def test_both_ways_of_ranking_have_the_same_numbers(random_cache: Cache, words: list[str]) -> None:
    """A cold command and a warm server answer alike."""
    store = random_cache.store
    assert isinstance(store, Store)
    for query, budget in queries(3_000, words, seed=2):
        read = read_query(query, store.index, store.analyzer)
        plain, columns = PlainRanking(read, store.index), ColumnRanking(read, store.index)
        assert plain.matches == columns.matches
        assert plain.after(None) == columns.after(None)
        assert plain.top(7)[:7] == columns.top(7)[:7]
        assert select(plain, budget) == select(columns, budget)
        if len(plain.after(None)) > 3:
            third = plain.top(3)[2]
            assert plain.after(third, fitting=40) == columns.after(third, fitting=40)


def test_a_budget_is_filled_in_order_and_never_exceeded(random_cache: Cache, words: list[str]) -> None:
    """Counts add up (C9), scores lie between 0 and 1 and fall, terms and words are consistent (C10)."""
    for query, budget in queries(2_000, words, seed=3):
        result = random_cache.resolve(query, budget)
        explained = random_cache.explain(query, budget)
        scores = [document.score for document in result.documents]
        assert result.tokens_used == sum(d.tokens for d in result.documents) <= budget
        assert result.documents_selected + result.documents_excluded_by_budget == explained.matches
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        assert all(d.why.term_matches <= d.why.total_words for d in result.documents)
        assert all(d.why.term_matches > 0 or d.title for d in result.documents)


def test_a_document_that_did_not_fit_fits_from_the_budget_that_is_named(
    random_cache: Cache, words: list[str]
) -> None:
    """True at N and false at N - 1."""
    for query, budget in queries(60, words, seed=4):
        for entry in random_cache.explain(query, budget).entries(stop=6):
            assert entry.fits_from is not None
            assert entry.id in ids(random_cache, query, entry.fits_from)
            assert entry.id not in ids(random_cache, query, entry.fits_from - 1)


def test_the_parts_of_an_explanation_add_up_to_what_ranked(random_cache: Cache, words: list[str]) -> None:
    """At every level of the tree, and for documents that do not match as well."""
    for query, budget in queries(150, words, seed=5):
        explained = random_cache.explain(query, budget)
        for entry in explained.entries(stop=4):
            assert entry.reason.value == entry.total == sum(part.value for part in entry.reason.parts)
            for term in entry.reason.parts:
                weight, impact = term.parts
                assert term.value == weight.value * impact.value


def ids(cache: Cache, query: str, budget: int) -> list[str]:
    """The ids that a budget buys."""
    return [document.id for document in cache.resolve(query, budget).documents]


def test_both_ways_agree_where_thousands_of_totals_are_equal(tmp_path: Path) -> None:
    """Ties are cut by id, in lists, in columns and in sums of both."""
    source = random.Random(9)
    contents = ["common", "common rare", "common odd odd", "rare"]
    texts = [GivenText(f"{n:05}", "", source.choice(contents)) for n in range(4000)]
    texts += [GivenText(f"x{n}", "", f"single word{n} common") for n in range(40)]
    ctxcache.build(texts, tmp_path / "cache", config=BuildConfig(split="none", tokenizer="bytes4"))
    store = ctxcache.open_cache(tmp_path / "cache").store
    assert isinstance(store, Store)
    for query in ("common", "rare", "single", "common rare", "rare odd single", "word7 common", "odd odd"):
        read = read_query(query, store.index, store.analyzer)
        plain, columns = PlainRanking(read, store.index), ColumnRanking(read, store.index)
        for count in (1, 10, 64, 500, 3000):
            assert plain.top(count) == columns.top(count)
        for budget in (3, 100, 2000, 10**6):
            assert select(plain, budget) == select(columns, budget)
