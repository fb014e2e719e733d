"""Scorers: what an occurrence of a term is worth, in whole numbers, and why.

A `Scorer` has the numbers of one scorer and is asked by all: the index is written, a query is weighed and a
total is explained by the same lines. Every step is a whole number, so every platform computes the same one.
Frequencies and lengths are in units of 1/4096, impacts and what a document frequency is worth in units
of 1/256 bit; each `//` below is a rounding down that belongs to the definition. Methods that say
so take numpy arrays of 64-bit integers as well as `int`.

Source: Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond*
(2009), BM25F; Anh and Moffat, *Pruned query evaluation using pre-computed impacts* (2006).
"""

from __future__ import annotations

from math import gcd, log2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from numpy import int64
    from numpy.typing import NDArray

    Integers = TypeVar("Integers", int, NDArray[int64])

ONE = 4096  # 1 in fixed point
WHOLE_WORD = 16
"""The weight of a query's whole word: weights are sixteenths of it."""
DECIMALS = 10**6
_TOLERANCE = 1e-6  # far more than a logarithm of doubles is ever off


class ExplanationNode:
    """A whole number, why it is that, and its parts."""

    __slots__ = ("parts", "reason", "value")

    def __init__(self, value: int, reason: str, *parts: ExplanationNode) -> None:
        """`reason` is the formula in words, or what was counted."""
        self.value = value
        self.reason = reason
        self.parts = parts

    def to_dict(self) -> dict[str, Any]:
        """`{"value", "reason", "parts"}`, parts only where there are some."""
        tree: dict[str, Any] = {"value": self.value, "reason": self.reason}
        if self.parts:
            tree["parts"] = [part.to_dict() for part in self.parts]
        return tree


class TermNode(ExplanationNode):
    """What one term gives: besides the tree, what is known of it."""

    __slots__ = ("impact", "note", "term", "weight")

    def __init__(
        self,
        value: int,
        reason: str,
        *,
        term: str,
        note: str = "",
        weight: int = WHOLE_WORD,
        impact: ImpactNode | None = None,
    ) -> None:
        """`term` is the term, or the word of the query that it stands for, and `note` how it does.

        `weight` is in sixteenths of a word. In format 1 a term has no `impact`.
        """
        weighed = ExplanationNode(weight, "weight in the query, in sixteenths of a word")
        super().__init__(value, reason, *((weighed, impact) if impact is not None else ()))
        self.term = term
        self.note = note
        self.weight = weight
        self.impact = impact


class ImpactNode(ExplanationNode):
    """The impact of a term: besides the tree, the counts that it follows from."""

    __slots__ = ("body", "doc_count", "doc_freq", "length", "title", "unit")

    def __init__(
        self,
        value: int,
        reason: str,
        *parts: ExplanationNode,
        doc_freq: int,
        doc_count: int,
        unit: str,
        fields: tuple[FieldCount, FieldCount] | None = None,
        length: int | None = None,
    ) -> None:
        """`doc_freq` of `doc_count` documents or files, the `unit`, hold the term.

        `fields` are its body and its title, and `length` is the body's against the average, in 1/4096; a
        word in the name of a file has neither.
        """
        super().__init__(value, reason, *parts)
        self.doc_freq = doc_freq
        self.doc_count = doc_count
        self.unit = unit
        self.body = fields[0] if fields else None
        self.title = fields[1] if fields else None
        self.length = length


class FieldCount:
    """How often a field of a document, its body or its title, holds a term, and how long it is."""

    __slots__ = ("all_words", "occurrences", "words")

    def __init__(self, occurrences: int, words: int, all_words: int) -> None:
        """`words` are those of the field, `all_words` those of the same field of all documents."""
        self.occurrences = occurrences
        self.words = words
        self.all_words = all_words


class Factors:
    """What each kind of evidence is multiplied with in a total."""

    __slots__ = ("exact", "file", "heading", "joined", "name", "text", "title")

    def __init__(
        self, *, text: int, exact: int, joined: int, name: int, title: int, heading: int, file: int = 0
    ) -> None:
        """Factors of totals; `joined` is one of weights in the query."""
        self.text = text
        """What a document's own text gives."""
        self.exact = exact
        """What words give as they are written."""
        self.joined = joined
        """A name that joins words (`std::fs::File`) has their weight together, times this."""
        self.name = name
        """What the names of its file and folders give."""
        self.title = title
        """The idf of the words of a short query, where its title holds all of them."""
        self.heading = heading
        """The idf of the words of a query that repeats one of its headings."""
        self.file = file
        """What its file gives, where at least one was split."""


