"""Where the words of a query stand in a document, by the rule of the cache's own analyzer."""

from __future__ import annotations

import re

from ..cache.store import Store
from .query import read_query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .cache import Cache

WINDOW = 100
"""Characters of a snippet."""

_FRONT_MATTER = re.compile(r"---\n(?:(?!---)[^\n]*+\n)*+---\n")
_BEFORE = 20
"""Characters of it before its first match, at most."""


def match_spans(cache: Cache, query: str, text: str) -> list[tuple[int, int]]:
    """The words of `text` that match the query, in order."""
    if not query.strip():
        return []
    store = cache.store
    if not isinstance(store, Store):
        wanted = set(query.lower().split())
        return [match.span() for match in re.finditer(r"\S+", text) if match[0].lower() in wanted]
    terms = read_query(query, store.index, store.analyzer, store.manifest.synonyms).matching_terms
    return store.analyzer.spans(text, terms)


def snippet(cache: Cache, query: str, text: str) -> str:
    """The part of `text` with the most different words of the query, in one line; empty without a match."""
    body = _FRONT_MATTER.match(text)
    spans = match_spans(cache, query, text)
    if body:
        spans = [span for span in spans if span[0] >= body.end()]
    if not spans:
        return ""
    start = max(body.end() if body else 0, _richest(spans, text) - _BEFORE)
    end = min(len(text), start + WINDOW)
    if start and not (body and start == body.end()):
        start = text.find(" ", start, start + _BEFORE) + 1 or start
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + WINDOW // 2)
    words = " ".join(text[start:end].split())
    return "…" * (start > 0) + words + "…" * (end < len(text))


def _richest(spans: list[tuple[int, int]], text: str) -> int:
    """Where the window begins that holds the most different words; the first of equals."""
    best, most = spans[0][0], 0
    counts: dict[str, int] = {}
    last = 0
    for start, end in spans:
        while last < len(spans) and spans[last][1] <= start + WINDOW - _BEFORE:
            word = text[slice(*spans[last])].lower()
            counts[word] = counts.get(word, 0) + 1
            last += 1
        if len(counts) > most:
            best, most = start, len(counts)
        word = text[start:end].lower()
        if word in counts:
            counts[word] -= 1
            if not counts[word]:
                del counts[word]
    return best
