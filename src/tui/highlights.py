"""Where the words of a query stand in a document, by the rule of the cache's own analyzer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..text import analyzer

if TYPE_CHECKING:
    from ..resolver.cache import Cache
    from .lines import Span


def match_spans(cache: Cache, query: str, text: str) -> list[Span]:
    """The words of `text` that match the query, in order."""
    if not query.strip():
        return []
    name = cache.manifest.analyzer
    if not name:
        wanted = set(query.lower().split())
        return [match.span() for match in re.finditer(r"\S+", text) if match[0].lower() in wanted]
    analyze = analyzer(name)
    terms = {term for word in analyze.query(query) if not word.ignored for term, _ in word.terms}
    return analyze.spans(text, terms)
