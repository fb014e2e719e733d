"""What is compared: our scorer on whole documents and on sections, and its peers."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import ctxcache
from ctxcache.builder.config import BuildConfig
from ctxcache.resolver.format1 import query_words

if TYPE_CHECKING:
    from pathlib import Path

    from .collection import Collection

Ranker = Callable[[str], list[str]]
Measure = Callable[[list[str], dict[str, int]], float]
DEPTH = 100


def whole(collection: Collection, place: Path) -> Ranker:
    """`bm25f-2` over whole documents."""
    config = BuildConfig(split="none", tokenizer="bytes4")
    ctxcache.build(collection.documents, place, config=config, jobs=1)
    cache = ctxcache.open_cache(place)

    def rank(query: str) -> list[str]:
        explained = cache.explain(query)
        return [entry.id for entry in explained.entries(stop=min(DEPTH, explained.matches) + 1)]

    return rank


def within_budget(collection: Collection, place: Path, budget: int, *, split: str) -> Ranker:
    """The documents of which something is selected within `budget` tokens."""
    ctxcache.build(collection.documents, place, config=BuildConfig(split=split))
    cache = ctxcache.open_cache(place)
    sources = {document.id: document.source for document in cache.documents()}
    return lambda query: [sources[d.id] for d in cache.resolve(query, budget).documents]


def format1(collection: Collection) -> Ranker:
    """The naive scorer of format 1 caches: the share of a document's words that equal a query word."""
    counts = [
        (text.id, Counter(f"{text.title}\n{text.content}".lower().split())) for text in collection.documents
    ]
    sizes = {id_: max(1, words.total()) for id_, words in counts}

    def rank(query: str) -> list[str]:
        wanted = query_words(query)
        scores = {id_: sum(words[word] for word in wanted) / sizes[id_] for id_, words in counts}
        return sorted(scores, key=lambda id_: (-scores[id_], id_.encode("utf-8")))[:DEPTH]

    return rank


def bm25s(collection: Collection) -> Ranker | None:
    """bm25s with its English stop words and the Snowball stemmer; None where it is not installed."""
    try:
        peer: Any = importlib.import_module("bm25s")
        stemmer = importlib.import_module("Stemmer").Stemmer("english")
    except ImportError:
        return None
    texts = [f"{text.title}\n{text.content}" for text in collection.documents]
    ids = [text.id for text in collection.documents]
    retriever = peer.BM25()
    retriever.index(
        peer.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
    )

    def rank(query: str) -> list[str]:
        tokens = peer.tokenize(query, stopwords="en", stemmer=stemmer, show_progress=False)
        found, _ = retriever.retrieve(tokens, k=min(DEPTH, len(ids)), show_progress=False)
        return [ids[number] for number in found[0]]

    return rank
