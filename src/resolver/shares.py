"""What each word of a query gives the total of a document: its explanation, added up by word."""

from __future__ import annotations

from typing import NamedTuple

from ..scoring import WHOLE_WORD, TermNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from ..scoring import ExplanationNode


class Share(NamedTuple):
    """What one word, or a part of one that was looked for, gives a document's total."""

    label: str
    value: int
    body: int
    """Occurrences in the text."""
    title: int
    doc_freq: int | None
    """How many documents hold the term, of `documents`; None in format 1."""
    documents: int
    unit: str
    """What these are: documents, or files where only the whole file holds the term."""
    note: str
    """How the term stands for the word: `read as deployment`, `orders only`; empty where it is the word."""

    def to_dict(self) -> dict[str, Any]:
        """`{"term", "value"}`, and `note` where the term is not the word itself."""
        fields: dict[str, Any] = {"term": self.label, "value": self.value}
        return fields | {"note": self.note} if self.note else fields


def shares_of(tree: ExplanationNode, labels: Mapping[str, str]) -> list[Share]:
    """What each word gives, from all branches of a total; the figures are those of its first branch.

    `labels` has the word of the query that a term is the whole of; a term without one is shown as it is.
    """
    shares: dict[str, Share] = {}
    for node in term_nodes(tree):
        share = _share(node, labels)
        before = shares.get(share.label)
        shares[share.label] = share if before is None else before._replace(value=before.value + share.value)
    return [share for share in shares.values() if share.value]


def term_nodes(tree: ExplanationNode) -> Iterator[TermNode]:
    """The nodes of a total that tell what one term gives."""
    for part in tree.parts:
        if isinstance(part, TermNode):
            yield part
        else:
            yield from term_nodes(part)


def _share(node: TermNode, labels: Mapping[str, str]) -> Share:
    label, impact = labels.get(node.term, node.term), node.impact
    if impact is None:
        return Share(label, node.value, node.value, 0, None, 0, "documents", node.note)
    return Share(
        label=label,
        value=node.value,
        body=impact.body.occurrences if impact.body else 0,
        title=impact.title.occurrences if impact.title else 0,
        doc_freq=impact.doc_freq,
        documents=impact.doc_count,
        unit=impact.unit,
        note=node.note or ("part of a name" if node.weight % WHOLE_WORD else ""),
    )
