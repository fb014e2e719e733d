"""Many short texts in one piece of memory."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Array = NDArray[np.int64]
SOME = 1 << 12


class Texts(Sequence[bytes]):
    """Texts in UTF-8: as objects, each would take fifty bytes more."""

    __slots__ = ("data", "ends")

    def __init__(self, data: bytes = b"", ends: Iterable[int] | Array = ()) -> None:
        """The texts stand in `data` one after the other and end at `ends`."""
        self.data = data
        self.ends = np.asarray(ends, np.int64)

    @classmethod
    def of(cls, texts: Sequence[bytes]) -> Texts:
        """Those of a list."""
        return cls(run_together(texts), np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts))))

    @classmethod
    def of_lines(cls, data: bytes) -> Texts:
        """Those of lines that all end in a newline, which stands in none."""
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
        return cls(data.replace(b"\n", b""), ends - np.arange(len(ends)))

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, number: int) -> bytes: ...

    @overload
    def __getitem__(self, number: slice) -> Texts: ...

    def __getitem__(self, number: int | slice) -> bytes | Texts:
        if isinstance(number, slice):
            return self.chosen(np.arange(len(self))[number])
        return self.data[self.ends[number - 1] if number else 0 : self.ends[number]]

    def __iter__(self) -> Iterator[bytes]:
        data, start = self.data, 0
        for end in self.ends.tolist():
            yield data[start:end]
            start = end

    def starts(self) -> Array:
        """Where each begins."""
        return np.concatenate([[0], self.ends])[:-1]

    def chosen(self, numbers: Array) -> Texts:
        """Some of them, in this order."""
        starts, ends = self.starts()[numbers], self.ends[numbers]
        data = memoryview(self.data)
        parts = [data[start:end] for start, end in consecutive(starts, ends)]
        return Texts(b"".join(parts), np.cumsum(ends - starts))

    def replaced(self, others: Mapping[int, bytes]) -> Texts:
        """The same with `others`, by their numbers."""
        data, sizes, done = memoryview(self.data), np.diff(self.ends, prepend=0), 0
        pieces: list[bytes | memoryview] = []
        for number in sorted(others):
            end = int(self.ends[number])
            pieces += [data[done : end - sizes[number]], others[number]]
            sizes[number] = len(others[number])
            done = end
        return Texts(b"".join([*pieces, data[done:]]), np.cumsum(sizes)) if others else self


def consecutive(starts: Array, ends: Array) -> list[tuple[int, int]]:
    """Where ranges that follow each other begin and end, as few as possible."""
    if not len(starts):
        return []
    breaks = np.flatnonzero(starts[1:] != ends[:-1])
    firsts, lasts = starts[[0, *(breaks + 1)]], ends[[*breaks, len(ends) - 1]]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


class GrowingTexts:
    """Texts that come some at a time, in one piece of memory from the start."""

    def __init__(self) -> None:
        self._data = BytesIO()
        self._ends = BytesIO()

    def add(self, texts: Texts) -> None:
        """Put some behind all others."""
        self._ends.write((texts.ends + self._data.tell()).tobytes())
        self._data.write(texts.data)

    def texts(self) -> Texts:
        """All of them."""
        return Texts(self._data.getvalue(), np.frombuffer(self._ends.getvalue(), np.int64))


def run_together(texts: Sequence[bytes], end: bytes = b"") -> bytes:
    """All texts one after the other, each followed by `end`."""
    # Some at a time: `join` takes 80 bytes more for each text while it works.
    parts = (texts[at : at + SOME] for at in range(0, len(texts), SOME))
    return b"".join([end.join([*part, b""]) for part in parts])
