"""What runs were read as, remembered within bounds: a run always means the same."""

from __future__ import annotations

from itertools import chain

from .words import only_term, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

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

    def __init__(self) -> None:
        super().__init__()
        self._older: dict[str, str | Words] = {}

    def __missing__(self, run: str) -> str | Words:
        """Read a run that is not remembered, or is about to be forgotten."""
        found = self._older.get(run)
        if found is None:
            known = read(run)
            found = known if isinstance(known, str) else Words(known)
        if len(run) <= _LONGEST_REMEMBERED:
            if len(self) >= _REMEMBERED:
                self._older = dict(self)
                self.clear()
            self[run] = found
        return found


def read(run: str) -> str | list[tuple[str, ...]]:
    """The term of a run that is one word and yields one; else for each word the terms that it yields."""
    if term := only_term(run):
        return term
    yields = terms(run)
    return yields[0][0] if len(yields) == 1 == len(yields[0]) else yields
