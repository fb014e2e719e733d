"""From the texts of a batch to its postings: stretches become numbers, which are counted all at once.

Nothing is done word by word: these are some operations on arrays, which take a twentieth of the time of
counting in dictionaries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .lexicon import lexicon
from .stretches import stretches

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .lexicon import Lexicon

Array = NDArray[np.int64]


class Postings(NamedTuple):
    """The postings of some documents, by term and then by document."""

    vocabulary: list[str]
    """The terms, in the order in which their postings come."""
    holding: NDArray[np.uint32]
    """How many documents hold each of them."""
    documents: NDArray[np.uint32]
    """For each posting the number of its document in the batch."""
    body: NDArray[np.uint32]
    """How many words of the content yield the term."""
    title: NDArray[np.uint16]
    """How many of the title do."""
    compound: NDArray[np.bool_]
    """Whether a word of the content yields it beside another term."""


class _Occurrences(NamedTuple):
    """The terms in some texts: keys, which are a term's number times that of texts, plus that of the text."""

    keys: Array
    """Those that occur, ascending."""
    counts: Array
    compound: Array
    """The keys of terms that a word yields beside others."""
    words: Array
    """How many words each text has."""


def _occurrences(known: Lexicon, texts: Sequence[str]) -> _Occurrences:
    """Count the terms in each of some texts."""
    found = stretches(texts)
    runs, texts_of = known.look_up(found), found.texts
    plain = runs >= 0
    readings, holders = ~runs[~plain], texts_of[~plain]
    starts = np.array(known.ends)
    sizes = np.diff(starts)[readings]
    places = np.arange(sizes.sum()) + np.repeat(starts[readings + 1] - np.cumsum(sizes), sizes)
    read = np.array(known.terms, np.int64)[places] * len(texts) + np.repeat(holders, sizes)
    keys, counts = distinct(np.concatenate([runs[plain] * len(texts) + texts_of[plain], read]))
    compound, _ = distinct(read[np.array(known.compound, np.bool_)[places]])
    words = np.bincount(texts_of[plain], minlength=len(texts))
    words += np.bincount(holders, np.array(known.words)[readings], len(texts)).astype(np.int64)
    return _Occurrences(keys, counts, compound, words)


class Indexed(NamedTuple):
    """What is counted of some documents."""

    postings: Postings
    words: Array
    """How many the content of each document has."""
    title_words: Array


def index(analyzer_name: str, contents: Sequence[str], titles: Sequence[str]) -> Indexed:
    """Count the words and the terms of documents, given as the content and the title of each."""
    known = lexicon(analyzer_name)
    body, title = _occurrences(known, contents), _occurrences(known, titles)
    keys, _ = distinct(np.concatenate([body.keys, title.keys]))
    numbers, documents = np.divmod(keys, max(1, len(contents)))
    present, holding = distinct(numbers)
    names = [*known.numbers]
    postings = Postings(
        vocabulary=[names[number] for number in present.tolist()],
        holding=holding.astype(np.uint32),
        documents=documents.astype(np.uint32),
        body=_column(keys, body.keys, body.counts, np.uint32),
        title=_column(keys, title.keys, np.minimum(title.counts, 0xFFFF), np.uint16),
        compound=_column(keys, body.compound, np.True_, np.bool_),
    )
    return Indexed(postings, body.words, title.words)


def distinct(keys: Array) -> tuple[Array, Array]:
    """Which numbers occur, ascending, and how often: by sorting, in a tenth of the time of `np.unique`."""
    keys = np.sort(keys)
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[firsts], np.diff(firsts, append=len(keys))


def _column(keys: Array, some: Array, values: Any, kind: type) -> NDArray[Any]:
    """`values` where `some` of the keys are, zeros elsewhere."""
    column: NDArray[Any] = np.zeros(len(keys), kind)
    column[np.searchsorted(keys, some)] = values
    return column
