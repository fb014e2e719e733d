"""What is compared: our scorer on whole documents and on sections, other engines, and chunks of fixed size.

Each system has passages, of which each belongs to a document, and orders them for a query.
"""

from __future__ import annotations

import importlib
import re
import sqlite3
from typing import TYPE_CHECKING, Any, NamedTuple

import ctxcache
from ctxcache.builder.config import BuildConfig
from ctxcache.text import token_counter
from ctxcache.text.tokens import encoding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ctxcache import Cache

    from .collection import Collection

DEPTH = 1000
"""How many passages another engine is asked for."""
CHUNKS = (256, 512)
"""Tokens of chunks of fixed size."""


class Passage(NamedTuple):
    """What a system chooses whole."""

    document: str
    tokens: int
    text: str


class System(NamedTuple):
    """A name, passages, and the order of their numbers for a query."""

    name: str
    passages: list[Passage]
    rank: Callable[[str], list[int]]


def ours(collection: Collection, directory: Path, *, split: str) -> System:
    """A cache of the collection: whole documents, or sections."""
    config = BuildConfig(split=split, unique=split == "auto")
    ctxcache.build(collection.documents, directory, config=config)
    cache = ctxcache.open_cache(directory)
    passages = [Passage(d.source, d.tokens, d.content) for d in cache.documents()]
    name = "sections" if split == "auto" else "documents"
    return System(name, passages, lambda query: ranked(cache, query))


def ranked(cache: Cache, query: str) -> list[int]:
    """The numbers of the documents of a cache that match, in order."""
    return [number for number, _, _ in cache.explain(query).order]


def peers(collection: Collection) -> Iterator[System]:
    """Other engines over whole documents, as far as they are installed, and chunks."""
    count = token_counter("o200k_base")
    whole = [Passage(t.id, count(t.content), f"{t.title}\n{t.content}") for t in collection.documents]
    texts = [passage.text for passage in whole]
    for name, engine in (("bm25s", bm25s), ("tantivy", tantivy), ("FTS5", fts5)):
        if rank := engine(texts):
            yield System(name, whole, rank)
    for size in CHUNKS:
        passages = [
            Passage(text.id, count(part), f"{text.title}\n{part}")
            for text in collection.documents
            for part in chunks(text.content, size)
        ]
        if rank := bm25s([passage.text for passage in passages]):
            yield System(f"chunks of {size}", passages, rank)


def chunks(text: str, size: int) -> list[str]:
    """The text cut every `size` tokens, wherever that is."""
    tokens = encoding("o200k_base").encode_ordinary(text)
    parts = (tokens[at : at + size] for at in range(0, len(tokens), size))
    return [encoding("o200k_base").decode(part) for part in parts] or [""]


def bm25s(texts: list[str]) -> Callable[[str], list[int]] | None:
    """bm25s with its English stop words and the Snowball stemmer; None where it is not installed."""
    try:
        peer: Any = importlib.import_module("bm25s")
        stemmer = importlib.import_module("Stemmer").Stemmer("english")
    except ImportError:
        return None
    retriever = peer.BM25()
    tokens = peer.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
    retriever.index(tokens, show_progress=False)

    def rank(query: str) -> list[int]:
        words = peer.tokenize(query, stopwords="en", stemmer=stemmer, show_progress=False)
        found, scores = retriever.retrieve(words, k=min(DEPTH, len(texts)), show_progress=False)
        return [int(n) for n, score in zip(found[0], scores[0], strict=True) if score > 0]

    return rank


def tantivy(texts: list[str]) -> Callable[[str], list[int]] | None:
    """Tantivy with its English stemmer; None where it is not installed."""
    try:
        module: Any = importlib.import_module("tantivy")
    except ImportError:
        return None
    builder = module.SchemaBuilder()
    builder.add_text_field("body", stored=False, tokenizer_name="en_stem")
    builder.add_integer_field("number", stored=True)
    index = module.Index(builder.build())
    writer = index.writer(heap_size=200_000_000, num_threads=1)
    for number, text in enumerate(texts):
        writer.add_document(module.Document(body=text, number=number))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def rank(query: str) -> list[int]:
        words = " ".join(re.findall(r"\w+", query)).lower()
        parsed, _ = index.parse_query_lenient(words, ["body"])
        hits = searcher.search(parsed, limit=min(DEPTH, len(texts))).hits
        return [searcher.doc(address)["number"][0] for _, address in hits]

    return rank


def fts5(texts: list[str]) -> Callable[[str], list[int]]:
    """SQLite FTS5 in memory, with its Porter stemmer, any word of the query."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE texts USING fts5(body, content='', tokenize='porter unicode61')")
    database.executemany("INSERT INTO texts(rowid, body) VALUES (?, ?)", enumerate(texts))

    def rank(query: str) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        if not words:
            return []
        found = database.execute(
            f"SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT {DEPTH}", (words,)
        )
        return [number for (number,) in found]

    return rank
