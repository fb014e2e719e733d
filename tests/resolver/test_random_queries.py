"""10,000 random queries and budgets: an independent scorer, two ways to rank, one way to fill a budget."""

from __future__ import annotations

import random
import re
from collections import Counter
from fractions import Fraction
from functools import cache, reduce
from itertools import groupby
from math import floor
from operator import and_
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np
import pytest

import ctxcache
from ctxcache import BuildConfig, Cache
from ctxcache.builder.compile import GivenText
from ctxcache.cache.index import Index
from ctxcache.cache.numpy_index import Arrays
from ctxcache.cache.store import Store
from ctxcache.resolver import numpy_accumulator
from ctxcache.resolver.budget import select
from ctxcache.resolver.numpy_accumulator import NumpyAccumulator
from ctxcache.resolver.query import read_query
from ctxcache.resolver.rank import PythonAccumulator
from ctxcache.text import Analyzer
from ctxcache.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from ctxcache.cache.documents import Document
    from ctxcache.text import QueryWord

    StandIns = list[tuple[str, Fraction, bool]]
    """Terms, what share of their impact counts, and whether a word is read as that one."""


class Field:
    """Impacts over some units, documents or files, in fractions."""

    def __init__(
        self, bodies: list[Counter[str]], words: list[int], titles: list[Counter[str]], title_words: list[int]
    ) -> None:
        """Occurrences and words of each unit, in body and title."""
        self.bodies, self.words, self.titles, self.title_words = bodies, words, titles, title_words
        self.count = len(bodies)
        self.body_average = Fraction(sum(words), self.count)
        self.title_average = Fraction(sum(title_words), self.count)

    @cache  # noqa: B019 - one object for one test
    def impact(self, term: str, unit: int) -> int:
        """What the term gives the unit, in 1/256; 0 when it lacks it."""
        body, title = self.bodies[unit][term], self.titles[unit][term]
        if not body and not title:
            return 0
        relative = self.words[unit] / self.body_average if self.body_average else Fraction(1)
        title_relative = self.title_words[unit] / self.title_average if self.title_average else Fraction(1)
        frequency = floor(Fraction(body << 24, floor(4096 * (5 + 11 * relative) / 16)))
        frequency += floor(Fraction(3 * title << 24, floor(4096 * (1 + title_relative) / 2)))
        return max(1, floor(Fraction(self.idf(term) * frequency, floor(4096 * Fraction(6, 5)) + frequency)))

    @cache  # noqa: B019 - as above
    def doc_freq(self, term: str) -> int:
        """How many units hold the term."""
        return sum(
            bool(body[term] or title[term]) for body, title in zip(self.bodies, self.titles, strict=True)
        )

    @cache  # noqa: B019 - as above
    def idf(self, term: str) -> int:
        """256 · log2((2N + 2) / (2n + 1)), rounded down by search."""
        odds, bits = Fraction(2 * self.count + 2, 2 * self.doc_freq(term) + 1) ** 256, 0
        while 2 ** (bits + 1) <= odds:
            bits += 1
        return max(1, bits)


