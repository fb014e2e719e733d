"""Two explanations, or two caches, side by side.

Of two explanations: which documents entered the answer, which left, which moved. They may differ in
the query, in the budget or in the cache; documents are the same when their ids are. Of two caches:
which documents were added, removed or changed, and what that does to queries.
"""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from ..jsonio import JsonResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .cache import Cache
    from .explain import Explanation, RankedDocument


class Difference:
    """A document that at least one of two answers chose, with its entry in either ranking."""

    __slots__ = ("after", "before", "id")

    def __init__(self, id_: str, before: RankedDocument | None, after: RankedDocument | None) -> None:
        """Its entry in either explanation; None where the cache lacks it."""
        self.id = id_
        self.before = before
        self.after = after

    @property
    def fate(self) -> str:
        """`entered`, `left`, `moved` (chosen by both, at another rank) or `kept`."""
        if self.before is None or not self.before.chosen:
            return "entered"
        if self.after is None or not self.after.chosen:
            return "left"
        return "kept" if self.before.rank == self.after.rank else "moved"

    @property
    def cause(self) -> str:
        """Why its place changed: the word whose share changed most, else its size, else the tokens left."""
        if self.before is None or self.after is None:
            return "not in the cache before" if self.before is None else "no longer in the cache"
        term = _most_changed(self.before, self.after)
        if term:
            return term
        if self.before.tokens != self.after.tokens:
            return f"takes {self.after.tokens:,} tokens, before {self.before.tokens:,}"
        if self.before.left != self.after.left:
            return f"{self.after.left or 0:,} tokens left at its turn, before {self.before.left or 0:,}"
        return "" if self.fate == "kept" else "others changed places with it"

    def to_dict(self, *, cause: bool = False) -> dict[str, Any]:
        """`{"id", "fate", "before", "after"}`, the rank and tokens of either side or null."""
        fields: dict[str, Any] = {
            "id": self.id,
            "fate": self.fate,
            "before": _side(self.before),
            "after": _side(self.after),
        }
        return fields | {"cause": self.cause} if cause else fields


class Comparison(JsonResult):
    """The documents of two answers: those of the second in its order, then those that left."""

    def __init__(self, before: Explanation, after: Explanation, differences: list[Difference]) -> None:
        self.before = before
        self.after = after
        self.differences = differences

    def count(self, fate: str) -> int:
        """How many documents have this fate."""
        return sum(difference.fate == fate for difference in self.differences)

    def _repr_html_(self) -> str:
        """What a notebook shows: what became of the documents, and the tokens of both answers."""
        from . import notebook as html  # a program needs none of it

        before, after = self.before, self.after
        rows = (
            (document.fate, html.text_of(document.id), *_ranks(document), html.text_of(document.cause))
            for document in self.differences[: html.SHOWN]
        )
        tokens = f"{before.tokens_used:,} tokens before, {after.tokens_used:,} after"
        return (
            html.heading(before.query if before.query == after.query else f"{before.query} → {after.query}")
            + html.table(("", "document", "before", "after", "why"), rows)
            + html.line(html.more(len(self.differences)) + tokens)
        )

    def to_dict(self, *, cause: bool = False) -> dict[str, Any]:
        """Tokens of either answer, the number of each fate, and the documents; `cause` says why."""
        fates = ("entered", "left", "moved", "kept")
        return {
            "tokens_before": self.before.tokens_used,
            "tokens_after": self.after.tokens_used,
            **{fate: self.count(fate) for fate in fates},
            "documents": [difference.to_dict(cause=cause) for difference in self.differences],
        }


def _ranks(difference: Difference) -> Iterator[str]:
    """The rank of a document in either answer; a dash where it was not chosen."""
    for side in (difference.before, difference.after):
        yield str(side.rank) if side is not None and side.chosen else "–"


def compare(before: Explanation, after: Explanation) -> Comparison:
    """What changes between two explanations, each with its own cache, query and budget."""
    earlier, later = _Side(before), _Side(after)
    ids = dict.fromkeys([*later.chosen_ids(), *earlier.chosen_ids()])
    differences = [Difference(id_, earlier.entry(id_), later.entry(id_)) for id_ in ids]
    return Comparison(before, after, differences)


