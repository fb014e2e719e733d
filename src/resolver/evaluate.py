"""How well a cache answers judged queries: nDCG@10, recall@100, MRR, and recall within a budget.

A judgement names documents as `names` says: a file, a section, a folder, a pattern. What it names
counts once, at the first place where one of its documents stands; so does a file that no judgement
names. Files are in BEIR layout: `queries.jsonl` has lines `{"_id": …, "text": …}`, judgements have lines
`query-id corpus-id score` between tabs under such a header. Gains are linear, discounts log2(rank + 1), as
trec_eval has them.

Sources: Thakur et al., *BEIR* (2021); Järvelin and Kekäläinen, *Cumulated gain-based evaluation of
IR techniques* (2002).
"""

from __future__ import annotations

import json
import re
from functools import cached_property, lru_cache
from itertools import islice
from math import log2
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import IoError, UsageError
from ..jsonio import JsonResult, millionths
from ..parallel import Work
from ..safeio import decode_text, read_lines
from .batches import CacheReference, answers
from .budget import USUAL_BUDGETS
from .names import DocumentNames

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

    from ..cache.documents import DocumentSummary
    from .cache import Cache
    from .explain import Explanation

_GAIN = re.compile("-?[0-9]{1,9}")

Qrels = dict[str, dict[str, int]]
"""Query id → document id → gain; 0 is judged not relevant."""


def read_queries(file: Path) -> dict[str, str]:
    """Query id → text. A file that is not `.jsonl` has a query a line, numbered from 1, `#` begins a comment.

    Raises `UsageError` naming file and line, `IoError`.
    """
    queries: dict[str, str] = {}
    for number, line in _lines(file):
        if file.suffix != ".jsonl":
            if not line.startswith("#"):
                queries[str(number)] = line
            continue
        fields = _object(line, f"{file}:{number}")
        id_, text = fields.get("_id"), fields.get("text")
        if not isinstance(id_, str) or not isinstance(text, str) or id_ in queries:
            raise UsageError(f'{file}:{number}: needs a new "_id" and a "text"')
        queries[id_] = text
    return queries


def read_qrels(file: Path) -> Qrels:
    """The judgements in a file. Raises `UsageError` naming file and line, `IoError`."""
    judgements: Qrels = {}
    for number, line in _lines(file):
        fields = line.split("\t")
        if number == 1 and fields[-1:] == ["score"]:
            continue
        query, document, gain = fields if len(fields) == 3 else ("", "", "")
        if not query or not document or not _GAIN.fullmatch(gain):
            raise UsageError(f"{file}:{number}: not `query-id, corpus-id, score` between tabs")
        judgements.setdefault(query, {})[document] = int(gain)
    return judgements


