"""How well a cache answers judged queries: nDCG@10, recall@100, MRR, and recall within a budget.

Judgements speak of whole files, so a section counts as its file, at the first place where
one of its sections stands.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from ..answers import Answer
from .measures import ndcg, recall, reciprocal_rank

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .cache import Cache
    from .judged import Qrels

DEPTH = 100  # files of a ranking that are looked at
MEASURES = ("ndcg@10", "recall@100", "mrr", "recall@budget")

Figures = dict[str, float]
"""A value from 0 to 1 for each of `MEASURES`."""


class Evaluation(Answer):
    """The figures of each judged query, and their means."""

    def __init__(self, budget: int, queries: dict[str, Figures], unknown: list[str]) -> None:
        """`unknown` documents were judged relevant and are not in the cache."""
        self.budget = budget
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
        }


def evaluate(cache: Cache, queries: Mapping[str, str], judged: Qrels, *, budget: int) -> Evaluation:
    """Ask each query that is judged. Raises `CacheInvalid`, `InvalidQuery`, `IoError`."""
    sources = [heading.source for heading in cache.summaries()]
    figures = {}
    for id_, text in queries.items():
        if id_ in judged:
            figures[id_] = _figures(cache, sources, text, judged[id_], budget)
    relevant = {id_ for gains in judged.values() for id_, gain in gains.items() if gain > 0}
    return Evaluation(budget, figures, sorted(relevant - set(sources), key=str.encode))


def _figures(cache: Cache, sources: list[str], text: str, judged: Mapping[str, int], budget: int) -> Figures:
    explained = cache.explain(text, budget)
    files = list(islice(dict.fromkeys(sources[number] for number, _, _ in explained.order), DEPTH))
    chosen = {sources[number] for number in explained.chosen}
    return {
        "ndcg@10": ndcg(files, judged),
        "recall@100": recall(files, judged),
        "mrr": reciprocal_rank(files, judged),
        "recall@budget": recall(chosen, judged),
    }


def _rounded(figures: Figures) -> Any:
    from ..jsontext import millionths

    return {name: millionths(round(value * 10**6)) for name, value in figures.items()}
