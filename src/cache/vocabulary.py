"""Finding a term among the sorted terms of an index, in place.

Nothing is parsed and only what a search touches is checked. The terms that every search
meets first, the upper levels of the tree that a binary search is, are remembered.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .index import Index

AT_ONCE = 16  # terms that are read together at the end, in the time of three that are read alone
REMEMBERED = 1 << 13  # terms of the upper levels: all that are read alone, among 130,000 terms


class Vocabulary:
    """The terms of an index by number, sorted by their UTF-8 bytes."""

    def __init__(self, index: Index) -> None:
        """Nothing is read yet."""
        self._index = index
        self._size = index.counts["terms"]
        self._base = index.place("term_bytes")
        self._met: dict[int, bytes] = {}

    def term(self, number: int) -> bytes:
        """The term with this number, UTF-8."""
        start = self._index.number("term_ends", number - 1) if number else 0
        end = self._index.number("term_ends", number)
        return self._index.file.read(self._base + start, self._base + end)

    def find(self, term: str) -> int | None:
        """The number of a term, or None when no document holds it."""
        wanted = term.encode("utf-8")
        low, high, met = 0, self._size, self._met
        while high - low > AT_ONCE:
            middle = (low + high) // 2
            found = met.get(middle)
            if found is None:
                found = self.term(middle)
                if len(met) < REMEMBERED and high - low > self._size // REMEMBERED:
                    met[middle] = found
            if found < wanted:
                low = middle + 1
            else:
                high = middle
        return self._among(wanted, low, min(high + 1, self._size))

    def _among(self, wanted: bytes, low: int, high: int) -> int | None:
        """The number of a term if it is one of those from `low` up to `high`."""
        index = self._index
        ends = [index.number("term_ends", low - 1) if low else 0, *index.numbers("term_ends", low, high)]
        terms = index.file.read(self._base + ends[0], self._base + ends[-1])
        for number in range(high - low):
            if terms[ends[number] - ends[0] : ends[number + 1] - ends[0]] == wanted:
                return low + number
        return None

    def starting(self, prefix: str) -> Iterator[tuple[int, str]]:
        """The terms that begin so, with their numbers."""
        wanted = prefix.encode("utf-8")
        low = self._first(0, self._size, lambda number: self.term(number) >= wanted)
        high = self._first(low, self._size, lambda number: not self.term(number).startswith(wanted))
        if low == high:
            return
        index = self._index
        ends = [index.number("term_ends", low - 1) if low else 0, *index.numbers("term_ends", low, high)]
        terms = index.file.read(self._base + ends[0], self._base + ends[-1])
        for number in range(high - low):
            yield low + number, terms[ends[number] - ends[0] : ends[number + 1] - ends[0]].decode("utf-8")

    def ending(self, suffix: str) -> Iterator[tuple[int, str]]:
        """The terms that end so, with their numbers, of those that the index has in order of their ends."""
        count, wanted = self._index.counts["suffixes"], suffix[::-1]

        def reversed_term(place: int) -> str:
            return self.term(self._index.number("suffix_order", place)).decode("utf-8")[::-1]

        low = self._first(0, count, lambda place: reversed_term(place) >= wanted)
        high = self._first(low, count, lambda place: not reversed_term(place).startswith(wanted))
        for place in range(low, high):
            yield self._index.number("suffix_order", place), reversed_term(place)[::-1]

    @staticmethod
    def _first(low: int, high: int, reached: Callable[[int], bool]) -> int:
        """The first place between two at which something is true that stays true."""
        while low < high:
            middle = (low + high) // 2
            if reached(middle):
                high = middle
            else:
                low = middle + 1
        return low
