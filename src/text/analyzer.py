"""The analyzer: one object that reads documents and queries alike, so that they meet in the same terms.

A text is cut into runs, each distinct run is read once and remembered, and counting is left to `Counter`.
Every answer depends on the text alone; what is remembered only makes it faster.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, compress
from operator import mul

from ..memo import BoundedMemo
from ..scoring import WHOLE_WORD
from .pasted import ERROR_TYPE, NOISE, pasted
from .readings import HeadingReader, Readings, Words, read
from .stem import stem
from .stopwords import REQUEST_WORDS, STOP_WORDS
from .words import EXACT, WordReader, cut, extra_runs, joined_runs, runs, without_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import Any

    from .words import Word

_MOST_REMEMBERED = 8 << 20  # bytes of what the runs of queries were read as
_PART_BYTES = 250  # that a run takes, and each of its words and of their terms
_NO_JOINTS = {ord(sign): None for sign in "_-'"}
"""Signs inside a word that its term lacks."""
_WORDS_OF_NAME = re.compile(r"\w+")

PART = WHOLE_WORD * 3 // 4
"""The weight of an identifier's part."""
NAME_ALONE = 5, 2
"""By what the weight of a name as a whole (`--no-cache`, `a/b.md`) grows where the query is nothing else."""
LIGHT = 1
"""The weight of a stop word, of a word of a request, and of what a pasted error says of the machine."""


class Frequencies:
    """What a text is made of."""

    __slots__ = ("multi_term", "terms", "words")

    def __init__(self, words: int, terms: dict[str, int], multi_term: set[str]) -> None:
        self.words = words
        """How many words the text has."""
        self.terms = terms
        """For each term, how many words of the text yield it."""
        self.multi_term = multi_term
        """The terms yielded, at least once, by a word that yields more than one term."""


class QueryWord:
    """One word of a query."""

    __slots__ = ("base", "exact", "light", "terms", "text")

    def __init__(
        self,
        text: str,
        light: bool,
        terms: tuple[tuple[str, int], ...],
        exact: tuple[tuple[str, int], ...],
        base: str,
    ) -> None:
        self.text = text
        """In lower case, as people are shown it."""
        self.light = light
        """Whether it only orders what other words find."""
        self.terms = terms
        """The terms that it looks for, each with its weight in sixteenths; its own comes first."""
        self.exact = exact
        """The terms of the word as it is written, each with its weight."""
        self.base = base
        """In lower case, before stemming."""

    def lightened(self) -> QueryWord:
        """The same word where it only orders."""
        terms = tuple((term, LIGHT) for term, _ in self.terms)
        return QueryWord(self.text, True, terms, (), self.base)


NAMES = ("english-2",)


