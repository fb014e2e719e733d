"""A query test rewritten to what is answered now, for its author to accept or to refuse."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Any

from .matching import DocumentPattern

if TYPE_CHECKING:
    from .cache import Cache
    from .entry import Entry
    from .query_tests import QueryTest


def renewed(test: QueryTest, cache: Cache) -> dict[str, Any]:
    """The fields of a test that must change for it to pass; None for one that must go.

    An expectation that is not met gives way to the first chosen document that no other one
    means; a broken limit becomes what is reached, a broken prohibition is dropped. Empty when
    nothing is chosen, so that there is nothing to expect. Errors as in `Cache.explain`.
    """
    explained = cache.explain(test.query, test.budget)
    chosen = [explained.entry(rank) for rank in explained.chosen_ranks]
    sources = {entry.id: document.source for entry in chosen if (document := cache.document(entry.id))}
    meant = {
        text: [entry for entry in chosen if DocumentPattern(text).matches(entry.id, sources[entry.id])]
        for text in (*test.expect, *test.forbid)
    }
    fields = _expectations(test, meant, chosen) if test.expect else {}
    if fields is None:
        return {}
    broken = [text for text in test.forbid if meant[text]]
    if broken:
        fields["forbid"] = [text for text in test.forbid if text not in broken] or None
        if not test.expect and not fields["forbid"]:
            fields["expect"] = [chosen[0].id]
    return fields


def _expectations(
    test: QueryTest, meant: dict[str, list[Entry]], chosen: list[Entry]
) -> dict[str, Any] | None:
    """What is expected, and within which limits, by the answer; None when there is none."""
    expected = {text: meant[text][0] for text in test.expect if meant[text]}
    if not (test.any and expected):
        spare = (entry for entry in chosen if entry not in expected.values())
        missed = test.expect[:1] if test.any else [text for text in test.expect if text not in expected]
        expected |= {entry.id: entry for _, entry in zip(missed, spare, strict=False)}
    if not expected:
        return None
    met = all(text in expected for text in test.expect) or (test.any and expected.keys() <= set(test.expect))
    fields: dict[str, Any] = {} if met else {"expect": list(expected)}
    entries = list(expected.values())
    rank = (min if test.any else max)(entry.rank or 1 for entry in entries)
    score = (max if test.any else min)(entry.score for entry in entries)
    if test.at_most_rank is not None and rank > test.at_most_rank:
        fields["at_most_rank"] = rank
    if test.min_score is not None and score < test.min_score:
        fields["min_score"] = floor(score * 1000) / 1000
    return fields
