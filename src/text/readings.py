"""What runs were read as, remembered within bounds: a run always means the same."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import chain

from .stopwords import REQUEST_WORDS, STOP_WORDS
from .words import EXACT, HEADING, NAME, cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .words import WordReader

_LONGEST_REMEMBERED = 64
_LIGHT_WORDS = STOP_WORDS | REQUEST_WORDS
LONGEST_HEADING = 500
"""Characters of a heading that is found as a whole: a text may be a single one."""


class Words:
    """What is read from a run that is not one word with one term."""

    __slots__ = ("alone", "terms", "yields")

    def __init__(self, yields: Iterable[tuple[str, ...]], alone: tuple[str, ...] = ()) -> None:
        """`alone` are terms that belong to no word of this run."""
        self.yields = tuple(yields)
        """For each word the terms that it yields."""
        self.alone = alone
        self.terms = (*chain.from_iterable(self.yields), *alone)
        """Those of all words together, and those of no word."""

    def multi_term(self) -> bytes:
        """For each of `terms` whether it may be counted beside others for one word; no exact terms."""
        if len(self.terms) == 2 and self.terms[1][0] == EXACT:
            return b"\0\0"  # as most are: a word and how it is written
        flags = bytearray()
        if len(self.terms) == len(self.yields) + len(self.alone):  # one for each word
            flags += bytes(len(self.yields))
        else:
            for terms in self.yields:
                counted = [term[0] != EXACT for term in terms] if len(terms) > 1 else ()
                flags += bytes(counted) if sum(counted) > 1 else bytes(len(terms))
        return bytes(flags) + bytes(term[0] not in (EXACT, NAME) for term in self.alone)


class Readings(dict[str, "str | Words"]):
    """Run → its term, if it is one word that yields one; else its words.

    Remembered in two generations: what is common survives when the older one is forgotten.
    """

    def __init__(self, reader: WordReader, *, remembered: int) -> None:
        """`reader` reads what is not remembered; `remembered` is how many runs a generation has, at most."""
        super().__init__()
        self._most = remembered
        self._reader = reader
        self._older: dict[str, str | Words] = {}

    def __missing__(self, run: str) -> str | Words:
        """Read a run that is not remembered, or is about to be forgotten."""
        reading = self._older.get(run)
        if reading is None:
            reading = read(self._reader, run)
        if len(run) <= _LONGEST_REMEMBERED:
            if len(self) >= self._most:
                self._older = dict(self)
                self.clear()
            self[run] = reading
        return reading


def read(reader: WordReader, run: str) -> str | Words:
    """The term of a run that is one word and yields one; else for each word the terms that it yields."""
    if run[0] == EXACT:
        return Words((), (run,))
    if run[0] == NAME:
        return Words((), _name_terms(reader, run[1:]))
    if run[0] == ":":
        return Words((), (reader.term(run[1:].lower()),))
    if terms := reader.plain_terms(run):
        return terms if isinstance(terms, str) else Words((terms,))
    yields = reader.terms(run)
    return yields[0][0] if len(yields) == 1 == len(yields[0]) else Words(yields)


def _name_terms(reader: WordReader, run: str) -> tuple[str, ...]:
    """The terms of a run in the name of a file or folder."""
    reading = read(reader, run)
    terms = (reading,) if isinstance(reading, str) else dict.fromkeys(reading.terms)
    return tuple(NAME + term for term in terms if term[0] != EXACT)


class HeadingReader:
    """Reads whole headings. Safe to share between threads; what it remembers only makes it faster."""

    def __init__(self, reader: WordReader, *, remembered: int) -> None:
        """`reader` reads words; those of `remembered` runs are remembered, at most."""
        # A bound method would make a cycle, and what is remembered would outlive the reader.
        self._read = partial(_heading_words, reader)
        self._read_short = lru_cache(remembered)(self._read)

    def term(self, heading: str) -> str:
        """The term of a heading, and of a query that repeats it; empty where it is long or has no words.

        The words of `heading` in order, without stop words and those of a request unless it has no others.
        """
        runs = cut(heading) if len(heading) <= LONGEST_HEADING else ()
        words = [word for run in runs for word in self._words(run)]
        terms = [*chain.from_iterable([wholes for wholes, light in words if not light])]
        terms = terms or [*chain.from_iterable([wholes for wholes, _ in words])]
        return HEADING + " ".join(terms) if terms else ""

    def _words(self, run: str) -> tuple[tuple[Sequence[str], bool], ...]:
        return (self._read_short if len(run) <= _LONGEST_REMEMBERED else self._read)(run)


def _heading_words(reader: WordReader, run: str) -> tuple[tuple[Sequence[str], bool], ...]:
    """For each word of a run its whole terms, and whether it is light and no name."""
    if plain := reader.plain_terms(run):
        term = plain if isinstance(plain, str) else plain[0]
        return (((term,), run.rstrip(".'-").lower() in _LIGHT_WORDS),)
    words = reader.words(run)
    return tuple((word.wholes, len(word.wholes) == 1 and word.base in _LIGHT_WORDS) for word in words)