class Scorer:
    """BM25F over a body and a title, with impacts computed when the index is written."""

    def __init__(
        self,
        name: str,
        *,
        k1: tuple[int, int],
        title_weight: int,
        body_b: int,
        title_b: int,
        whole: Factors,
        split: Factors,
        decay: int,
    ) -> None:
        """`k1` is a fraction; `body_b` and `title_b`, how much a length counts, are in sixteenths.

        `whole` are the factors of a cache of whole files, `split` those where at least one was split: long
        files hold many words as they are written, and their names tell more. Of what
        comes later from the same file, a total is one part in `decay` less for each before it.
        """
        self.name = name
        """Stands in every manifest; other numbers are another scorer."""
        self._k1 = k1
        self._saturation = k1[0] * ONE // k1[1]
        self._title_weight = title_weight
        self._body_b = body_b
        self._title_b = title_b
        self._whole = whole
        self._split = split
        self.decay = decay

    def factors(self, files: int) -> Factors:
        """Those of a cache with an index over so many files, 0 where none was split."""
        return self._split if files else self._whole

    def idf(self, doc_freq: int, doc_count: int) -> int:
        """What a term is worth that n = `doc_freq` of N documents hold: log2((2N + 2) / (2n + 1)), in 1/256.

        256 · log2(x) rounded down is the bit length of x^256 less one, which needs no logarithm. One is
        asked first, in a thirtieth of the time, and believed where it is far from a whole number.
        At least 1, so that a term which every document holds still makes a match.
        """
        above, below = 2 * doc_count + 2, 2 * doc_freq + 1
        value = 256 * log2(above / below)
        if _TOLERANCE < value % 1 < 1 - _TOLERANCE:
            return max(1, int(value))
        return max(1, (above**256 // below**256).bit_length() - 1)

    def body_length(self, words: int, all_words: int, doc_count: int) -> int:
        """The body's length against the average, 1 - b + b · words / average, in 1/4096."""
        return _relative_length(self._body_b, words, all_words, doc_count)

    def title_length(self, words: int, all_words: int, doc_count: int) -> int:
        """The title's length against the average, likewise."""
        return _relative_length(self._title_b, words, all_words, doc_count)

    def weighted_tf(
        self, body: Integers, title: Integers, body_length: Integers, title_length: Integers
    ) -> Integers:
        """tf': occurrences over the length of the body and of the title, weighted, in 1/4096; arrays too."""
        return self.body_tf(body, body_length) + self.title_tf(title, title_length)

    def body_tf(self, occurrences: Integers, length: Integers) -> Integers:
        """What the occurrences in a body of this length give of tf'; arrays too."""
        return _quotient(occurrences * (ONE * ONE), length)

    def title_tf(self, occurrences: Integers, length: Integers) -> Integers:
        """What those in a title give of it; arrays too."""
        return _quotient(self._title_weight * occurrences * (ONE * ONE), length)

    def impact(self, idf: Integers, weighted_tf: Integers | int) -> Integers:
        """idf · tf' / (k1 + tf'), in 1/256, at least 1; arrays too."""
        value = _quotient(idf * weighted_tf, self._saturation + weighted_tf)
        raised: Integers = value + (value == 0)
        return raised

    def name_impact(self, idf: Integers) -> Integers:
        """The impact of a word in the names of a document's file and folders, and of a whole heading."""
        return self.impact(idf, ONE)

    def decayed(self, total: int, rank: int) -> int:
        """The total of the document that comes as `rank`, from 0, of those of its file."""
        return max(1, total * max(1, self.decay - rank) // self.decay)

    def score_in_millionths(self, total: int, max_score: int) -> int:
        """`total` as a share of the most that a query can give, rounded half up to 6 decimals."""
        return (2 * total * DECIMALS + max_score) // (2 * max_score)

    def explain(
        self, doc_freq: int, doc_count: int, body: FieldCount, title: FieldCount, *, unit: str
    ) -> ImpactNode:
        """The impact of a term in one of the documents or files, the `unit`, and what it follows from."""
        idf = self._explain_idf(doc_freq, doc_count, unit)
        body_length = self.body_length(body.words, body.all_words, doc_count)
        weighted_tf = self._explain_weighted_tf(doc_count, body, title, body_length, unit)
        k1 = "{}/{}".format(*self._k1)
        reason = f"impact = idf · tf' / ({k1} + tf'), in 1/256"
        value = self.impact(idf.value, weighted_tf.value)
        return ImpactNode(
            value, reason, idf, weighted_tf,
            doc_freq=doc_freq, doc_count=doc_count, unit=unit, fields=(body, title), length=body_length,
        )  # fmt: skip

    def explain_name(self, doc_freq: int, doc_count: int) -> ImpactNode:
        """The impact of a word in the names of a document's file and folders, and what it follows from."""
        idf = self._explain_idf(doc_freq, doc_count, "documents")
        k1 = "{}/{}".format(*self._k1)
        value, reason = self.name_impact(idf.value), f"impact = idf / ({k1} + 1), in 1/256"
        return ImpactNode(value, reason, idf, doc_freq=doc_freq, doc_count=doc_count, unit="documents")

    def explain_title(self, doc_freq: int, doc_count: int) -> ImpactNode:
        """What a word counts where a title holds all words of a query, or a heading is the query: its idf."""
        idf = self._explain_idf(doc_freq, doc_count, "documents")
        return ImpactNode(
            idf.value, idf.reason, *idf.parts, doc_freq=doc_freq, doc_count=doc_count, unit="documents"
        )

    def _explain_idf(self, doc_freq: int, doc_count: int, unit: str) -> ExplanationNode:
        return ExplanationNode(
            self.idf(doc_freq, doc_count),
            "idf = log2((2N + 2) / (2n + 1)), in 1/256",
            ExplanationNode(doc_count, "N, documents in the cache" if unit == "documents" else f"N, {unit}"),
            ExplanationNode(doc_freq, "n, those that hold the term"),
        )

    def _explain_weighted_tf(
        self, doc_count: int, body: FieldCount, title: FieldCount, length: int, unit: str
    ) -> ExplanationNode:
        body_length = ExplanationNode(
            length,
            f"length of the body, {_length_formula(self._body_b)}, in 1/4096",
            ExplanationNode(body.words, "words"),
            ExplanationNode(body.all_words, f"words of all {doc_count} {unit}"),
        )
        title_length = ExplanationNode(
            self.title_length(title.words, title.all_words, doc_count),
            f"length of the title, {_length_formula(self._title_b)}, in 1/4096",
            ExplanationNode(title.words, "words of the title"),
            ExplanationNode(title.all_words, f"words of all {doc_count} titles"),
        )
        weight = f"{self._title_weight} · " if self._title_weight > 1 else ""
        return ExplanationNode(
            self.weighted_tf(body.occurrences, title.occurrences, body_length.value, title_length.value),
            f"tf' = occurrences / length of the body + {weight}occurrences / length of the title, in 1/4096",
            ExplanationNode(body.occurrences, "occurrences in the body"),
            body_length,
            ExplanationNode(title.occurrences, "occurrences in the title"),
            title_length,
        )


def _quotient(dividend: Integers, divisor: Integers | int) -> Integers:
    """`dividend // divisor`, both positive; of arrays by way of doubles, in a fifth of the time.

    The double nearest to a quotient is below the next whole number as long as both are below 2^52.
    """
    if isinstance(dividend, int) or dividend.max(initial=0) >> 52:
        return dividend // divisor
    return (dividend / divisor).astype("int64")


def _relative_length(b: int, words: int, all_words: int, doc_count: int) -> int:
    """1 - b + b · words / average, in 1/4096, `b` in sixteenths; 1 where no field has a word."""
    if not all_words:
        return ONE
    return ONE * ((16 - b) * all_words + b * words * doc_count) // (16 * all_words)


def _length_formula(b: int) -> str:
    return f"{_share(16 - b)} + {_share(b)} · words / average"


def _share(sixteenths: int) -> str:
    """A fraction in lowest terms: `11/16`, `1/2`."""
    divisor = gcd(sixteenths, 16)
    return f"{sixteenths // divisor}/{16 // divisor}"


SCORERS = {
    scorer.name: scorer
    for scorer in (
        Scorer(
            "bm25f-2",
            k1=(6, 5), title_weight=3, body_b=11, title_b=8,
            whole=Factors(text=32, exact=4, joined=2, name=9, title=16, heading=32),
            split=Factors(text=32, exact=12, joined=1, name=4, title=16, heading=32, file=20),
            decay=32,
        ),
    )
}  # fmt: skip
"""The scorers of this version, by name."""
DEFAULT_SCORER = "bm25f-2"
