"""What runs were read as, remembered within bounds: a run always means the same."""

from __future__ import annotations

from .words import only_term, words

_REMEMBERED = 1 << 17
_LONGEST_REMEMBERED = 64


class Words(tuple[tuple[str, ...], ...]):
    """For each word of a run the terms that it yields.

    Equal to itself alone, which makes it a quick key to count by.
    """

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__


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
            found = _read(run)
        if len(run) <= _LONGEST_REMEMBERED:
            if len(self) >= _REMEMBERED:
                self._older = dict(self)
                self.clear()
            self[run] = found
        return found


def _read(run: str) -> str | Words:
    """What a run means."""
    if term := only_term(run):
        return term
    found = Words((*word.wholes, *word.parts) for word in words(run))
    return found[0][0] if len(found) == len(found[0] if found else ()) == 1 else found