class Analyzer:
    """Turns text into terms; safe to share between threads.

    A build, or an open cache, has its own: what one remembers is forgotten with it.
    """

    def __init__(self, name: str, *, native: bool = False, remembered: int = 1 << 16) -> None:
        """Raises `LookupError` when no analyzer is called so.

        `native` stems with compiled code where that is installed: too much to load for one query.
        `remembered` is how many words are remembered, at most; each takes up to two kilobytes.
        """
        if name not in NAMES:
            raise LookupError(f"no analyzer is called {name!r}; there is {', '.join(NAMES)}")
        self.name = name
        self._reader = WordReader(_native_stem() if native else stem, remembered=remembered)
        self._headings = HeadingReader(self._reader, remembered=remembered >> 2)
        self._known = Readings(self._reader, remembered=2 * remembered)
        self._asked: BoundedMemo[str, tuple[QueryWord, ...]] = BoundedMemo(_MOST_REMEMBERED)

    def runs(self, text: str) -> list[str]:
        """The runs of a text, in order: all of what is read."""
        return cut(text)

    def read(self, run: str) -> str | Words:
        """The term of a run that is one word and yields one, else the terms of each word; not remembered."""
        return read(self._reader, run)

    def frequencies(self, text: str) -> Frequencies:
        """Count the words and the terms of one document: the numbers that a build counts for many at once."""
        runs = cut(text) + extra_runs(text)
        terms: Counter[Any] = Counter(map(self._known.__getitem__, runs))
        several: list[Words] = [key for key in terms if key.__class__ is Words]
        times = [terms.pop(reading) for reading in several]
        terms.update(chain.from_iterable(map(mul, [reading.terms for reading in several], times)))
        words = len(runs) - sum(times) + sum(map(mul, [len(reading.yields) for reading in several], times))
        multi_term = {term for reading in several for term in compress(reading.terms, reading.multi_term())}
        return Frequencies(words, terms, multi_term)

    def heading(self, text: str) -> str:
        """The term of a heading that says what a text says; empty without words, or if it is long."""
        return self._headings.term(text)

    def stem(self, word: str) -> str:
        """The term of a word in lower case."""
        return self._reader.term(word)

    def query(self, text: str) -> list[QueryWord]:
        """The words of a query in order, repeats kept; stop words and the like are light, unless all are."""
        text = without_data(text)
        kinds = pasted(text)
        query_words: list[QueryWord] = []
        matches = [*runs(text).finditer(text)]
        is_alone = len(text.split()) == 1
        for match in matches:
            words = self._ask(match.group())
            if is_alone and len(matches) == 1:
                words = tuple(map(_named_alone, words))
            kind = kinds[match.start()] if kinds else 0
            if kind == ERROR_TYPE and words:
                words = _of_error(words)
            elif kind == NOISE:
                words = tuple(word.lightened() for word in words)
            query_words += words
        subject = "".join(map(_subject, text, kinds)) if kinds else text
        across = [word for run in extra_runs(subject) for word in self._ask_across(run)]
        query_words += map(_named_alone, across) if is_alone else across
        if all(word.light for word in query_words):
            return [heavy for word in query_words for heavy in self._ask_heavy(word)]
        return query_words

    def _ask_across(self, run: str) -> tuple[QueryWord, ...]:
        """The word of a query that is found across its runs."""
        if run[0] == EXACT:
            return (QueryWord(run[1:], False, (), (_weighed(run),), run[1:]),)
        word = run[1:].lower()
        return (QueryWord(word, False, ((self.stem(word), WHOLE_WORD),), (), word),)

    def _ask_heavy(self, word: QueryWord) -> Iterator[QueryWord]:
        """A light word where all are."""
        terms = tuple((term, WHOLE_WORD if at == 0 else PART) for at, (term, _) in enumerate(word.terms))
        exact = ((EXACT + word.base, WHOLE_WORD),) if terms and word.base != terms[0][0] else ()
        yield QueryWord(word.text, False, terms, exact, word.base)

    def matches(self, text: str, terms: Collection[str]) -> int:
        """How many words of the text yield at least one of the terms."""
        wanted = frozenset(term for term in terms if term[0] != EXACT)
        total = 0
        # Both kinds of reading told apart here: a call for each would take three times as long as this loop.
        for reading in map(self._known.__getitem__, cut(text)):
            if reading.__class__ is str:
                total += reading in wanted
            elif not wanted.isdisjoint(reading.terms):  # type: ignore[union-attr]  # it is `Words`
                total += _matching(reading, wanted)
        return total

    def counted_again(self, text: str, terms: Collection[str]) -> int:
        """By how much the occurrences of terms in a text exceed the words that yield at least one of them.

        The occurrences less this are what `matches` counts, and few of the runs have to be read for it.
        """
        beginnings = [_beginning(term) for term in terms]
        again = sum(self.stem(run[1:].lower()) in terms for run in joined_runs(text))  # of no word
        for run in cut(text):
            if run.isascii() and "\\" not in run:
                if run.isalpha() and run[1:].islower():  # a plain word, which yields one term
                    continue
                letters = run.translate(_NO_JOINTS).lower()
                if sum(map(letters.__contains__, beginnings)) < 2:
                    continue
            reading = self._known[run]
            if not isinstance(reading, str):
                counts = (sum(map(terms.__contains__, yielded)) for yielded in reading.yields)
                again += sum(count - 1 for count in counts if count > 1)
        return again

    def spans(self, text: str, terms: Collection[str]) -> list[tuple[int, int]]:
        """Where the words that `matches` counts stand in the text, in order; pairs of characters overlap."""
        wanted = frozenset(term for term in terms if term[0] != EXACT)
        spans = []
        for match in runs(text).finditer(without_data(text)):
            run, start = match.group(), match.start()
            for word in self._reader.unfolded_words(run) if _matching(self._known[run], wanted) else ():
                if not (wanted.isdisjoint(word.wholes) and wanted.isdisjoint(word.parts)):
                    spans.append((start + word.start, start + word.end))
        return spans

    def _ask(self, run: str) -> tuple[QueryWord, ...]:
        """The words of a query's run; remembered, since people retype what they ask."""
        words = self._asked.get(run)
        if words is None:
            words = tuple(map(_query_word, self._reader.words(run)))
            terms = sum(len(word.terms) + len(word.exact) for word in words)
            self._asked.keep(run, words, 4 * len(run) + _PART_BYTES * (1 + len(words) + terms))
        return words