class _Side:
    """One explanation with its ranks by document number, so that each lookup is one step."""

    def __init__(self, explanation: Explanation) -> None:
        self._explanation = explanation
        self._ranks = {number: rank for rank, (number, _, _) in enumerate(explanation.order, start=1)}

    def chosen_ids(self) -> list[str]:
        """The ids of the chosen documents, in order."""
        return [self._explanation.entry(self._ranks[number]).id for number in self._explanation.chosen]

    def entry(self, id_: str) -> RankedDocument | None:
        """The entry of a document, matching or not; None when the cache has none such."""
        number = self._explanation.store.number_of(id_)
        if number is None:
            return None
        rank = self._ranks.get(number)
        return self._explanation.document(id_) if rank is None else self._explanation.entry(rank)


def _most_changed(before: RankedDocument, after: RankedDocument) -> str:
    """The word whose share changed most, with both shares; empty when none did."""
    old, new = ({share.label: share.value for share in entry.shares} for entry in (before, after))
    changes = {word: new.get(word, 0) - old.get(word, 0) for word in {**old, **new}}
    word = max(changes, key=lambda word: abs(changes[word]), default="")
    return f"{word} gives {new.get(word, 0):,}, before {old.get(word, 0):,}" if changes.get(word) else ""


def _side(entry: RankedDocument | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    return {"rank": entry.rank, "chosen": entry.chosen, "tokens": entry.tokens}


class Changes(JsonResult):
    """The documents of two caches: the same id with another content or title is a change."""

    def __init__(self, before: Cache, after: Cache) -> None:
        """Compare what the caches list. Raises `CacheInvalid`, `IoError`."""
        self._before = before
        self._after = after
        old, new = _versions(before), _versions(after)
        self.added = [id_ for id_ in new if id_ not in old]
        self.removed = [id_ for id_ in old if id_ not in new]
        self.changed = [id_ for id_, version in new.items() if id_ in old and old[id_] != version]
        self.unchanged = len(new) - len(self.added) - len(self.changed)

    @property
    def marked(self) -> list[tuple[str, str]]:
        """Each document that differs, by id, after its mark: `+` added, `-` removed, `~` changed."""
        kinds = (("+", self.added), ("-", self.removed), ("~", self.changed))
        marked = [(mark, id_) for mark, ids in kinds for id_ in ids]
        return sorted(marked, key=lambda pair: pair[1].encode())

    def text_diff(self, id_: str) -> list[str]:
        """A unified diff of one document, in lines without line ends.

        A document that a cache lacks is compared as an empty one.
        """
        before, after = self._before.document(id_), self._after.document(id_)
        return list(
            unified_diff(
                before.content.splitlines() if before else [],
                after.content.splitlines() if after else [],
                f"a/{id_}",
                f"b/{id_}",
                lineterm="",
            )
        )

    def to_dict(self, *, text: bool = False) -> dict[str, Any]:
        """The ids of each kind; `text` adds a diff for each of them."""
        fields: dict[str, Any] = {
            "added": self.added,
            "removed": self.removed,
            "changed": self.changed,
            "unchanged": self.unchanged,
        }
        if text:
            fields["diffs"] = {id_: self.text_diff(id_) for _, id_ in self.marked}
        return fields


def compare_queries(
    before: Cache, after: Cache, queries: Iterable[tuple[str, int]]
) -> list[tuple[str, int, Comparison]]:
    """What each query, with its budget, chooses from either cache. Raises as `Cache.explain` does."""
    return [
        (query, budget, compare(before.explain(query, budget), after.explain(query, budget)))
        for query, budget in queries
    ]


def _versions(cache: Cache) -> dict[str, tuple[str, str]]:
    """For each id the version and the title of its document: a document is unchanged when both are."""
    return {summary.id: (summary.version, summary.title) for summary in cache.summaries()}