class Reference:
    """Totals in fractions, from the texts alone: what `docs/ranking.md` says, written down once more."""

    def __init__(self, documents: list[Document]) -> None:
        """Count words and terms of each document, and of each file."""
        self.analyzer = Analyzer("english-2")
        bodies = [self.analyzer.frequencies(document.content) for document in documents]
        titles = [self.analyzer.frequencies(document.title) for document in documents]
        counters = [Counter(b.terms) for b in bodies], [Counter(t.terms) for t in titles]
        words, title_words = [b.words for b in bodies], [t.words for t in titles]
        self.sections = Field(counters[0], words, counters[1], title_words)
        self.names = [self.name_terms(document.source) for document in documents]
        self.headings = [
            [self.said(heading) for _, heading in document.headings]
            + [self.said(document.title)] * (document.id == document.source)
            for document in documents
        ]
        self.vocabulary = sorted({term for counter in (*counters[0], *counters[1]) for term in counter})
        groups = [list(group) for _, group in groupby(range(len(documents)), lambda n: documents[n].source)]
        self.file_of = [number for number, group in enumerate(groups) for _ in group]
        self.files = (
            None
            if len(groups) == len(documents)
            else Field(
                [
                    Counter({t: sum(counters[0][n][t] for n in group) for n in group for t in counters[0][n]})
                    for group in groups
                ],
                [sum(words[n] for n in group) for group in groups],
                [reduce(and_, [counters[1][n] for n in group]) for group in groups],
                [min(title_words[n] for n in group) for group in groups],
            )
        )

    def said(self, text: str) -> list[str]:
        """What a heading, or a query that repeats it, says: its words without those that only order."""
        words = [word for word in self.analyzer.query(text) if not word.light]
        return [term for word in words for term, weight in word.terms if weight != 12]

    def name_terms(self, source: str) -> set[str]:
        """The terms of the words in the names of a file and its folders, without its extension."""
        plain = re.sub(r"(?<=.)[.][A-Za-z][A-Za-z0-9]{0,7}$", "", source)
        return {term for term in self.analyzer.frequencies(plain.replace("/", " ")).terms if term[0] != "="}

    @cache  # noqa: B019 - one object for one test
    def name_impact(self, term: str) -> int:
        """What a word gives each document in whose names it stands."""
        held = Field([Counter({term: int(term in names)}) for names in self.names], [1] * len(self.names),
                     [Counter()] * len(self.names), [1] * len(self.names))  # fmt: skip
        return max(1, floor(Fraction(held.idf(term) * 4096, floor(4096 * Fraction(6, 5)) + 4096)))

    def named(self, n: int, weights: Counter[str]) -> int:
        """What the names of a document's file and folders give it."""
        return sum(
            (4 if self.files else 9) * weight * self.name_impact(term)
            for term, weight in weights.items()
            if term in self.names[n]
        )

    def totals(self, query: str) -> dict[int, int]:
        """The total of each matching document."""
        own, _, other = query.partition("; also:")
        return self._totals(self.analyzer.query(own), other, self.said(own))

    def _totals(self, words: list[QueryWord], other: str, heading: list[str]) -> dict[int, int]:
        strong: Counter[str] = Counter()
        light: Counter[str] = Counter()
        exact: Counter[str] = Counter()
        bases: dict[str, str | None] = {}
        for word in words:
            for term, weight in word.terms:
                (light if weight == 1 else strong)[term] += weight
                bases.setdefault(term, word.base if term == word.terms[0][0] else None)
            for term, weight in word.exact:
                joined = len(re.findall(r"\w+", term))
                assert weight in (16 * joined, 40 * joined), "more only where the query is nothing else"
                exact[term] += weight * (2 if joined > 1 and not self.files else 1)
        if len(words) <= 2:
            light = Counter({term: 16 if bases[term] in STOP_WORDS else light[term] for term in light})
        clauses = [
            (term, weight, self.stand_ins(term, bases[term], strong)) for term, weight in strong.items()
        ]
        clauses = [clause for clause in clauses if self.sections.doc_freq(clause[0]) or clause[2]]
        if other and not clauses and not any(names.intersection(strong) for names in self.names):
            return self._totals([word for word in self.analyzer.query(other) if not word.light], "", [])
        undecayed = {}
        title = self.title(words, strong)
        added = self.alternatives(other, clauses)
        for n in range(self.sections.count):
            found = 32 * sum(self.clause(n, *clause) for clause in clauses) + added(n) + self.named(n, strong)
            if found:
                found += 32 * sum(weight * self.sections.impact(term, n) for term, weight in light.items())
                exact_score = sum(weight * self.sections.impact(t, n) for t, weight in exact.items())
                found += (12 if self.files else 4) * exact_score
                if all(self.sections.titles[n][term] for term in title):
                    found += 16 * sum(strong[term] * self.sections.idf(term) for term in title)
                if heading and heading in self.headings[n]:
                    found += 32 * sum(
                        strong[t] * self.sections.idf(t) for t in strong if self.sections.doc_freq(t)
                    )
                undecayed[n] = found + 20 * self.file_score(n, clauses)
        return self.decayed(undecayed)

    def title(self, words: list[QueryWord], strong: Counter[str]) -> set[str]:
        """What a title may hold all of: one or two words that the cache knows, no names."""
        asked = [word for word in words if not word.light and self.is_known(word, strong)]
        plain = all(sum(weight >= 16 for _, weight in word.terms) == 1 for word in asked)
        plain &= not any(re.search(r"\w\W+\w", exact) for word in asked for exact, _ in word.exact)
        terms = {word.terms[0][0] for word in asked} if plain else set()
        return terms if len(terms) <= 2 and all(self.sections.doc_freq(term) for term in terms) else set()

    def is_known(self, word: QueryWord, strong: Counter[str]) -> bool:
        """Whether a word, or what stands in for it, is in some document, or in a name."""
        terms = word.terms or word.exact
        held = any(self.sections.doc_freq(t) or any(t in names for names in self.names) for t, _ in terms)
        return held or bool(word.terms and self.stand_ins(word.terms[0][0], word.base, strong))

    def alternatives(self, other: str, clauses: list[tuple[str, int, StandIns]]) -> Callable[[int], int]:
        """What other words give a document, all of them together at most half of the query's own."""
        known: dict[str, int] = {}
        for word in self.analyzer.query(other):
            for term, weight in word.terms:
                if (
                    not word.light
                    and weight > 1
                    and self.sections.doc_freq(term)
                    and term not in dict(c[:2] for c in clauses)
                ):
                    known[term] = max(weight, known.get(term, 0))
        e = sum(weight * self.sections.idf(term) for term, weight in known.items())
        most = sum(
            weight * self.sections.idf(term)
            if self.sections.doc_freq(term)
            else max(
                [Fraction(weight) * share * self.sections.idf(b) for b, share, kind in others if kind]
                + [weight * self.sections.idf(b) for b, _, kind in others if not kind]
            )
            for term, weight, others in clauses
        )
        return lambda n: sum(
            max(1, floor(Fraction(32 * weight * self.sections.impact(term, n) * min(e, most), 2 * e)))
            for term, weight in known.items()
            if self.sections.impact(term, n)
        )

    def clause(self, n: int, term: str, weight: int, others: StandIns) -> int:
        """The most that a term or what stands in for it gives a document."""
        values = [weight * self.sections.impact(term, n)]
        for other, share, repair in others:
            impact = self.sections.impact(other, n)
            if impact and repair:
                values.append(int(weight * share) * impact)
            elif impact:
                values.append(weight * max(1, floor(impact * share)))
        return max(values)

    def stand_ins(self, term: str, base: str | None, terms: Collection[str]) -> StandIns:
        """Relatives of a term, and what an unknown word is read as."""
        found: list[tuple[str, Fraction, bool]] = []
        known = self.sections.doc_freq(term)
        if re.fullmatch("[a-z\x80-\U0010ffff]{4,}", term) and len(terms) <= 20:
            near = []
            for other in self.vocabulary:
                if other not in terms and other != term and re.fullmatch("[a-z\x80-\U0010ffff]{4,}", other):
                    p = max(common(term, other), common(term[::-1], other[::-1]))
                    ratio = Fraction(2 * p, len(term) + len(other))
                    if p >= 4 and ratio >= Fraction(7, 10):
                        near.append((-ratio, -self.sections.doc_freq(other), other))
            for ratio, _, other in sorted(near)[:10]:
                idf = self.sections.idf(other)
                bounded = min(idf, self.sections.idf(term)) if known else idf
                found.append((other, Fraction(bounded, idf) * -ratio * Fraction(3, 4), False))
        named = any(term in names for names in self.names)
        if not known and not named and base and len(base) >= 5 and base.isalpha():
            repairs = {self.analyzer.stem(edit) for edit in edits(base)}
            repairs &= set(self.vocabulary)
            if repairs:
                best = min(repairs, key=lambda r: (-self.sections.doc_freq(r), r))
                found = [one for one in found if one[0] != best] + [(best, Fraction(1, 2), True)]
        return found

    def file_score(self, n: int, clauses: list[tuple[str, int, StandIns]]) -> int:
        """What the file of a document gives it."""
        if self.files is None:
            return 0
        total = 0
        for term, weight, others in clauses:
            if self.sections.doc_freq(term):
                total += weight * self.files.impact(term, self.file_of[n])
            total += sum(
                weight // 2 * self.files.impact(o, self.file_of[n]) for o, _, repair in others if repair
            )
        return total

    def decayed(self, totals: dict[int, int]) -> dict[int, int]:
        """The totals, 1/32 less for each document of its file that comes before."""
        before: Counter[int] = Counter()
        found = {}
        for n in sorted(totals, key=lambda n: (-totals[n], n)):
            found[n] = max(1, totals[n] * max(1, 32 - before[self.file_of[n]]) // 32)
            before[self.file_of[n]] += 1
        return found


def common(one: str, other: str) -> int:
    """The length of the longest common beginning."""
    return max(n for n in range(min(len(one), len(other)) + 1) if one[:n] == other[:n])


def edits(word: str) -> Iterator[str]:
    """All that one edit of a word in ASCII makes of it."""
    for at in range(len(word) + 1):
        for letter in ascii_lowercase:
            yield word[:at] + letter + word[at:]
            yield word[:at] + letter + word[at + 1 :]
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at : at + 2][::-1] + word[at + 2 :]