def _object(line: str, at: str) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise UsageError(f"{at}: not a JSON object")
    return fields


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines that hold something, with their numbers from 1."""
    try:
        for number, line in read_lines(file):
            yield number, decode_text(line)
    except ValueError as error:
        raise UsageError(f"{file}: {error}") from None
    except OSError as error:
        raise IoError(f"{file}: {error.strerror}") from None


def ndcg(ranking: Sequence[str], judgements: Mapping[str, int], depth: int = 10) -> float:
    """Normalised discounted cumulated gain of the first `depth` documents, from 0 to 1."""
    ideal = sorted((gain for gain in judgements.values() if gain > 0), reverse=True)[:depth]
    best = _discounted(ideal)
    return _discounted([max(0, judgements.get(id_, 0)) for id_ in ranking[:depth]]) / best if best else 0.0


def recall(retrieved: Collection[str], judgements: Mapping[str, int]) -> float:
    """The share of the relevant documents that were found."""
    relevant = {id_ for id_, gain in judgements.items() if gain > 0}
    return len(relevant.intersection(retrieved)) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], judgements: Mapping[str, int]) -> float:
    """One over the rank of the first relevant document; 0 when there is none."""
    for rank, id_ in enumerate(ranking, start=1):
        if judgements.get(id_, 0) > 0:
            return 1 / rank
    return 0.0


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


DEPTH = 100  # files of a ranking that are looked at
MEASURES = ("ndcg@10", "recall@100", "mrr", "recall@budget")

Figures = dict[str, float]
"""A value from 0 to 1 for each of `MEASURES`."""


class BudgetFigures(NamedTuple):
    """What answers of a budget hold, over all queries."""

    budget: int
    recall: float
    """The mean share of the relevant documents."""
    complete: float
    """The share of the queries all of whose relevant documents are in the answer."""


class Baseline(NamedTuple):
    """What an evaluation saved."""

    queries: dict[str, Figures]
    curve: list[BudgetFigures]
    """Empty in files of older versions."""


class Evaluation(JsonResult):
    """The figures of each judged query, and their means."""

    def __init__(
        self, budget: int, queries: dict[str, Figures], unknown: list[str], curve: list[BudgetFigures]
    ) -> None:
        """`unknown` documents were judged relevant and are not in the cache."""
        self.budget = budget
        self.curve = curve
        self.queries = queries
        self.unknown = unknown

    @property
    def means(self) -> Figures:
        """The mean of each measure over the queries; 0 without queries."""
        count = max(1, len(self.queries))
        return {name: sum(figures[name] for figures in self.queries.values()) / count for name in MEASURES}

    def to_dict(self) -> dict[str, Any]:
        """Budget, means, figures by query id, and documents that the cache lacks."""
        return {
            "budget": self.budget,
            "means": _rounded(self.means),
            "queries": {id_: _rounded(figures) for id_, figures in self.queries.items()},
            "unknown_documents": self.unknown,
            "curve": [
                {"budget": budget, **_rounded({"recall": recall, "complete": complete})}
                for budget, recall, complete in self.curve
            ],
        }


def evaluate(
    cache: Cache,
    queries: Mapping[str, str],
    judgements: Qrels,
    *,
    budget: int,
    jobs: int | None = 1,
    executor: Executor | None = None,
) -> Evaluation:
    """Ask each query that is judged, in so many processes (None: one a core) or on the workers of `executor`.

    Raises `CacheInvalid`, `InvalidQuery`, `IoError`.
    """
    evaluator = _Evaluator(CacheReference.of(cache), budget, cache)
    judged = {id_: (text, judgements[id_]) for id_, text in queries.items() if id_ in judgements}
    measured = list(
        answers(evaluator, [*judged.values()], documents=cache.document_count, jobs=jobs, executor=executor)
    )
    figures = {id_: of_query for id_, (of_query, _) in zip(judged, measured, strict=True)}
    relevant = {id_ for gains in judgements.values() for id_, gain in gains.items() if gain > 0}
    unknown = sorted((name for name in relevant if not evaluator.names.ids(name)), key=str.encode)
    return Evaluation(budget, figures, unknown, _curve([recalls for _, recalls in measured]))


class _Evaluator(Work["Sequence[tuple[str, Mapping[str, int]]]", "list[tuple[Figures, list[float]]]"]):
    """Asks a cache queries and measures the answers by the judgements; each process has one."""

    def __init__(self, reference: CacheReference, budget: int, cache: Cache | None = None) -> None:
        """The cache is opened when the first query is asked, unless it is handed in."""
        self._reference = reference
        self._budget = budget
        self._opened = cache

    def __reduce__(self) -> tuple[Callable[..., _Evaluator], tuple[CacheReference, int]]:
        return _evaluator_of_process, (self._reference, self._budget)

    def prepare(self) -> None:
        """Read the names, which processes share that are forked from this one."""
        assert self.names

    def __call__(self, queries: Sequence[tuple[str, Mapping[str, int]]]) -> list[tuple[Figures, list[float]]]:
        """The figures of each query, and its recall within each of the usual budgets."""
        return [self._measure(text, judgements) for text, judgements in queries]

    @cached_property
    def _cache(self) -> Cache:
        return self._opened or self._reference.open()

    @cached_property
    def _summaries(self) -> list[DocumentSummary]:
        return list(self._cache.summaries())

    @cached_property
    def names(self) -> DocumentNames:
        """What the documents are called."""
        return DocumentNames(self._summaries)

    @cached_property
    def _files(self) -> list[str]:
        return [summary.source for summary in self._summaries]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {summary.id: number for number, summary in enumerate(self._summaries)}

    def _measure(self, text: str, judgements: Mapping[str, int]) -> tuple[Figures, list[float]]:
        explanation = self._cache.explain(text, self._budget)
        units = self._units(judgements)
        selections = map(explanation.select, USUAL_BUDGETS)
        recalls = [recall({units[number] for number, _, _ in chosen}, judgements) for chosen in selections]
        return _figures(explanation, units, judgements), recalls

    def _units(self, judgements: Mapping[str, int]) -> list[str]:
        """What each document counts as: the judged name that means it and fewest others, else its file."""
        units = list(self._files)
        candidates = {text: self.names.ids(text) for text in judgements}
        for text, ids in sorted(candidates.items(), key=lambda named: -len(named[1])):
            for id_ in ids:
                units[self._numbers[id_]] = text
        return units


@lru_cache(maxsize=1)
def _evaluator_of_process(reference: CacheReference, budget: int) -> _Evaluator:
    """The one evaluator of a worker process, made when its first batch arrives."""
    return _Evaluator(reference, budget)


def _curve(recalls: list[list[float]]) -> list[BudgetFigures]:
    """What each of the usual budgets buys; `recalls` has a row a query, a column a budget."""
    return [
        BudgetFigures(
            budget,
            sum(row[number] for row in recalls) / max(1, len(recalls)),
            sum(row[number] == 1 for row in recalls) / max(1, len(recalls)),
        )
        for number, budget in enumerate(USUAL_BUDGETS)
    ]


def _figures(explanation: Explanation, units: list[str], judgements: Mapping[str, int]) -> Figures:
    ranking = list(islice(dict.fromkeys(units[number] for number, _, _ in explanation.order), DEPTH))
    chosen = {units[number] for number in explanation.chosen}
    return {
        "ndcg@10": ndcg(ranking, judgements),
        "recall@100": recall(ranking, judgements),
        "mrr": reciprocal_rank(ranking, judgements),
        "recall@budget": recall(chosen, judgements),
    }


def _rounded(figures: Figures) -> Any:
    return {name: millionths(round(value * 10**6)) for name, value in figures.items()}
