"""Two caches side by side: which documents were added, removed or changed, and what that does to queries."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from ..answers import Answer
from .comparison import Comparison, compare

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .cache import Cache


class Changes(Answer):
    """The documents of two caches: the same id with another content or title is a change."""

    def __init__(self, before: Cache, after: Cache) -> None:
        """Compare what the caches list. Raises `CacheInvalid`, `IoError`."""
        self._before = before
        self._after = after
        one, other = _listed(before), _listed(after)
        self.added = [id_ for id_ in other if id_ not in one]
        self.removed = [id_ for id_ in one if id_ not in other]
        self.changed = [id_ for id_, what in other.items() if id_ in one and one[id_] != what]
        self.unchanged = len(other) - len(self.added) - len(self.changed)

    def text_diff(self, id_: str) -> list[str]:
        """The lines of a unified diff of one document, without line ends; that of nothing has no lines."""
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
            ids = sorted((*self.added, *self.removed, *self.changed), key=str.encode)
            fields["diffs"] = {id_: self.text_diff(id_) for id_ in ids}
        return fields


def compare_queries(
    before: Cache, after: Cache, queries: Iterable[tuple[str, int]]
) -> list[tuple[str, int, Comparison]]:
    """What each query, with its budget, chooses from either cache. Raises as `Cache.explain` does."""
    return [
        (query, budget, compare(before.explain(query, budget), after.explain(query, budget)))
        for query, budget in queries
    ]


def _listed(cache: Cache) -> dict[str, tuple[str, str]]:
    """What tells that a document is the same: its version, its title."""
    return {heading.id: (heading.version, heading.title) for heading in cache.summaries()}
