"""The integer arithmetic of the scorer `bm25f-2`, from occurrences to a score.

Every step is a whole number, so every platform computes the same one. Frequencies and
lengths are in units of 1/4096, impacts and document frequencies' worth in units of 1/256
bit; each `//` below is a rounding down that belongs to the definition. The functions take
`int` and, where said, numpy arrays of 64-bit integers: the index is written and explained
by the same lines.

Source: Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond*
(2009), BM25F; Anh and Moffat, *Pruned query evaluation using pre-computed impacts* (2006).
"""

from __future__ import annotations

from math import log2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from numpy import int64
    from numpy.typing import NDArray

    Integers = TypeVar("Integers", int, NDArray[int64])

SCORER = "bm25f-2"

ONE = 4096  # 1 in fixed point
SATURATION = 6 * ONE // 5  # k1 = 6/5
TITLE_WEIGHT = 3
WHOLE_WORD = 16  # the weight of a query's whole word, in sixteenths
DECAY = 32
DECIMALS = 10**6
_DOUBT = 1e-6  # far more than a logarithm of doubles is ever off


def rarity(holding: int, documents: int) -> int:
    """What a term is worth that `holding` of `documents` hold: log2((2N + 2) / (2n + 1)), in 1/256.

    256 · log2(x) rounded down is the bit length of x^256 less one, which needs no logarithm. One is
    asked first, in a thirtieth of the time, and believed where it is far from a whole number.
    At least 1, so that a term which every document holds still makes a match.
    """
    above, below = 2 * documents + 2, 2 * holding + 1
    value = 256 * log2(above / below)
    if _DOUBT < value % 1 < 1 - _DOUBT:
        return max(1, int(value))
    return max(1, (above**256 // below**256).bit_length() - 1)


def body_length(words: int, all_words: int, documents: int) -> int:
    """The body's length against the average, 1/4 + 3/4 · words / average, in 1/4096."""
    if not all_words:
        return ONE
    return ONE * (all_words + 3 * words * documents) // (4 * all_words)


def title_length(words: int, all_words: int, documents: int) -> int:
    """The title's length against the average, 1/2 + 1/2 · words / average, in 1/4096."""
    if not all_words:
        return ONE
    return ONE * (all_words + words * documents) // (2 * all_words)


def field_frequency(occurrences: Integers, length: Integers) -> Integers:
    """Occurrences in one field over its relative length, in 1/4096; numpy arrays too."""
    return occurrences * (ONE * ONE) // length


def frequency(body: Integers, title: Integers, body_len: Integers, title_len: Integers) -> Integers:
    """tf': the body's frequency and three times the title's, in 1/4096; numpy arrays too."""
    return field_frequency(body, body_len) + field_frequency(TITLE_WEIGHT * title, title_len)


def impact(rarity: Integers, frequency: Integers) -> Integers:
    """idf · tf' / (k1 + tf'), in 1/256, at least 1; numpy arrays too."""
    value = rarity * frequency // (SATURATION + frequency)
    raised: Integers = value + (value == 0)
    return raised


def score_in_millionths(total: int, attainable: int) -> int:
    """`total` as a share of `attainable`, rounded half up to 6 decimals."""
    return (2 * total * DECIMALS + attainable) // (2 * attainable)


class Factors:
    """How much the parts of a total count."""

    __slots__ = ("file", "section")

    def __init__(self, *, has_files: bool) -> None:
        """`has_files`: the index has postings over whole files."""
        self.section = 4
        self.file = 2 if has_files else 0


def decayed(total: int, rank: int) -> int:
    """The total of the document that comes as `rank`, from 0, of those of its file: 1/32 less for each."""
    return max(1, total * max(1, DECAY - rank) // DECAY)
