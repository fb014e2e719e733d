"""Where the words of a query stand in a document, by the rule of the cache's own analyzer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..cache.store import Store

if TYPE_CHECKING:
    from ..resolver.cache import Cache
    from .lines import Span


def match_spans(cache: Cache, query: str, text: str) -> list[Span]:
    """The words of `text` that match the query, in order."""
    if not query.strip():
        return []
    store = cache.store
    if not isinstance(store, Store):
        wanted = set(query.lower().split())
        return [match.span() for match in re.finditer(r"\S+", text) if match[0].lower() in wanted]
    terms = {term for word in store.analyzer.query(query) if not word.ignored for term, _ in word.terms}
    return store.analyzer.spans(text, terms)