def queries(count: int, words: list[str], seed: int) -> list[tuple[str, int]]:
    """Random queries with budgets, some of them 0, some too large to matter."""
    source = random.Random(seed)
    return [
        (" ".join(source.choices(words, k=source.randrange(6))), source.choice([0, 1, 5, 50, 500, 10**6]))
        for _ in range(count)
    ]


@pytest.fixture(scope="module")
def reference(random_cache: Cache) -> Reference:
    """The independent scorer over the documents of the cache."""
    return Reference([*random_cache.documents()])


@pytest.fixture(scope="module")
def words(texts: list[GivenText]) -> list[str]:
    """Words that occur, some nearly, and some that do not; titles as a whole."""
    known = sorted({word for text in texts for word in text.content.split()})
    return [
        *known,
        *(text.title for text in texts),
        *("absent", "rolback", "deploymnet", "ranked", "servicing", "indexed", "please", "; also: queue"),
    ]


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
        plain = PythonAccumulator(read, store.index)
        first = {number: store.document(number) for number, _, _ in plain.top(5)}
        matches = read.matches(store.index, first)
        columns = NumpyAccumulator(read, store.index)
        assert read.matches(store.index, first) == matches
        assert plain.matches == columns.matches
        assert plain.top(plain.matches) == columns.top(columns.matches)
        assert plain.top(7)[:7] == columns.top(7)[:7]
        assert select(plain, budget) == select(columns, budget)
        if plain.matches > 3:
            third = plain.top(3)[2]
            for count in (1, 5, 1000):
                assert plain.next_fitting(third, 40, count) == columns.next_fitting(third, 40, count)


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
    assert isinstance(random_cache.store, Store)
    files = random_cache.store.index.files
    for query, budget in queries(150, words, seed=5):
        explained = random_cache.explain(query, budget)
        for entry in explained.entries(stop=4):
            assert entry.reason.value == entry.total == sum(part.value for part in entry.reason.parts)
            for part in entry.reason.parts:
                assert part.value == sum(term.value for term in part.parts) or part.value < 0
                factor = {
                    "its text": 32,
                    "its file": 20,
                    "exact forms": 12 if files else 4,
                    "its title holds all words of the query": 16,
                    "one of its headings is the query": 32,
                    "names of its file and folders": 4 if files else 9,
                }.get(part.reason.partition(":")[0], 1)
                for term in part.parts if "alternatives" not in part.reason and part.value > 0 else ():
                    weight, impact = term.parts
                    whole = factor * weight.value * impact.value
                    assert term.value == whole or (" / " in term.reason and 0 < term.value <= whole)


