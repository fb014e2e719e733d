"""How good a ranking is, against judgements of relevance.

Gains are linear, discounts log2(rank + 1), as trec_eval has them. Source: Järvelin and
Kekäläinen, *Cumulated gain-based evaluation of IR techniques* (2002).
"""

from __future__ import annotations

from math import log2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


def ndcg(ranking: Sequence[str], judged: Mapping[str, int], depth: int = 10) -> float:
    """Normalised discounted cumulated gain of the first `depth` documents, from 0 to 1."""
    ideal = sorted((gain for gain in judged.values() if gain > 0), reverse=True)[:depth]
    best = _discounted(ideal)
    return _discounted([max(0, judged.get(id_, 0)) for id_ in ranking[:depth]]) / best if best else 0.0


def recall(found: Collection[str], judged: Mapping[str, int]) -> float:
    """The share of the relevant documents that were found."""
    relevant = {id_ for id_, gain in judged.items() if gain > 0}
    return len(relevant.intersection(found)) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], judged: Mapping[str, int]) -> float:
    """One over the rank of the first relevant document; 0 when there is none."""
    for rank, id_ in enumerate(ranking, start=1):
        if judged.get(id_, 0) > 0:
            return 1 / rank
    return 0.0


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))
