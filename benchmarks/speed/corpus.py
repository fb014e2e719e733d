"""Distinct documents of any number, made from a folder of texts or from nothing, and queries about them.

From a folder, a document is put together of passages drawn from all its texts, so that words follow each
other as they do there; of every two occurrences of a rare word one gets an ending of its own, so that the
vocabulary grows with the documents as that of real texts does. Without a folder, words of made-up syllables
follow Zipf's law. Both are seeded: the same arguments give the same documents.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from ctxcache.builder.compile import GivenText
from ctxcache.builder.sources.decode import SourceText, read_text
from ctxcache.builder.sources.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    Array = np.typing.NDArray[Any]

VOCABULARY = 200_000
WORDS = 60
"""Of a document, on average."""
PASSAGE = 8
"""Words that are taken together from a text, on average."""
RARE = 3
"""Up to so many occurrences in the folder."""
LONGEST = 40
"""Characters of a word that is taken from a text."""
LENGTHS = ("1", "3", "8", "15", "question")
"""Queries by their number of words, of mixed rarity; and questions of 10 to 20 words, as people ask them."""
OPENINGS = (
    "how do I", "what is the best way to", "why does", "when should we", "can you explain how",
    "where is it said that", "what happens if", "which setting of",
)  # fmt: skip
SAMPLE = 20_000
"""Texts that queries are drawn from."""
_PLAIN = re.compile(r"[^\W\d_]{3,}")
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprtvz" for vowel in "aiou"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Corpus:
    """Texts, and queries by kind."""

    texts: list[str]
    queries: dict[str, list[str]]


def word(rank: int) -> str:
    """A word for a rank: three syllables or more, so that no stemmer or stop list changes it."""
    syllables = []
    rank += len(_SYLLABLES) ** 2
    while rank:
        rank, syllable = divmod(rank, len(_SYLLABLES))
        syllables.append(_SYLLABLES[syllable])
    return "".join(syllables) + "k"


def distinct(
    documents: int, folder: Path | None = None, *, words: int = WORDS, queries: int = 200, seed: int = 1
) -> Corpus:
    """`documents` texts of `words` words on average, none like another, and so many queries of each kind."""
    source = np.random.default_rng(seed)
    lengths = source.poisson(words, documents) + 1
    total = int(lengths.sum())
    running = _recombined(_words(folder), total, source) if folder else _made_up(total, source)
    texts = [" ".join(part) for part in np.split(running, np.cumsum(lengths)[:-1])]
    return Corpus(texts=texts, queries=_queries(texts, queries, random.Random(seed)))


def _made_up(total: int, source: np.random.Generator) -> Array:
    """So many made-up words, one after the other."""
    weights = 1 / np.arange(1, VOCABULARY + 1)
    bounds = np.cumsum(weights / weights.sum())
    ranks = np.minimum(np.searchsorted(bounds, source.random(total)), VOCABULARY - 1)
    names = np.array([word(rank) for rank in range(VOCABULARY)], dtype=object)
    made: Array = names[ranks]
    return made


def _words(folder: Path) -> Iterator[str]:
    """All words of the texts of a folder, in order."""
    for file in walk(folder).files:
        text = read_text(file)
        if isinstance(text, SourceText):
            yield from (found for found in text.text.split() if len(found) <= LONGEST)


def _recombined(words: Iterable[str], total: int, source: np.random.Generator) -> Array:
    """So many words: passages from everywhere, rare words with endings of their own."""
    known: defaultdict[str, int] = defaultdict(count().__next__)
    numbers = np.fromiter(map(known.__getitem__, words), np.uint32)
    names, counts = np.array([*known], object), np.bincount(numbers)
    sizes = source.poisson(PASSAGE, 2 * total // PASSAGE + 1) + 1
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), total)) + 1]
    starts = source.integers(0, max(1, len(numbers) - int(sizes.max())), len(sizes))
    offsets = starts - (np.cumsum(sizes) - sizes)
    drawn = numbers[np.arange(total) + np.repeat(offsets, sizes)[:total]]
    made: Array = names[drawn]
    rare = np.flatnonzero((counts[drawn] <= RARE) & (source.random(total) < 0.5))
    endings = [word(rank) for rank in range(VOCABULARY)]
    made[rare] += np.array(endings, object)[source.integers(0, VOCABULARY, len(rare))]
    return made


def _queries(texts: list[str], number: int, source: random.Random) -> dict[str, list[str]]:
    """So many queries of each kind."""
    sample = [_PLAIN.findall(text.lower()) for text in source.sample(texts, min(len(texts), SAMPLE))]
    ranked = [found for found, _ in Counter(found for words in sample for found in words).most_common()]
    makers = {name: partial(_mixed, ranked, int(name), source) for name in LENGTHS if name.isdigit()}
    queries = {name: [make() for _ in range(number)] for name, make in makers.items()}
    return queries | {"question": [_question(sample, source) for _ in range(number)]}


def _mixed(ranked: list[str], length: int, source: random.Random) -> str:
    """Different words, of each magnitude as many: ranks 1 to 10 are as likely as 1,000 to 10,000."""
    chosen: dict[str, None] = {}
    while len(chosen) < min(length, len(ranked)):
        chosen[ranked[int(len(ranked) ** source.random()) - 1]] = None
    return " ".join(chosen)


def _question(sample: list[list[str]], source: random.Random) -> str:
    """An opening, and words as they follow each other in a text."""
    return f"{source.choice(OPENINGS)} {' '.join(source.choice(sample)[: source.randint(7, 14)])}"


def given(corpus: Corpus) -> list[GivenText]:
    """The texts as a build takes them."""
    return [GivenText(f"{number:08}", "", text) for number, text in enumerate(corpus.texts)]