def _query_word(word: Word) -> QueryWord:
    """A word of a query. A stop word that begins a name (`--no-cache`) is light, the name is not."""
    light = word.base in STOP_WORDS or word.base in REQUEST_WORDS
    own, *names = word.wholes
    terms = [(own, LIGHT if light else WHOLE_WORD), *((name, WHOLE_WORD) for name in names)]
    if not light:
        # The `x` of `getX` tells nothing.
        terms += [(part, PART) for part in word.parts if len(part) > 1]
    exact = [_weighed(term) for term in word.exact if not (light and term[1:] == word.base)]
    return QueryWord(word.text, light and not names and not exact, tuple(terms), tuple(exact), word.base)


def _named_alone(word: QueryWord) -> QueryWord:
    """A word of a query that is a single name: who asks for a name alone means that name."""
    more, divisor = NAME_ALONE
    names = [
        (term, weight * more // divisor if weight == WHOLE_WORD else weight)
        for term, weight in word.terms[1:]
    ]
    exact = [
        (term, weight * more // divisor if weight > WHOLE_WORD else weight) for term, weight in word.exact
    ]
    return QueryWord(word.text, word.light, (*word.terms[:1], *names), tuple(exact), word.base)


def _of_error(words: tuple[QueryWord, ...]) -> tuple[QueryWord, ...]:
    """The words of the type of an error: its own name, and the whole as it is written."""
    *package, name = words
    own = tuple((term, LIGHT if weight == PART else weight) for term, weight in name.terms)
    exact = tuple(term for word in words for term in word.exact)
    return (*(word.lightened() for word in package), QueryWord(name.text, name.light, own, exact, name.base))


def _subject(character: str, kind: int) -> str:
    return " " if kind == NOISE else character


def _weighed(exact: str) -> tuple[str, int]:
    """An exact term with its weight: a name (`std::fs::File`) counts as much as the words that it joins."""
    return exact, WHOLE_WORD * max(1, len(_WORDS_OF_NAME.findall(exact)))


def _matching(reading: str | Words, wanted: Collection[str]) -> int:
    """How many words of a run yield at least one of the wanted terms."""
    if isinstance(reading, str):
        return reading in wanted
    return sum(any(term in wanted for term in yielded) for yielded in reading.yields)


def _beginning(term: str) -> str:
    """What a run that yields a term has in it, signs left out: the stemmer keeps how words begin."""
    letters = term.translate(_NO_JOINTS)
    return letters[:2] if len(letters) > 3 else letters[:1]


def _native_stem() -> Callable[[str], str]:
    from .native import stemmer  # what a query does without

    return stemmer()
