"""What runs are read as, remembered by each process while it compiles."""

from __future__ import annotations

from array import array
from collections import defaultdict
from functools import cache
from itertools import chain, count
from typing import TYPE_CHECKING

import numpy as np

from ...text import analyzer
from .stretches import SHORT, keys
from .table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from .stretches import Stretches

_MOST = 1 << 20  # stretches and terms: some 100 MB
_LONGEST_REMEMBERED = 64  # bytes
_FLAGS = (b"\0", b"\1")


class _Memo(dict[bytes, int]):
    """Stretch → number; what is not known is read."""

    def __init__(self, read: Callable[[bytes], int]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, stretch: bytes) -> int:
        self[stretch] = number = self._read(stretch)
        return number


def _each(found: Stretches, some: NDArray[np.int64], memo: _Memo) -> list[int]:
    """The numbers of some stretches, one by one."""
    data, bounds = found.data, zip(found.starts[some].tolist(), found.ends[some].tolist(), strict=True)
    return [memo[data[start:end]] for start, end in bounds]


class Lexicon:
    """What stretches were read as: one word with one term, by the term's number, or `~` that of a reading."""

    def __init__(self, name: str) -> None:
        """`name` is that of the analyzer."""
        self.analyzer = analyzer(name)
        self.numbers: defaultdict[str, int] = defaultdict(count().__next__)
        """Term → number: one that is looked up for the first time takes the next."""
        self.terms = array("i")
        """Those of all readings, one reading after the other."""
        self.compound = bytearray()
        """For each of these whether its word yields others too."""
        self.ends = array("q", [0])
        """Where each reading begins, and where the last one ends."""
        self.words = array("q")
        """How many words each reading has."""
        self.short = Table()
        """Those that fit the table, by their numbers."""
        self.long = _Memo(self._read)
        """Those that do not fit the table."""
        self._lasting = 0  # how many readings are those of remembered stretches
        self._passed = 0  # bytes of those that were not, whose terms stay

    def look_up(self, found: Stretches) -> NDArray[np.int64]:
        """The number of each stretch; what is not known yet is read."""
        numbers, lacking = self.short.find(found.low, found.high)
        sizes = found.ends - found.starts
        fresh, long = lacking[sizes[lacking] <= SHORT], np.flatnonzero(sizes > SHORT)
        seldom = sizes[long] > _LONGEST_REMEMBERED
        self._forget_readings()
        read, passing = _Memo(self._read), _Memo(self._read)
        numbers[fresh] = _each(found, fresh, read)
        if read:
            self.short.add(*keys([*read]), np.fromiter(read.values(), np.int64, len(read)))
        numbers[long[~seldom]] = _each(found, long[~seldom], self.long)
        self._lasting = len(self.words)
        numbers[long[seldom]] = _each(found, long[seldom], passing)
        self._passed += sum(map(len, passing))
        return numbers

    def _forget_readings(self) -> None:
        """Drop the readings of what was too long to be remembered, which nobody refers to any more."""
        del self.words[self._lasting :], self.ends[self._lasting + 1 :]
        del self.terms[self.ends[-1] :], self.compound[self.ends[-1] :]

    def _read(self, stretch: bytes) -> int:
        """Read a stretch that is not known yet; one of several runs yields the words of all."""
        text, read = stretch.decode("utf-8", "surrogatepass"), self.analyzer.read
        runs = [text] if text.isascii() else self.analyzer.runs(text)
        found = [*map(read, runs)]
        if len(found) == 1:
            [only] = found
            return self.numbers[only] if isinstance(only, str) else ~self._reading(only)
        return ~self._reading([*chain.from_iterable([(r,)] if isinstance(r, str) else r for r in found)])

    def _reading(self, yields: list[tuple[str, ...]]) -> int:
        """The number of a new reading, of these terms for each of its words."""
        self.terms.fromlist([*map(self.numbers.__getitem__, chain.from_iterable(yields))])
        for terms in yields:
            self.compound += _FLAGS[len(terms) > 1] * len(terms)
        self.ends.append(len(self.terms))
        self.words.append(len(yields))
        return len(self.words) - 1

    @property
    def is_large(self) -> bool:
        """Whether it is time to forget all, which costs nothing but time."""
        entries = self.short.size + len(self.long) + len(self.terms) + len(self.numbers)
        return entries + self._passed // _LONGEST_REMEMBERED > _MOST


@cache
def _lexicons() -> dict[str, Lexicon]:
    """Those of this process, by the name of their analyzer."""
    return {}


def lexicon(name: str) -> Lexicon:
    """What this process knows so far of the runs that an analyzer reads."""
    known = _lexicons()
    if name not in known or known[name].is_large:
        known[name] = Lexicon(name)
    return known[name]
