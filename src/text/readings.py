"""What runs were read as, remembered within bounds: a run always means the same."""

from __future__ import annotations

from itertools import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .words import WordReader

_REMEMBERED = 1 << 17
_LONGEST_REMEMBERED = 64


class Words:
    """What is read from a run that is not one word with one term."""

    __slots__ = ("compound", "terms", "yields")

    def __init__(self, yields: Iterable[tuple[str, ...]]) -> None:
        self.yields = tuple(yields)
        """For each word the terms that it yields."""
        self.terms = tuple(chain.from_iterable(self.yields))
        """The same, of all words together."""
        self.compound = tuple(chain.from_iterable([yielded for yielded in self.yields if len(yielded) > 1]))
        """Those of the words that yield more than one."""


class Readings(dict[str, "str | Words"]):
    """Run → its term, if it is one word that yields one; else its words.

    Remembered in two generations: what is common survives when the older one is forgotten.
    """

    def __init__(self, reader: WordReader) -> None:
        """`reader` reads what is not remembered."""
        super().__init__()
        self._reader = reader
        self._older: dict[str, str | Words] = {}

    def __missing__(self, run: str) -> str | Words:
        """Read a run that is not remembered, or is about to be forgotten."""
        found = self._older.get(run)
        if found is None:
            known = read(self._reader, run)
            found = known if isinstance(known, str) else Words(known)
        if len(run) <= _LONGEST_REMEMBERED:
            if len(self) >= _REMEMBERED:
                self._older = dict(self)
                self.clear()
            self[run] = found
        return found


def read(reader: WordReader, run: str) -> str | list[tuple[str, ...]]:
    """The term of a run that is one word and yields one; else for each word the terms that it yields."""
    if term := reader.only_term(run):
        return term
    yields = reader.terms(run)
    return yields[0][0] if len(yields) == 1 == len(yields[0]) else yields
