"""What is measured of a system on a collection, and whether two systems differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ctxcache.resolver.evaluate import ndcg, recall
from ctxcache.text import Analyzer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .collection import Collection
    from .systems import System

BUDGETS = (500, 1000, 2000, 4000, 8000, 16000)
COMPLETE = 0.8
"""The share of an answer's stems that stand in what is selected of the judged documents."""
ROUNDS = 10_000


@dataclass(kw_only=True, slots=True)
class Figures:
    """One number a query, in the order of the collection's queries."""

    ndcg: list[float] = field(default_factory=list)
    recall: dict[int, list[float]] = field(default_factory=lambda: {budget: [] for budget in BUDGETS})
    """By budget: the share of the relevant documents of which something is selected."""
    complete: dict[int, list[float]] = field(default_factory=lambda: {budget: [] for budget in BUDGETS})
    """By budget: whether the answer stands in what is selected; only queries that have one."""


def measure(
    system: System, collection: Collection, ask: Callable[[str, str], str] = lambda _, text: text
) -> Figures:
    """Ask a system all queries of a collection; `ask` makes the query of an id and a text."""
    stems, figures = _Stems(), Figures()
    for id_, text in collection.queries.items():
        order = system.rank(ask(id_, text))
        judged = collection.judged[id_]
        documents = list(dict.fromkeys(system.passages[number].document for number in order))
        figures.ndcg.append(ndcg(documents, judged))
        for budget in BUDGETS:
            chosen = within(system, order, budget)
            found = {system.passages[number].document for number in chosen}
            figures.recall[budget].append(recall(found, judged))
            if answer := collection.answers.get(id_):
                texts = [system.passages[n].text for n in chosen if judged.get(system.passages[n].document)]
                figures.complete[budget].append(float(stems.covered(answer, texts)))
    return figures


def within(system: System, order: Sequence[int], budget: int) -> list[int]:
    """What a budget of tokens buys: in order, each passage that fits in what is left."""
    chosen, left = [], budget
    for number in order:
        tokens = system.passages[number].tokens
        if tokens <= left:
            chosen.append(number)
            left -= tokens
    return chosen


class _Stems:
    """The stems of texts, each read once."""

    def __init__(self) -> None:
        self._analyzer = Analyzer("english-2", native=True)
        self._read: dict[str, frozenset[str]] = {}

    def covered(self, answer: str, texts: list[str]) -> bool:
        """Whether the texts hold most stems of the answer."""
        wanted = self._of(answer)
        held = frozenset[str]().union(*map(self._of, texts))
        return len(wanted & held) >= COMPLETE * len(wanted)

    def _of(self, text: str) -> frozenset[str]:
        if text not in self._read:
            self._read[text] = frozenset(t for t in self._analyzer.frequencies(text).terms if t[0] != "=")
        return self._read[text]


def mean(values: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def p_value(ours: Sequence[float], others: Sequence[float]) -> float:
    """How probable a difference of means as large as this is if the systems were alike.

    A paired randomisation test: the signs of the differences are drawn, always alike. Source: Smucker, Allan
    and Carterette, *A comparison of statistical significance tests for information retrieval* (2007).
    """
    differences = np.array(ours) - np.array(others)
    if not len(differences):
        return 1.0
    signs = np.random.default_rng(1).choice((-1.0, 1.0), (ROUNDS, len(differences)))
    drawn = np.abs(signs @ differences)
    return float((np.count_nonzero(drawn >= abs(differences.sum()) - 1e-9) + 1) / (ROUNDS + 1))


def best_peer(figures: Mapping[str, Figures], own: tuple[str, ...]) -> str:
    """The system other than ours with the highest nDCG."""
    return max((name for name in figures if name not in own), key=lambda name: mean(figures[name].ndcg))
