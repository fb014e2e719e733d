"""What an index is written from: all postings by term, and the columns of the documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable

SLICE = 1 << 21  # postings handled at once

Array = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentColumns:
    """One number for each document, in id order."""

    tokens: Array
    words: Array
    title_words: Array
    line_ends: Array
    line_checksums: Array
    file_starts: Array
    """The first document of each file; empty where no file was split."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Inversion:
    """All postings, by term and then by document."""

    terms: list[bytes]
    """The vocabulary, sorted."""
    starts: Array
    """Where each term's postings start, and one more for the end."""
    documents: NDArray[np.uint32]
    body: NDArray[np.uint32]
    title: NDArray[np.uint16]
    compound: NDArray[np.bool_]


def by_value(words: Array, relative: Callable[[int, int, int], int], documents: int) -> Array:
    """`relative` length of each document, computed once for each different length."""
    lengths, inverse = np.unique(words, return_inverse=True)
    total = int(words.sum())
    values = [relative(int(length), total, documents) for length in lengths]
    return np.array(values, dtype=np.int64)[inverse] if values else np.zeros(0, np.int64)
