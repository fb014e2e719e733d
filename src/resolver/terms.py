"""The terms of a query that documents hold, and those that stand in for a word: relatives, repairs, pairs."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from itertools import chain, islice
from operator import itemgetter

from ..text.words import EXACT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ..cache.index import Index, Postings
    from ..text import Analyzer

_LETTERS = re.compile("[^\0-`{-\x7f]{4,}")  # a range up to U+10FFFF takes Python 2 ms to compile
SHORTEST = 4
MOST_TERMS = 20
"""Of a query that is read with relatives."""
MOST_RELATIVES = 10
MOST_PAIRS = 64
MOST_REPAIRED = 20
"""Words of a query that are repaired: for each, all that one edit makes of it is looked up."""
_SHORTEST_REPAIRED = 5
_LONGEST_REPAIRED = 32  # letters; the work grows with their square
_VARIANT_BYTES = 600  # that a relative takes, or a word that has none, or a repair
_NUMBERS_BYTES = 250  # that a word takes besides the numbers of its nearest terms
_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρστυφχψω")


class Term:
    """A term of the query that some document holds."""

    __slots__ = ("file_idf", "file_postings", "idf", "postings", "text", "weight")

    def __init__(self, text: str, weight: int, postings: Postings, index: Index) -> None:
        """`weight` is summed over the query."""
        self.text = text
        self.weight = weight
        self.postings = postings
        self.idf = index.scorer.idf(postings.doc_freq, index.documents)
        self.file_postings: Postings | None = None
        self.file_idf = 0

    def with_files(self, index: Index) -> Term:
        """Look up its postings over files, where there are some; returns the term itself."""
        self.file_postings = index.file_postings(self.postings.number)
        if self.file_postings is not None:
            self.file_idf = index.scorer.idf(self.file_postings.doc_freq, index.files)
        return self

    @property
    def max_score(self) -> int:
        """The most that this term can add to the score of a section."""
        return self.weight * self.idf


class Variant:
    """A term that counts in the place of a word."""

    __slots__ = ("common", "divisor", "factor", "kind", "length", "max_score", "term", "weight", "written")

    def __init__(
        self, kind: str, term: Term, weight: int, written: str, *, factor: int = 1, divisor: int = 1
    ) -> None:
        """`kind` is `relative`, `repair` or `pair`; impacts are multiplied by `factor` / `divisor`."""
        self.kind = kind
        self.term = term
        self.weight = weight
        self.written = written
        """As people are shown it."""
        self.factor = factor
        self.divisor = divisor
        self.common = self.length = 0
        """Letters in common, of so many in both."""
        self.max_score = weight * term.idf

    def value(self, impact: int) -> int:
        """What an impact of the term counts."""
        return max(1, impact * self.factor // self.divisor)


def relatives(word: str, weight: int, terms: Collection[str], index: Index, idf: int | None) -> list[Variant]:
    """Words of the cache that share most of their beginning or end with `word`, the nearest first.

    `idf` is that of `word` itself if the cache knows it; `terms` are those of the query.
    """
    if not _LETTERS.fullmatch(word):
        return []
    key = f"{weight} {word}"
    near = index.relatives.get(key)
    if near is None:
        near = [_relative(word, weight, one, index, idf) for one in _nearest(word, index)[:MOST_RELATIVES]]
        index.relatives.keep(key, near, 4 * len(key) + _VARIANT_BYTES * (1 + len(near)))
    if all(one.term.text not in terms for one in near):
        return near
    others = (_relative(word, weight, number, index, idf) for number in _nearest(word, index))
    return list(islice((one for one in others if one.term.text not in terms), MOST_RELATIVES))


def _relative(word: str, weight: int, number: int, index: Index, idf: int | None) -> Variant:
    """The relative with this number among the terms; the share of its impact that counts is at most 3/4."""
    text = index.vocabulary.text(number)
    term = Term(text, weight, index.postings_of(number), index)
    common, both = _most_common(word, text), len(word) + len(text)
    bounded = term.idf if idf is None else min(idf, term.idf)
    variant = Variant(
        "relative", term, weight, text, factor=bounded * 3 * common, divisor=2 * both * term.idf
    )
    variant.common, variant.length = 2 * common, both
    return variant


def _nearest(word: str, index: Index) -> array[int]:
    """The numbers of the terms that are near enough to a word, the nearest first; remembered within bounds.

    As many as can be needed: those of the query itself are left out later.
    """
    numbers = index.nearest.get(word)
    if numbers is None:
        numbers = _find_nearest(word, index)
        index.nearest.keep(word, numbers, _NUMBERS_BYTES + 4 * (len(word) + len(numbers)))
    return numbers


def _find_nearest(word: str, index: Index) -> array[int]:
    shortest = max(SHORTEST, -(-7 * len(word) // 13))  # below it no word is near enough
    ranges = index.vocabulary.starting(word[:shortest]), index.vocabulary.ending(word[-shortest:])
    near: dict[int, tuple[int, str]] = {}
    for (numbers, terms), written in zip(ranges, (word, word[::-1]), strict=True):
        for common, positions in _by_common(written, terms, shortest):
            longest = 20 * common // 7 - len(word)  # a longer one has too little in common
            for at in positions:
                if len(terms[at]) <= longest and _LETTERS.fullmatch(terms[at]):
                    both = len(word) + len(terms[at])
                    one = -((common << 32) // both), terms[at]
                    near[numbers[at]] = min(one, near.get(numbers[at], one))
    most = MOST_RELATIVES + MOST_TERMS
    last = sorted(distance for distance, _ in near.values())[:most][-1:]
    # Of thousands that are near, only those that may be among the first are looked up.
    first = [
        (distance, -index.postings_of(number).doc_freq, index.vocabulary.term(number), number)
        for number, (distance, _) in near.items()
        if distance <= last[0]
    ]
    return array("I", [number for *_, number in sorted(first)[:most]])


def _by_common(word: str, terms: list[str], shortest: int) -> Iterator[tuple[int, Iterable[int]]]:
    """How many characters sorted `terms` begin with in common with `word`, with the positions of these.

    All have `shortest` of them. The word itself is in none.
    """
    low, high = 0, len(terms)
    for common in range(shortest, len(word) + 1):
        start = word[: common + 1]
        more = bisect_left(terms, start, low, high)
        end = bisect_right(terms, start, more, high, key=itemgetter(slice(common + 1)))
        yield common, chain(range(low, more), range(end, high))
        low, high = more, end


def _most_common(one: str, other: str) -> int:
    """How many characters two words have in common at their beginning or at their end, whichever is more."""
    return max(_common(one, other), _common(one[::-1], other[::-1]))


def _common(one: str, other: str) -> int:
    """How many characters two words begin with in common."""
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def with_character(character: str, weight: int, index: Index) -> list[Variant]:
    """The pairs of characters that hold a single one, where words are indexed by pairs."""
    vocabulary = index.vocabulary
    pairs = {
        number: vocabulary.text(number)
        for numbers, terms in (vocabulary.starting(character), vocabulary.ending(character))
        for number, term in zip(numbers, terms, strict=True)
        if len(term) == 2
    }
    terms = [Term(text, weight, index.postings_of(number), index) for number, text in pairs.items()]
    terms.sort(key=lambda term: (-term.postings.doc_freq, term.text))
    return [Variant("pair", term, weight, term.text) for term in terms[:MOST_PAIRS]]


def is_repairable(word: str) -> bool:
    """Whether an unknown word is looked for with one edit: one of letters, neither short nor very long."""
    return _SHORTEST_REPAIRED <= len(word) <= _LONGEST_REPAIRED and word.isalpha()


def repaired(word: str, weight: int, index: Index, analyzer: Analyzer) -> Variant | None:
    """The known word that is one edit away from an unknown one: the one that most documents hold."""
    try:
        best = index.repairs[word]  # in one step: another thread may empty it
    except KeyError:
        best = _read_as(word, index, analyzer)
        index.repairs.keep(word, best, 4 * len(word) + _VARIANT_BYTES)
    postings = None if best is None else index.find(best[0])
    if best is None or postings is None:
        return None
    return Variant("repair", Term(best[0], weight // 2, postings, index), weight // 2, best[1])


def _read_as(word: str, index: Index, analyzer: Analyzer) -> tuple[str, str] | None:
    """The term that a word is read as, and the word itself: most documents first, then by bytes."""
    forms: dict[str, list[str]] = {}
    for candidate in sorted(_edits(word)):
        forms.setdefault(analyzer.stem(candidate), []).append(candidate)
    looked_up = ((text, index.find_once(text)) for text in forms)
    by_frequency = [(-postings.doc_freq, text) for text, postings in looked_up if postings is not None]
    if not by_frequency:
        return None
    text = min(by_frequency)[1]
    # Many edits have one stem: the word is one that documents hold, where the index says so.
    written = (form for form in forms[text] if form == text or index.find_once(EXACT + form) is not None)
    return text, next(written, forms[text][0])


def _edits(word: str) -> Iterable[str]:
    """All that one swap, drop, change or insertion makes of a word."""
    letters = next((alphabet for alphabet in _ALPHABETS if word[0] in alphabet or word[-1] in alphabet), "")
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    edits = {head + tail[1] + tail[0] + tail[2:] for head, tail in splits if len(tail) > 1}
    edits |= {head + tail[1:] for head, tail in splits if tail}
    edits |= {head + letter + tail[1:] for head, tail in splits if tail for letter in letters}
    edits |= {head + letter + tail for head, tail in splits for letter in letters}
    return edits - {word}
