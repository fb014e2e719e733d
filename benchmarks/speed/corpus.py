"""Seeded synthetic documents whose words follow Zipf's law, and queries drawn from them."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from ctxcache.builder.compile import GivenText

VOCABULARY = 200_000
LENGTHS = (1, 3, 8)
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprtvz" for vowel in "aiou"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Corpus:
    """Texts, and queries by their number of words."""

    texts: list[str]
    queries: dict[int, list[str]]


def word(rank: int) -> str:
    """A word for a rank: three syllables or more, so that no stemmer or stop list changes it."""
    syllables = []
    rank += len(_SYLLABLES) ** 2
    while rank:
        rank, syllable = divmod(rank, len(_SYLLABLES))
        syllables.append(_SYLLABLES[syllable])
    return "".join(syllables) + "k"


def synthetic(documents: int, *, words: int = 60, queries: int = 200, seed: int = 1) -> Corpus:
    """`documents` texts of `words` words on average, and so many queries of each length."""
    source = np.random.default_rng(seed)
    weights = 1 / np.arange(1, VOCABULARY + 1)
    bounds = np.cumsum(weights / weights.sum())
    lengths = source.poisson(words, documents) + 1
    ranks = np.minimum(np.searchsorted(bounds, source.random(int(lengths.sum()))), VOCABULARY - 1)
    names = np.array([word(rank) for rank in range(VOCABULARY)], dtype=object)
    texts = [" ".join(part) for part in np.split(names[ranks], np.cumsum(lengths)[:-1])]
    return Corpus(
        texts=texts, queries={length: _queries(names[ranks], length, queries, seed) for length in LENGTHS}
    )


def _queries(words: np.typing.NDArray[np.object_], length: int, count: int, seed: int) -> list[str]:
    """Queries of different words, each as likely as it is frequent in the texts."""
    source = random.Random(seed * 1000 + length)
    queries: list[str] = []
    while len(queries) < count:
        chosen = {words[source.randrange(len(words))] for _ in range(length)}
        if len(chosen) == length:
            queries.append(" ".join(sorted(chosen)))
    return queries


def given(corpus: Corpus) -> list[GivenText]:
    """The texts as a build takes them."""
    return [GivenText(f"{number:08}", "", text) for number, text in enumerate(corpus.texts)]
