"""Where the runs of texts stand, found for a whole batch at once.

A *stretch* is what stands between two bytes that are in no run. In ASCII it is a run; with other letters,
whose separators are many, it may be several, which only the analyzer can tell. Most stretches are short and
come again and again, so the first bytes of each are given as numbers, to be looked up all at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...text import RUN_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SHORT = 16
"""Bytes that fit the two numbers of a stretch."""

_HALF = 8
_ONES = np.array([256**size - 1 for size in range(_HALF + 1)], np.uint64)
_SIZES = np.arange(SHORT + 1)
_LOW = _ONES[np.minimum(_SIZES, _HALF)]
_HIGH = _ONES[np.maximum(_SIZES - _HALF, 0)]
"""For each size of a stretch which bits of eight bytes are its own, of its first and of its second eight."""


class Stretches(NamedTuple):
    """The stretches of some texts, in order."""

    data: bytes
    """The texts as UTF-8, a space between them."""
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    texts: NDArray[np.int64]
    """The number of the text in which each stands."""
    low: NDArray[np.uint64]
    high: NDArray[np.uint64]
    """Its first eight bytes and the next eight, zeros behind its end: no stretch holds a zero."""


def stretches(texts: Sequence[str]) -> Stretches:
    """The stretches of these texts."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    data = b" ".join([b"", *encoded, bytes(SHORT)])
    inside = np.frombuffer(data.translate(RUN_BYTES), np.uint8)
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    reach = np.cumsum([len(text) + 1 for text in encoded], dtype=np.int64)  # the space behind each text
    eight = np.ndarray(len(data) - _HALF + 1, "<u8", data, strides=1)  # those that begin at each byte
    sizes = np.minimum(ends - starts, SHORT)
    return Stretches(
        data=data,
        starts=starts,
        ends=ends,
        texts=np.repeat(np.arange(len(texts)), np.diff(np.searchsorted(starts, reach), prepend=0)),
        low=eight[starts] & _LOW[sizes],
        high=eight[starts + _HALF] & _HIGH[sizes],
    )


def keys(short: Sequence[bytes]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The two numbers of each of some stretches of at most `SHORT` bytes."""
    both = np.frombuffer(b"".join([stretch.ljust(SHORT, b"\0") for stretch in short]), "<u8").reshape(-1, 2)
    return both[:, 0].astype(np.uint64), both[:, 1].astype(np.uint64)
