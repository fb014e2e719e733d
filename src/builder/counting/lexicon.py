"""What runs are read as, remembered by each process while it compiles."""

from __future__ import annotations

from array import array
from collections import defaultdict
from functools import cache
from itertools import chain, count
from typing import TYPE_CHECKING

import numpy as np

from ...text import analyzer
from .stretches import SHORT
from .table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from .stretches import Stretches

_MOST = 1 << 20  # stretches and terms: some 100 MB
_LONGEST_REMEMBERED = 64  # bytes
_FLAGS = (b"\0", b"\1")


class _Memo(dict[bytes, int]):
    """Stretch → number; what is not known is read, and remembered if it is not too long."""

    def __init__(self, read: Callable[[bytes], int]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, stretch: bytes) -> int:
        number = self._read(stretch)
        if len(stretch) <= _LONGEST_REMEMBERED:
            self[stretch] = number
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
        self._short = Table()
        self.long = _Memo(self._read)
        """Those that do not fit the table."""

    def look_up(self, found: Stretches) -> NDArray[np.int64]:
        """The number of each stretch; what is not known yet is read."""
        numbers, lacking = self._short.find(found.low, found.high)
        sizes = found.ends - found.starts
        fresh, long = lacking[sizes[lacking] <= SHORT], np.flatnonzero(sizes > SHORT)
        numbers[fresh] = _each(found, fresh, _Memo(self._read))
        numbers[long] = _each(found, long, self.long)
        self._short.add(found.low[fresh], found.high[fresh], numbers[fresh])
        return numbers

    def _read(self, stretch: bytes) -> int:
        """Read a stretch that is not known yet; one of several runs yields the words of all."""
        runs = self.analyzer.runs(stretch.decode("utf-8", "surrogatepass"))
        read = [*map(self.analyzer.read, runs)]
        if len(read) == 1 and isinstance(read[0], str):
            return self.numbers[read[0]]
        return ~self._reading([*chain.from_iterable([(r,)] if isinstance(r, str) else r for r in read)])

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
        return self._short.size + len(self.long) + len(self.terms) + len(self.numbers) > _MOST


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
