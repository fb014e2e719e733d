"""Counting: the words of documents and the postings of their terms, a batch at a time.

A distinct run is read once and is a number from then on; all the rest are some operations on arrays.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cache.postings import packed
from ..text import Analyzer, cut, extra_runs
from ..text.words import EXACT, NAME, name_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..text.readings import Words

Array = NDArray[np.int64]

MAX_ENTRIES = 1 << 20  # some 100 MB
_BYTES_PER_ENTRY = 64
MOST_TITLE_COUNTED = 0xFFFF
_EXTRA = (EXACT, NAME, ":")
"""The first character of a run that is put together across others."""


class Postings(NamedTuple):
    """The postings of some documents, by term and then by document."""

    vocabulary: list[str]
    """The terms, in the order in which their postings come."""
    doc_freqs: NDArray[np.uint32]
    """How many documents hold each of them."""
    documents: NDArray[np.uint32]
    """For each posting the number of its document in the batch."""
    occurrences: NDArray[np.uint8]
    """How many words of the content and of the title yield the term, as an index has it."""
    overflows: Array
    """The counts of each posting that do not fit there, a row each."""


class Lexicon(dict[str, int]):
    """Run → the number of its only term, or `~` the number of its analysis, which has any number of terms.

    A run that is looked up for the first time is read. Belongs to one thread.
    """

    def __init__(self, analyzer_name: str) -> None:
        """`analyzer_name` is that of the analyzer that reads."""
        super().__init__()
        self._name = analyzer_name
        self.forget()

    def forget(self) -> None:
        """Begin anew, which costs nothing but time."""
        self.clear()
        self._analyzer = Analyzer(self._name, native=True)
        self.term_numbers: defaultdict[str, int] = defaultdict(count().__next__)
        """Term → number: one that is looked up for the first time takes the next."""
        self.terms = array("i")
        """The terms of all analyses, one analysis after the other."""
        self.multi_term = bytearray()
        """For each of these whether its word yields others too."""
        self.ends = array("q", [0])
        """Where each analysis begins in `terms`, and where the last one ends."""
        self.words = array("q")
        """How many words each analysis has."""
        self._long_runs = 0  # bytes

    def __missing__(self, run: str) -> int:
        bare = run.rstrip(".'-")  # signs at its end change nothing, but that one may be escaped
        if bare != run and bare and "\\" not in run and run[0] not in _EXTRA:
            number = self[bare]
        else:
            read = self._analyzer.read(run)
            number = self.term_numbers[read] if isinstance(read, str) else ~self._add_analysis(read)
        self._long_runs += len(run) if len(run) > _BYTES_PER_ENTRY else 0
        self[run] = number
        return number

    def _add_analysis(self, words: Words) -> int:
        """The number of a new analysis: for each word the terms that it yields."""
        self.terms.fromlist([*map(self.term_numbers.__getitem__, words.terms)])
        self.multi_term += words.multi_term()
        self.ends.append(len(self.terms))
        self.words.append(len(words.yields))
        return len(self.words) - 1

    @property
    def is_full(self) -> bool:
        """Whether it is time to forget what was read."""
        entries = len(self) + len(self.terms) + len(self.term_numbers)
        return entries + self._long_runs // _BYTES_PER_ENTRY > MAX_ENTRIES


class _Occurrences(NamedTuple):
    """The terms in some texts."""

    keys: Array
    """Those that occur, ascending: number of the term × number of texts + number of the text."""
    counts: Array
    multi_term: Array
    """The keys of terms that a word yields beside others."""
    words: Array
    """How many words each text has."""


def _runs(text: str) -> list[str]:
    return cut(text) + extra_runs(text)


def _occurrences(lexicon: Lexicon, texts: Iterable[list[str]]) -> _Occurrences:
    """Count the terms in each of some texts, given as their runs.

    The runs of one text at a time are turned into numbers: their memory is used again for the next.
    """
    found: list[int] = []
    lengths = []
    for runs in texts:
        found += map(lexicon.__getitem__, runs)
        lengths.append(len(runs))
    numbers = np.array(found, np.int64)
    text_count = len(lengths)
    owners = np.repeat(np.arange(text_count), lengths)
    single = numbers >= 0
    analyses, holders = ~numbers[~single], owners[~single]
    starts = np.array(lexicon.ends)
    sizes = np.diff(starts)[analyses]
    offsets = np.arange(sizes.sum()) + np.repeat(starts[analyses + 1] - np.cumsum(sizes), sizes)
    read = np.array(lexicon.terms, np.int64)[offsets] * text_count + np.repeat(holders, sizes)
    keys, counts = distinct(np.concatenate([numbers[single] * text_count + owners[single], read]))
    multi_term, _ = distinct(read[np.array(lexicon.multi_term, np.bool_)[offsets]])
    words = np.bincount(owners[single], minlength=text_count)
    words += np.bincount(holders, np.array(lexicon.words)[analyses], text_count).astype(np.int64)
    return _Occurrences(keys, counts, multi_term, words)


class Counted(NamedTuple):
    """What was counted in some documents."""

    postings: Postings
    words: Array
    """How many the content of each document has."""
    title_words: Array


def count_terms(
    lexicon: Lexicon, contents: Sequence[str], titles: Sequence[str], sources: Sequence[str]
) -> Counted:
    """Count the words and the terms of documents, given as the content, title and source of each."""
    if lexicon.is_full:
        lexicon.forget()
    names_of = {source: name_runs(source) for source in sources}
    body = _occurrences(
        lexicon, (_runs(text) + names_of[source] for text, source in zip(contents, sources, strict=True))
    )
    title = _occurrences(lexicon, map(_runs, titles))
    keys, _ = distinct(np.concatenate([body.keys, title.keys]))
    numbers, documents = np.divmod(keys, max(1, len(contents)))
    present, doc_freqs = distinct(numbers)
    names = [*lexicon.term_numbers]
    occurrences, overflows = packed(
        _column(keys, body.keys, body.counts),
        _column(keys, title.keys, np.minimum(title.counts, MOST_TITLE_COUNTED)),
        _column(keys, body.multi_term, np.ones(1, np.int64)).astype(np.bool_),
    )
    postings = Postings(
        vocabulary=[names[number] for number in present.tolist()],
        doc_freqs=doc_freqs.astype(np.uint32),
        documents=documents.astype(np.uint32),
        occurrences=occurrences,
        overflows=overflows,
    )
    return Counted(postings, body.words, title.words)


def distinct(keys: Array) -> tuple[Array, Array]:
    """Which numbers occur, ascending, and how often: by sorting, in a tenth of the time of `np.unique`."""
    keys = np.sort(keys)
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[firsts], np.diff(firsts, append=len(keys))


def _column(keys: Array, some: Array, values: Array) -> Array:
    """`values` where `some` of the keys are, zeros elsewhere."""
    column = np.zeros(len(keys), np.int64)
    column[np.searchsorted(keys, some)] = values
    return column
