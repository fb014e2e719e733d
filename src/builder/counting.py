"""Counting: the words of documents and the postings of their terms, a batch at a time.

A distinct run is read once and is a number from then on; all the rest are some operations on arrays.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from itertools import accumulate, chain, count, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cache.postings import packed, ranges
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

    vocabulary: list[bytes]
    """The terms, in the order in which their postings come."""
    doc_freqs: NDArray[np.uint32]
    """How many documents hold each of them."""
    documents: NDArray[np.uint32]
    """For each posting the number of its document in the batch."""
    occurrences: NDArray[np.uint8]
    """How many words of the content and of the title yield the term, as an index has it."""
    overflows: Array
    """The counts of each posting that do not fit there, a row each."""

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.documents)


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
        self._names: list[bytes] = []
        self._new: list[Words] = []  # analyses that are in no table yet
        self._terms = array("q")
        """The terms of all analyses, one analysis after the other."""
        self._multi_term = bytearray()
        """For each of these whether its word yields others too."""
        self._ends = array("q", [0])
        """Where each analysis begins in `_terms`, and where the last one ends."""
        self._words = array("q")
        """How many words each analysis has."""
        self._long_runs = 0  # bytes

    def __missing__(self, run: str) -> int:
        bare = run.rstrip(".'-")  # signs at its end change nothing, but that one may be escaped
        if bare != run and bare and "\\" not in run and run[0] not in _EXTRA:
            number = self[bare]
        else:
            read = self._analyzer.read(run)
            if isinstance(read, str):
                number = self.term_numbers[read]
            else:
                number = ~(len(self._words) + len(self._new))
                self._new.append(read)
        self._long_runs += len(run) if len(run) > _BYTES_PER_ENTRY else 0
        self[run] = number
        return number

    def names(self) -> list[bytes]:
        """The terms by their numbers, in UTF-8."""
        new = len(self.term_numbers) - len(self._names)
        self._names += [*map(str.encode, islice(reversed(self.term_numbers), new))][::-1]
        return self._names

    def occurrences(self, numbers: Array, fields: Array) -> _Occurrences:
        """What runs are, given their numbers and the field that each stands in."""
        self._tabulate()
        is_term = numbers >= 0
        analyses, holders = ~numbers[~is_term], fields[~is_term]
        ends, terms = (np.frombuffer(table, np.int64) for table in (self._ends, self._terms))
        sizes = ends[analyses + 1] - ends[analyses]
        offsets = ranges(ends[analyses], sizes)
        multi_term = np.frombuffer(self._multi_term, np.bool_)[offsets]
        words = np.frombuffer(self._words, np.int64)[analyses]
        return _Occurrences(
            terms=np.concatenate([numbers[is_term], terms[offsets]]),
            fields=np.concatenate([fields[is_term], np.repeat(holders, sizes)]),
            multi_term=np.concatenate([np.zeros(len(numbers) - len(analyses), np.bool_), multi_term]),
            words=np.concatenate([np.ones(len(numbers) - len(analyses), np.int64), words]),
            holders=np.concatenate([fields[is_term], holders]),
        )

    def headings(self, headings: Sequence[Iterable[str]]) -> tuple[Array, Array]:
        """The terms of whole headings, and for each which of the documents it stands in.

        They are not remembered as runs are: most headings stand in one document.
        """
        terms, documents = array("q"), array("q")
        for document, titles in enumerate(headings):
            for term in dict.fromkeys(map(self._analyzer.heading, titles)):
                if term:
                    terms.append(self.term_numbers[term])
                    documents.append(document)
        return np.array(terms, np.int64), np.array(documents, np.int64)

    def _tabulate(self) -> None:
        """Put new analyses into the tables."""
        new = self._new
        self._terms.extend(map(self.term_numbers.__getitem__, chain.from_iterable(one.terms for one in new)))
        self._multi_term += b"".join([one.multi_term() for one in new])
        self._ends.extend(accumulate([len(one.terms) for one in new], initial=self._ends.pop()))
        self._words.extend([len(one.yields) for one in new])
        new.clear()

    @property
    def is_full(self) -> bool:
        """Whether it is time to forget what was read."""
        entries = len(self) + len(self._terms) + len(self.term_numbers)
        return entries + self._long_runs // _BYTES_PER_ENTRY > MAX_ENTRIES


class _Occurrences(NamedTuple):
    """The terms in some fields, and for each run its words."""

    terms: Array
    fields: Array
    multi_term: NDArray[np.bool_]
    """Whether a word yields the term beside others."""
    words: Array
    holders: Array
    """The field of each run."""

    def with_headings(self, terms: Array, documents: Array) -> _Occurrences:
        """The same with terms of whole headings in the bodies of documents; they are no words."""
        return self._replace(
            terms=np.concatenate([self.terms, terms]),
            fields=np.concatenate([self.fields, 2 * documents]),
            multi_term=np.concatenate([self.multi_term, np.zeros(len(terms), np.bool_)]),
        )


class Counted(NamedTuple):
    """What was counted in some documents."""

    postings: Postings
    words: Array
    """How many the content of each document has."""
    title_words: Array


def count_terms(
    lexicon: Lexicon,
    contents: Sequence[str],
    titles: Sequence[str],
    sources: Sequence[str],
    headings: Sequence[Iterable[str]],
) -> Counted:
    """Count the words and the terms of documents: content, title, source and headings of each are given."""
    if lexicon.is_full:
        lexicon.forget()
    names_of = {source: name_runs(source) for source in sources}
    numbers: list[int] = []
    lengths = []
    # The runs of one text at a time are turned into numbers: their memory is used again for the next.
    for content, title, source in zip(contents, titles, sources, strict=True):
        for runs in (_runs(content) + names_of[source], _runs(title)):
            numbers += map(lexicon.__getitem__, runs)
            lengths.append(len(runs))
    fields = np.repeat(np.arange(len(lengths)), lengths)  # the body of each document and its title, in turn
    occurrences = lexicon.occurrences(np.array(numbers, np.int64), fields)
    words = np.bincount(occurrences.holders, occurrences.words, len(lengths)).astype(np.int64)
    occurrences = occurrences.with_headings(*lexicon.headings(headings))
    postings = _postings(lexicon, occurrences, len(contents))
    return Counted(postings, words[::2], words[1::2])


def _postings(lexicon: Lexicon, analysed: _Occurrences, documents: int) -> Postings:
    """The postings of so many documents, of each the body and the title a field."""
    keys, counts = distinct((analysed.terms * (2 * documents) + analysed.fields) << 1 | analysed.multi_term)
    pairs = keys >> 2  # of a term and a document
    firsts = np.flatnonzero(np.diff(pairs, prepend=-1))
    is_title = (keys & 2).astype(np.bool_)
    occurrences, overflows = packed(
        np.add.reduceat(np.where(is_title, 0, counts), firsts),
        np.minimum(np.add.reduceat(np.where(is_title, counts, 0), firsts), MOST_TITLE_COUNTED),
        np.logical_or.reduceat(keys & 3 == 1, firsts),
    )
    numbers, documents_of = np.divmod(pairs[firsts], max(1, documents))
    terms, doc_freqs = distinct(numbers)
    names = lexicon.names()
    return Postings(
        vocabulary=[names[number] for number in terms.tolist()],
        doc_freqs=doc_freqs.astype(np.uint32),
        documents=documents_of.astype(np.uint32),
        occurrences=occurrences,
        overflows=overflows,
    )


def _runs(text: str) -> list[str]:
    return cut(text) + extra_runs(text)


def distinct(keys: Array) -> tuple[Array, Array]:
    """Which numbers occur, ascending, and how often: by sorting, in a tenth of the time of `np.unique`."""
    keys = np.sort(keys)
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[firsts], np.diff(firsts, append=len(keys))
