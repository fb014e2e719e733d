"""From two numbers to one, for many at a time: a hash table of arrays with linear probing.

A dictionary takes a call for each word; some operations on arrays do it for all words of a batch, in a fifth
of the time. What is found was compared whole, so no answer depends on how keys are spread; they are spread at
random, so that no document can be written to fill one place of the table.

Source: Dietzfelbinger, Hagerup, Katajainen and Penttonen, *A reliable randomized algorithm for the
closest-pair problem* (1997), multiply-shift hashing.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Places = NDArray[np.int64]

_SMALLEST = 14  # bits


class Table:
    """Keys, each of two numbers of which the first is not zero, and a number for each."""

    def __init__(self) -> None:
        self._spread = np.frombuffer(os.urandom(16), np.uint64) | np.uint64(1)
        self._allot(_SMALLEST)

    def _allot(self, bits: int) -> None:
        """Make an empty table of so many bits."""
        self._shift = np.uint64(64 - bits)
        self._low = np.zeros(1 << bits, np.uint64)  # zero where nothing is
        self._high = np.zeros(1 << bits, np.uint64)
        self._numbers = np.zeros(1 << bits, np.int64)
        self.size = 0

    @property
    def slots(self) -> int:
        """For how many keys there is room, half of which may be taken."""
        return len(self._low)

    def find(self, low: Keys, high: Keys) -> tuple[Places, Places]:
        """The numbers of some keys, and at which places among them those stand that the table lacks."""
        slots = self._slots(low, high)
        numbers = self._numbers[slots]
        left = np.flatnonzero((self._low[slots] != low) | (self._high[slots] != high))
        lacking = [left[:0]]
        while left.size:
            empty = self._low[slots[left]] == 0
            lacking.append(left[empty])
            left = left[~empty]
            slots[left] = self._next(slots[left])
            there = slots[left]
            found = (self._low[there] == low[left]) & (self._high[there] == high[left])
            numbers[left[found]] = self._numbers[there[found]]
            left = left[~found]
        return numbers, np.concatenate(lacking)

    def add(self, low: Keys, high: Keys, numbers: Places) -> None:
        """Take in keys that the table lacks, each of them once."""
        if 2 * (self.size + len(low)) > self.slots:
            self._grow(self.size + len(low))
        self.size += len(low)
        slots = self._slots(low, high)
        while low.size:
            empty = self._low[slots] == 0
            free = slots[empty]
            # Of several keys for one slot the last is written, in each of the three arrays.
            self._low[free], self._high[free], self._numbers[free] = low[empty], high[empty], numbers[empty]
            left = (self._low[slots] != low) | (self._high[slots] != high)
            low, high, numbers, slots = low[left], high[left], numbers[left], self._next(slots[left])

    def _grow(self, size: int) -> None:
        """Make room for so many keys, and as many again."""
        taken = self._low != 0
        kept = self._low[taken], self._high[taken], self._numbers[taken]
        self._allot((4 * size - 1).bit_length())
        self.add(*kept)

    def _slots(self, low: Keys, high: Keys) -> Places:
        """Where each key is looked for first."""
        mixed: Keys = low * self._spread[0] + high * self._spread[1]
        return (mixed >> self._shift).astype(np.int64)

    def _next(self, slots: Places) -> Places:
        return (slots + 1) & (self.slots - 1)
