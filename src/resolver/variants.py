"""Terms of the cache that stand in for a word of the query: relatives, repairs, pairs with a character."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ..cache.index import Index
    from ..text import Analyzer
    from .query import Term

_LETTERS = re.compile("[a-z\x80-\U0010ffff]{4,}")
SHORTEST = 4
MOST_RELATIVES = 10
MOST_PAIRS = 64
REPAIRED = 5
"""The letters of a word that is repaired, at least."""
_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρστυφχψω")


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
    from .query import Term  # the two describe each other

    if not _LETTERS.fullmatch(word):
        return []
    shortest = max(SHORTEST, -(-7 * len(word) // 13))  # below it no word is near enough
    found: dict[int, tuple[str, int]] = {}
    for number, text in _candidates(word, shortest, index):
        if text != word and text not in terms and _LETTERS.fullmatch(text):
            common = max(_common(word, text), _common(word[::-1], text[::-1]))
            if common >= SHORTEST and 20 * common >= 7 * (len(word) + len(text)):
                found[number] = text, common
    variants = []
    for number, (text, common) in found.items():
        term = Term(text, weight, index.postings_of(number), index)
        both = len(word) + len(text)
        bounded = term.idf if idf is None else min(idf, term.idf)
        variant = Variant(
            "relative", term, weight, text, factor=bounded * 3 * common, divisor=2 * both * term.idf
        )
        variant.common, variant.length = 2 * common, both
        variants.append(variant)
    variants.sort(key=lambda v: (-(v.common << 32) // v.length, -v.term.postings.doc_freq, v.term.text))
    return variants[:MOST_RELATIVES]


def _candidates(word: str, shortest: int, index: Index) -> Iterator[tuple[int, str]]:
    yield from index.vocabulary.starting(word[:shortest])
    yield from index.vocabulary.ending(word[-shortest:])


def _common(one: str, other: str) -> int:
    """How many characters two words begin with in common."""
    for count, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return count
    return min(len(one), len(other))


def with_character(character: str, weight: int, index: Index) -> list[Variant]:
    """The pairs of characters that hold a single one, where words are indexed by pairs."""
    from .query import Term  # as above

    pairs = {
        number: text
        for number, text in (*index.vocabulary.starting(character), *index.vocabulary.ending(character))
        if len(text) == 2
    }
    terms = [Term(text, weight, index.postings_of(number), index) for number, text in pairs.items()]
    terms.sort(key=lambda term: (-term.postings.doc_freq, term.text))
    return [Variant("pair", term, weight, term.text) for term in terms[:MOST_PAIRS]]


def repaired(word: str, weight: int, index: Index, analyzer: Analyzer) -> Variant | None:
    """The known word that is one edit away from an unknown one: the one that most documents hold."""
    from .query import Term  # as above

    if len(word) < REPAIRED or not word.isalpha():
        return None
    best: tuple[int, str, str] | None = None
    known: dict[str, int] = {}
    for candidate in sorted(_edits(word)):
        text = analyzer.stem(candidate)
        if text not in known:
            postings = index.find_once(text)
            known[text] = 0 if postings is None else postings.doc_freq
        if known[text]:
            key = -known[text], text, candidate
            best = key if best is None else min(best, key)
    if best is None:
        return None
    postings = index.find(best[1])
    assert postings is not None
    return Variant("repair", Term(best[1], weight // 2, postings, index), weight // 2, best[2])


def _edits(word: str) -> Iterable[str]:
    """All that one swap, drop, change or insertion makes of a word."""
    letters = next((known for known in _ALPHABETS if word[0] in known or word[-1] in known), "")
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    edits = {head + tail[1] + tail[0] + tail[2:] for head, tail in splits if len(tail) > 1}
    edits |= {head + tail[1:] for head, tail in splits if tail}
    edits |= {head + letter + tail[1:] for head, tail in splits if tail for letter in letters}
    edits |= {head + letter + tail for head, tail in splits for letter in letters}
    return edits - {word}