def ids(cache: Cache, query: str, budget: int) -> list[str]:
    """The ids that a budget buys."""
    return [document.id for document in cache.resolve(query, budget).documents]


@pytest.mark.parametrize("piece", [17, numpy_accumulator.PIECE])
def test_both_ways_agree_where_thousands_of_totals_are_equal(
    tmp_path: Path, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ties are cut by id, in lists, in columns and in sums of both, in whatever pieces they are added up."""
    monkeypatch.setattr(numpy_accumulator, "PIECE", piece)
    source = random.Random(9)
    contents = ["common", "common rare", "common odd odd", "rare"]
    texts = [GivenText(f"{n:05}", "", source.choice(contents)) for n in range(4000)]
    texts += [GivenText(f"x{n}", "", f"single word{n} common") for n in range(40)]
    ctxcache.build(texts, tmp_path / "cache", config=BuildConfig(split="none", tokenizer="bytes4"))
    store = ctxcache.open_cache(tmp_path / "cache").store
    assert isinstance(store, Store)
    for query in ("common", "rare", "single", "common rare", "rare odd single", "word7 common", "odd odd"):
        read = read_query(query, store.index, store.analyzer)
        plain, columns = PythonAccumulator(read, store.index), NumpyAccumulator(read, store.index)
        for count in (1, 10, 64, 500, 3000):
            assert plain.top(count) == columns.top(count)
        for budget in (3, 100, 2000, 10**6):
            assert select(plain, budget) == select(columns, budget)


def test_both_ways_agree_on_totals_of_more_than_32_bits(tmp_path: Path) -> None:
    """A query may repeat a word thousands of times."""
    texts = [GivenText(f"{n:04}", "", f"hay{n} " + "qi " * max(0, n - 1995)) for n in range(2000)]
    ctxcache.build(texts, tmp_path / "cache", config=BuildConfig(split="none", tokenizer="bytes4"))
    store = ctxcache.open_cache(tmp_path / "cache").store
    assert isinstance(store, Store)
    read = read_query("qi " * 33_333, store.index, store.analyzer)
    plain, columns = PythonAccumulator(read, store.index), NumpyAccumulator(read, store.index)
    assert plain.top(1)[0][1] > 1 << 32
    assert plain.top(plain.matches) == columns.top(columns.matches)


@pytest.mark.parametrize("documents", [60, 3])
def test_both_ways_find_titles_where_occurrences_are_many(tmp_path: Path, documents: int) -> None:
    """Occurrences that need a table of their own, in columns and in lists."""
    titles = ["qi", "qi zu qi zu qi zu", "", "zu"] * 15
    words = "qi zu " * 40
    texts = [
        GivenText(f"{n:02}", titles[n], f"hay{n} {words if n % 3 else 'qi zu'}") for n in range(documents)
    ]
    texts += [GivenText(f"{n:02}", "", "hay") for n in range(documents, 60)]
    ctxcache.build(texts, tmp_path / "cache", config=BuildConfig(split="none", tokenizer="bytes4"))
    store = ctxcache.open_cache(tmp_path / "cache").store
    assert isinstance(store, Store)
    titled = []
    for query in ("qi", "zu", "zu qi"):
        read = read_query(query, store.index, store.analyzer)
        plain, columns = PythonAccumulator(read, store.index), NumpyAccumulator(read, store.index)
        assert plain.top(plain.matches) == columns.top(columns.matches)
        titled.append(len(set.intersection(*(set(store.index.titled(term.postings)) for term in read.title))))
    assert titled == ([2, 1, 1] if documents == 3 else [30, 30, 15])


def test_a_title_that_contradicts_the_postings_adds_no_document(
    made: Callable[..., Cache], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ways, in an index that is damaged or made by hand."""
    store = made({"a.md": "qi", "b.md": "hay", "c.md": "hay"}).store
    assert isinstance(store, Store)
    read = read_query("qi", store.index, store.analyzer)
    monkeypatch.setattr(Index, "titled", lambda index, _: iter(range(index.documents)))
    monkeypatch.setattr(Arrays, "titled", lambda *_: np.arange(3))
    plain, columns = PythonAccumulator(read, store.index), NumpyAccumulator(read, store.index)
    assert [document for document, _, _ in plain.top(plain.matches)] == [0]
    assert plain.top(plain.matches) == columns.top(columns.matches)
