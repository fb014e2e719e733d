"""Why a document stands where it does: the library's explanation, sorted for reading.

Every number is one of the explanation's tree or of the entry; this module only finds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..scoring import ONE

if TYPE_CHECKING:
    from ..resolver.entry import Entry
    from ..resolver.explained import Explained
    from ..resolver.explanation import Reason


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """What one term adds to a document's total."""

    label: str
    """The word of the query, or the part of one that was looked for."""
    value: int
    total: int
    body: int
    """Occurrences in the text."""
    title: int = 0
    holding: int | None = None
    """How many documents hold the term, of `documents`; None in format 1."""
    documents: int = 0
    weight: int = 2
    """In the query, in halves."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Why:
    """Where one document stands for a question, and everything that says why."""

    id: str
    title: str
    rank: int | None
    """None when it does not match."""
    matches: int
    score: str
    tokens: int
    words: int
    chosen: bool
    left: int | None
    fits_from: int | None
    """The smallest budget at which it is chosen; at a larger one others may come before it."""
    budget: int | None
    shares: tuple[Share, ...]
    missing: tuple[tuple[str, int], ...]
    """Words that it lacks, each with the number of documents that hold it."""
    ignored: tuple[str, ...]
    unknown: tuple[str, ...]
    length: int | None
    """The body's length factor in 1/4096; None where the scorer has none."""
    average: int
    """Words of an average document, rounded down."""
    tree: Reason

    @property
    def length_factor(self) -> str:
        """The length factor as a decimal: `0.84`."""
        return "" if self.length is None else f"{self.length / ONE:.2f}"


def explain_entry(explained: Explained, entry: Entry) -> Why:
    """Sort what the library says of one document. Raises `CacheInvalid`."""
    words = explained.words
    tree = entry.reason
    labels = _labels(explained)
    length, average = _length(tree)
    shares = [_share(part, tree.value, labels) for part in tree.parts if part.value]
    return Why(
        id=entry.id,
        title=entry.title,
        rank=entry.rank,
        matches=explained.matches,
        score=f"{entry.score:.3f}",
        tokens=entry.tokens,
        words=entry.words,
        chosen=entry.chosen,
        left=entry.left,
        fits_from=entry.fits_from,
        budget=explained.budget,
        shares=tuple(sorted(shares, key=lambda share: -share.value)),
        missing=tuple((word.text, word.documents) for word in entry.missing if word.status == "scored"),
        ignored=tuple(word.text for word in words if word.status == "ignored"),
        unknown=tuple(word.text for word in words if word.status == "unknown"),
        length=length,
        average=average,
        tree=tree,
    )


def _labels(explained: Explained) -> dict[str, str]:
    """For each term the word of the query that it is the whole of."""
    query = getattr(explained, "terms", None)  # format 1 has words only
    if query is None:
        return {}
    return {
        term: word.text
        for word in reversed(query.words)
        for term, weight in word.terms[:1]
        if weight == 2  # halves: a whole word
    }


def _share(part: Reason, total: int, labels: dict[str, str]) -> Share:
    """One term's part of the tree: weight × impact(idf(N, n), tf'(body, length, title, length))."""
    term = part.reason.removeprefix("`").partition("`: ")[0]
    if not part.parts:
        return Share(label=term, value=part.value, total=total, body=part.value)
    weight, impact = part.parts
    rarity, frequency = impact.parts
    documents, holding = rarity.parts
    body, _, title, _ = frequency.parts
    return Share(
        label=labels.get(term, term),
        value=part.value,
        total=total,
        body=body.value,
        title=title.value,
        holding=holding.value,
        documents=documents.value,
        weight=weight.value,
    )


def _length(tree: Reason) -> tuple[int | None, int]:
    """The length factor of the body, and the words of an average document."""
    if not tree.parts or not tree.parts[0].parts:
        return None, 0
    _, impact = tree.parts[0].parts
    rarity, frequency = impact.parts
    body = frequency.parts[1]
    return body.value, body.parts[1].value // max(1, rarity.parts[0].value)
