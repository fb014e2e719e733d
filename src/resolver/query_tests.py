"""Query tests: what the answer to a question must hold, and what it must not.

A test passes, fails, or cannot be run: when its cache cannot be opened or a document that it
expects is in no cache, that is an error, because a typing mistake must not look like success
or like a fault of the ranking.

What is expected and what is forbidden is named as `names` says: an id, a file, a heading, a folder,
a pattern.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from math import floor
from typing import TYPE_CHECKING, Any

from ..arguments import DEFAULT_BUDGET
from ..cache.store import Store
from ..errors import CtxError
from ..jsonio import JsonResult
from ..parallel import Work
from .batches import CacheReference, answers
from .cache import Cache
from .names import DocumentNames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Executor

    from .explain import Explanation, RankedDocument

PASSED, FAILED, ERROR = STATES = ("passed", "failed", "error")
_NAMED_BEFORE = 3  # documents named that stand before one that is missed
_MOST_WORDS = 5  # words named that a query may mean
_MOST_DOCUMENTS = 50  # documents of a pattern
_LETTERS = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True, kw_only=True, slots=True)
class QueryTest:
    """A question to a cache and what is expected of the answer."""

    cache: str
    """The name of the cache, as its owner looks it up."""
    query: str
    budget: int = DEFAULT_BUDGET
    expect: list[str]
    """Names (see `DocumentNames`); each must be met by a chosen document."""
    any: bool = False
    """One of `expect` is enough."""
    forbid: list[str]
    """Names that no chosen document may have."""
    at_most_rank: int | None = None
    """The last rank, from 1, at which an expected document may stand."""
    min_score: float | None = None
    """The least score of an expected document, from 0 to 1."""
    line: int = 0
    """Where it is written in its file, 1-based; 0 when it is in none."""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Outcome(JsonResult):
    """What came of one test."""

    test: QueryTest
    state: str
    """`passed`, `failed` or `error`."""
    problems: tuple[str, ...] = ()
    """One line each, for people: what was missed, where it stands, what it would need."""
    chosen: tuple[str, ...] = ()
    """The ids of the answer, in order."""

    def at(self, line: int) -> Outcome:
        """The same outcome, of the test in this line."""
        return replace(self, test=replace(self.test, line=line))

    def to_dict(self) -> dict[str, Any]:
        """The test, its state, and why."""
        return {
            "cache": self.test.cache,
            "query": self.test.query,
            "budget": self.test.budget,
            "line": self.test.line,
            "state": self.state,
            "problems": list(self.problems),
            "chosen": list(self.chosen),
        }


class Outcomes(JsonResult):
    """What came of several tests, in their order."""

    def __init__(self, outcomes: list[Outcome]) -> None:
        self.outcomes = outcomes

    def count(self, state: str) -> int:
        """How many ended so."""
        return sum(outcome.state == state for outcome in self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """`{"passed", "failed", "error", "tests"}`."""
        return {state: self.count(state) for state in STATES} | {
            "tests": [outcome.to_dict() for outcome in self.outcomes]
        }


def run_tests(
    tests: Iterable[QueryTest],
    open_named: Callable[[str], Cache],
    *,
    jobs: int | None = 1,
    executor: Executor | None = None,
) -> Outcomes:
    """Run each test, in so many processes (None: one a core) or on the workers of `executor`.

    `open_named` opens the cache of a name, or raises a `CtxError`.
    """
    tests = list(tests)
    caches: dict[str, Cache | str] = {}
    for name in dict.fromkeys(test.cache for test in tests):
        try:
            caches[name] = open_named(name)
        except CtxError as error:
            caches[name] = str(error)
    documents = max(
        (cache.document_count for cache in caches.values() if isinstance(cache, Cache)), default=0
    )
    return Outcomes([*answers(_Runner(caches), tests, documents=documents, jobs=jobs, executor=executor)])


_References = tuple[tuple[str, CacheReference | str], ...]
"""The name of each cache, and where it is or why there is none."""


class _Runner(Work["Sequence[QueryTest]", "list[Outcome]"]):
    """Runs tests; each process has one, and opens each cache once."""

    def __init__(self, caches: Mapping[str, Cache | CacheReference | str]) -> None:
        """The cache of each name, or why there is none."""
        self._caches = caches
        self._opened: dict[str, TestedCache] = {}

    def __reduce__(
        self,
    ) -> tuple[Callable[[_References], _Runner], tuple[_References]]:
        references = (
            (name, CacheReference.of(cache) if isinstance(cache, Cache) else cache)
            for name, cache in self._caches.items()
        )
        return _runner_of_process, (tuple(references),)

    def __call__(self, tests: Sequence[QueryTest]) -> list[Outcome]:
        """What comes of some tests."""
        return list(map(self._run, tests))

    def _run(self, test: QueryTest) -> Outcome:
        try:
            if test.cache not in self._opened:
                self._opened[test.cache] = TestedCache(self._open(test.cache))
            return self._opened[test.cache].run(test)
        except CtxError as error:
            return Outcome(test=test, state=ERROR, problems=(str(error),))

    def _open(self, name: str) -> Cache:
        cache = self._caches[name]
        if isinstance(cache, str):
            raise CtxError(cache)
        return cache.open() if isinstance(cache, CacheReference) else cache


@lru_cache(maxsize=1)
def _runner_of_process(caches: _References) -> _Runner:
    """The one runner of a worker process, made when its first batch arrives."""
    return _Runner(dict(caches))


class TestedCache:
    """A cache with the names of its documents at hand."""

    def __init__(self, cache: Cache) -> None:
        """Read the names. Raises `CacheInvalid`, `IoError`."""
        self._cache = cache
        self._summaries = list(cache.summaries())
        self._names = DocumentNames(self._summaries)

    def run(self, test: QueryTest) -> Outcome:
        """Resolve the query of a test, and compare the answer with what is expected.

        Raises `CacheInvalid`, `InvalidQuery`, `IoError`.
        """
        candidates = {text: self._names.ids(text) for text in test.expect}
        absent = [text for text, ids in candidates.items() if not ids]
        if absent:
            problems = tuple(map(self._absent, absent))
            return Outcome(test=test, state=ERROR, problems=problems)
        explanation = self._cache.explain(test.query, test.budget)
        chosen = {entry.id: entry for entry in map(explanation.entry, explanation.chosen_ranks)}
        unmet = _unmet_expectations(test, candidates, chosen, explanation)
        gap = self._vocabulary_gaps(candidates, explanation) if unmet else []
        problems = (*unmet, *gap, *self._forbidden(test, chosen))
        state = FAILED if problems else PASSED
        return Outcome(test=test, state=state, problems=problems, chosen=tuple(chosen))

    def _vocabulary_gaps(self, candidates: dict[str, list[str]], explanation: Explanation) -> list[str]:
        """A line for each pattern whose documents lack a word of the query: what they may call it."""
        lines = []
        for text, ids in candidates.items():
            entries = [explanation.document(id_) for id_ in ids[:_MOST_DOCUMENTS]]
            missing = [{word.text for word in entry.missing} for entry in entries]
            lacking = [
                word.text for word in entries[0].missing if all(word.text in words for words in missing)
            ]
            best = min(entries, key=lambda entry: (entry.rank or len(explanation) + 1, entry.id))
            rarest = self._rarest_words(best.id) if lacking else []
            if rarest:
                gap = f"no section of {text} holds {', '.join(lacking)}; the rarest words of {best.id} are "
                lines.append(f"{gap}{', '.join(rarest)}: one of them may be a synonym for ctx.toml")
        return lines

    def _rarest_words(self, id_: str) -> list[str]:
        """The words of a document that the fewest others hold, those that it holds most often first."""
        document, store = self._cache.document(id_), self._cache.store
        if document is None or not isinstance(store, Store):
            return []
        counts = Counter(_LETTERS.findall(document.content.lower()))
        ranked = []
        for word, count in counts.items():
            postings = store.index.find_once(store.analyzer.stem(word))
            if postings is not None:
                ranked.append((postings.doc_freq, -count, word))
        return [word for _, _, word in sorted(ranked)[:_MOST_WORDS]]

    def _absent(self, text: str) -> str:
        """That an expected document does not exist, and what may be meant."""
        sources = list(dict.fromkeys(summary.source for summary in self._summaries))
        name = text.rpartition("/")[2]
        namesakes = [source for source in sources if source.rpartition("/")[2] == name]
        near = (namesakes or get_close_matches(text, sources, n=1))[:1]
        hint = f"; did you mean {near[0]}?" if near else ""
        return f"expects {text}, but no document of the cache has this name{hint}"

    def _forbidden(self, test: QueryTest, chosen: dict[str, RankedDocument]) -> list[str]:
        """A line for each chosen document that is forbidden."""
        problems = []
        for text in test.forbid:
            candidates = set(self._names.ids(text))
            problems += [
                f"forbids {text}, but {id_} is chosen: rank {entry.rank}, score {entry.score:.3f}"
                for id_, entry in chosen.items()
                if id_ in candidates
            ]
        return problems


def _unmet_expectations(
    test: QueryTest,
    candidates: dict[str, list[str]],
    chosen: dict[str, RankedDocument],
    explanation: Explanation,
) -> list[str]:
    """A line for each expectation that is not met; none if one is met and one is enough."""
    problems = []
    for text, ids in candidates.items():
        problem = _unmet(test, text, ids, chosen, explanation)
        if problem:
            problems.append(problem)
        elif test.any:
            return []
    return problems


def _unmet(
    test: QueryTest, text: str, ids: list[str], chosen: dict[str, RankedDocument], explanation: Explanation
) -> str | None:
    """Why none of the documents that a pattern means is where it should be."""
    entries = [chosen[id_] for id_ in ids if id_ in chosen]
    if not entries:
        return f"expects {text}: {_standing(ids, explanation)}"
    best = min(entries, key=lambda entry: entry.rank or 0)
    if test.at_most_rank is not None and (best.rank or 0) > test.at_most_rank:
        ahead = _before_it(best, explanation)
        return f"expects {text} at rank {test.at_most_rank} or before: {best.id} is at {best.rank}{ahead}"
    if test.min_score is not None and best.score < test.min_score:
        score = f"{best.id} has {best.score:.3f}{_missing_words(best)}"
        return f"expects {text} with a score of {test.min_score} or more: {score}"
    return None


def _standing(ids: list[str], explanation: Explanation) -> str:
    """Where the best of some documents stands, what it would need, and what stands before it."""
    wanted = set(ids)
    best = next((entry for entry in explanation.entries() if entry.id in wanted), None)
    if best is None:
        return f"does not match{_missing_words(explanation.document(ids[0]))}"
    name = "" if [best.id] == ids else f"{best.id} is "
    standing = f"{name}not chosen, at rank {best.rank:,} of {len(explanation):,}"
    need = f"needs {best.tokens:,} tokens and {best.left:,} were left"
    remedy = f"chosen at a budget of {best.fits_from:,}"
    return f"{standing}: {need}; {remedy}{_missing_words(best)}{_before_it(best, explanation)}"


def _missing_words(entry: RankedDocument) -> str:
    words = ", ".join(word.text for word in entry.missing)
    return f"; lacks {words}" if words else ""


def _before_it(entry: RankedDocument, explanation: Explanation) -> str:
    """The documents that stand before one, the first few by name."""
    ahead = (entry.rank or 1) - 1
    if not ahead:
        return ""
    names = [before.id for before in explanation.entries(1, min(ahead, _NAMED_BEFORE) + 1)]
    more = f" and {ahead - len(names)} more" if ahead > len(names) else ""
    return f"; before it: {', '.join(names)}{more}"


def renewed_fields(test: QueryTest, cache: Cache) -> dict[str, Any]:
    """The fields of a test that must change for it to pass, with new values; None for a field that must go.

    An expectation that is not met gives way to the first chosen document that no other one
    means; a broken limit becomes what is reached, a broken prohibition is dropped. Empty when
    nothing is chosen, so that there is nothing to expect. Errors as in `Cache.explain`.
    """
    explanation = cache.explain(test.query, test.budget)
    chosen = [explanation.entry(rank) for rank in explanation.chosen_ranks]
    names = DocumentNames(cache.summaries())
    candidates = {
        text: [entry for entry in chosen if entry.id in set(names.ids(text))]
        for text in (*test.expect, *test.forbid)
    }
    fields = _expectations(test, candidates, chosen) if test.expect else {}
    if fields is None:
        return {}
    broken = [text for text in test.forbid if candidates[text]]
    if broken:
        fields["forbid"] = [text for text in test.forbid if text not in broken] or None
        if not test.expect and not fields["forbid"]:
            fields["expect"] = [chosen[0].id]
    return fields


def _expectations(
    test: QueryTest, candidates: dict[str, list[RankedDocument]], chosen: list[RankedDocument]
) -> dict[str, Any] | None:
    """What is expected, and within which limits, by the answer; None when there is none."""
    expected = {text: candidates[text][0] for text in test.expect if candidates[text]}
    if not (test.any and expected):
        spare = (entry for entry in chosen if entry not in expected.values())
        missed = test.expect[:1] if test.any else [text for text in test.expect if text not in expected]
        expected |= {entry.id: entry for _, entry in zip(missed, spare, strict=False)}
    if not expected:
        return None
    met = all(text in expected for text in test.expect) or (test.any and expected.keys() <= set(test.expect))
    fields: dict[str, Any] = {} if met else {"expect": list(expected)}
    entries = list(expected.values())
    rank = (min if test.any else max)(entry.rank or 1 for entry in entries)
    score = (max if test.any else min)(entry.score for entry in entries)
    if test.at_most_rank is not None and rank > test.at_most_rank:
        fields["at_most_rank"] = rank
    if test.min_score is not None and score < test.min_score:
        fields["min_score"] = floor(score * 1000) / 1000
    return fields
