"""The engines, each a function from a query to how many documents match it (top ten ranked on the way)."""

from __future__ import annotations

import importlib
import json
import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import ctxcache
from ctxcache import BuildConfig
from ctxcache.cache.store import Store
from ctxcache.resolver.budget import select
from ctxcache.resolver.query import read_query
from ctxcache.resolver.rank import rank

from .corpus import Corpus, given

if TYPE_CHECKING:
    from pathlib import Path

Engine = Callable[[str], int]
TOP = 10
BUDGET = 4000
FITTING = 100  # more documents than the budget holds


def build(corpus: Corpus, place: Path) -> Path:
    """Our cache of the corpus, at `place`, if it is not there already."""
    if not place.exists():
        ctxcache.build(given(corpus), place, config=BuildConfig(split="none", tokenizer="bytes4"))
    return place


def ours(place: Path) -> dict[str, Engine]:
    """Ranking and counting; the same with the budget filled; the whole answer with its texts."""
    cache = ctxcache.open_cache(place)
    store = cache.store
    assert isinstance(store, Store)
    index, least = store.index, store.index.counts["least_tokens"]

    def ranked(query: str) -> int:
        ranking = rank(read_query(query, index, store.analyzer), index)
        ranking.top(TOP)
        return ranking.matches

    def filled(query: str) -> int:
        ranking = rank(read_query(query, index, store.analyzer), index)
        select(ranking, BUDGET, least_tokens=least)
        return ranking.matches

    def answered(query: str) -> int:
        return len(cache.resolve(query, BUDGET).to_json())

    return {"ctxcache": ranked, "+ budget": filled, "+ texts": answered}


def tantivy(corpus: Corpus) -> Engine | None:
    """Tantivy in memory, one segment, `Count` and `TopDocs`."""
    opened = _tantivy(corpus, stored=False)
    if opened is None:
        return None
    index, searcher = opened

    def search(query: str) -> int:
        return int(searcher.search(index.parse_query(query, ["body"]), limit=TOP, count=True).count)

    return search


def tantivy_texts(corpus: Corpus) -> Engine | None:
    """The same with the texts of as many documents as fit our budget, read from its store, as JSON."""
    opened = _tantivy(corpus, stored=True)
    if opened is None:
        return None
    index, searcher = opened

    def answer(query: str) -> int:
        hits = searcher.search(index.parse_query(query, ["body"]), limit=FITTING, count=True).hits
        texts, left = [], BUDGET
        for score, address in hits:
            text = searcher.doc(address)["body"][0]
            if left < len(text) // 4:
                break
            left -= len(text) // 4
            texts.append({"score": score, "content": text})
        return len(json.dumps(texts))

    return answer


def _tantivy(corpus: Corpus, *, stored: bool) -> tuple[Any, Any] | None:
    """An index of one segment, and what searches it."""
    module = _imported("tantivy")
    if module is None:
        return None
    builder = module.SchemaBuilder()
    builder.add_text_field("body", stored=stored)
    index = module.Index(builder.build())
    writer = index.writer(heap_size=1_000_000_000, num_threads=1)
    for text in corpus.texts:
        writer.add_document(module.Document(body=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index, index.searcher()


def bm25s(corpus: Corpus) -> Engine | None:
    """bm25s on numpy, which gives no count."""
    module = _imported("bm25s")
    if module is None:
        return None
    retriever = module.BM25()
    retriever.index(module.tokenize(corpus.texts, stopwords=None, show_progress=False), show_progress=False)

    def search(query: str) -> int:
        tokens = module.tokenize(query, stopwords=None, show_progress=False)
        return len(retriever.retrieve(tokens, k=TOP, show_progress=False)[0])

    return search


def fts5(corpus: Corpus) -> Engine:
    """SQLite FTS5 in memory."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE texts USING fts5(body, content='', detail=full)")
    rows = enumerate(corpus.texts, start=1)
    database.executemany("INSERT INTO texts(rowid, body) VALUES (?, ?)", rows)
    database.execute("INSERT INTO texts(texts) VALUES ('optimize')")

    def search(query: str) -> int:
        wanted = " OR ".join(query.split())
        database.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 10", (wanted,)
        ).fetchall()
        counted = database.execute("SELECT count(*) FROM texts WHERE texts MATCH ?", (wanted,)).fetchone()
        return int(counted[0])

    return search


def _imported(name: str) -> Any:
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
