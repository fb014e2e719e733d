"""Names and headings asked alone, on folders of documents, and rows of blocks that have no break."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.compile import GivenText

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ctxcache import Cache

KINDS = {
    "flags": re.compile(r"(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?![\w-])"),
    "hyphenated": re.compile(r"(?<![\w./-])[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z][A-Za-z0-9]*)+(?![\w/-])"),
    "dotted": re.compile(r"(?<![\w./:-])[A-Za-z]\w*(?:\.[A-Za-z_]\w*)+(?![\w/(:-]|\.\w)"),
    "paths": re.compile(r"(?<![\w./:])/?[A-Za-z_][\w-]*(?:/[\w-]+)+(?:\.\w+)?(?![\w/:])"),
    "colons": re.compile(r"(?<![\w:])[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+(?![\w:])"),
    "camel with digits": re.compile(r"(?<!\w)(?=\w*[A-Z])(?=\w*[a-z])(?=\w*[0-9])[A-Za-z][A-Za-z0-9]+(?!\w)"),
}
MOST_DOCUMENTS = 30
SAMPLE = 200
ROWS = 400


class Share(NamedTuple):
    """How many of some questions were answered."""

    answered: int
    asked: int


def cache_of(folder: Path, directory: Path) -> Cache:
    """A cache of a folder of documents, with sections."""
    ctxcache.build(folder, directory, config=BuildConfig(split="auto"))
    return ctxcache.open_cache(directory)


def names_first(cache: Cache) -> dict[str, Share]:
    """By kind: how often the first document of an answer to a name holds the name."""
    holders: dict[str, Counter[str]] = defaultdict(Counter)
    for document in cache.documents():
        for kind, pattern in KINDS.items():
            holders[kind].update(set(pattern.findall(document.content)))
    shares = {}
    for kind in KINDS:
        names = sorted(name for name, count in holders[kind].items() if count <= MOST_DOCUMENTS)
        asked = random.Random(kind).sample(names, min(SAMPLE, len(names)))
        shares[kind] = Share(sum(_is_first(cache, name) for name in asked), len(asked))
    return shares


def _is_first(cache: Cache, name: str) -> bool:
    first = next(iter(cache.explain(name).entries(stop=2)), None)
    document = None if first is None else cache.document(first.id)
    return document is not None and name.lower() in document.content.lower()


def headings_first(cache: Cache) -> dict[str, Share]:
    """How often a heading asked verbatim has its document first: one that opens it, one that is inside."""
    headings: dict[str, list[tuple[str, str]]] = {"opens its document": [], "is inside": []}
    counts = Counter(title for summary in cache.summaries() for _, title in summary.headings)
    for summary in cache.summaries():
        for position, (_, title) in enumerate(summary.headings):
            if counts[title] == 1 and len(title) > 3:
                headings["is inside" if position else "opens its document"].append((title, summary.id))
    shares = {}
    for where, candidates in headings.items():
        asked = random.Random(where).sample(candidates, min(SAMPLE, len(candidates)))
        shares[where] = Share(sum(_opens(cache, title, id_) for title, id_ in asked), len(asked))
    return shares


def _opens(cache: Cache, query: str, id_: str) -> bool:
    first = next(iter(cache.explain(query).entries(stop=2)), None)
    return first is not None and first.id == id_


def rows_delivered(directory: Path, budget: int = 1000) -> dict[str, Share]:
    """By kind of block: how often the row that is asked for is in the answer, of blocks without a break."""
    shares = {}
    for kind, text in _blocks():
        documents = [GivenText(f"{kind}.md", kind, text)]
        ctxcache.build(documents, directory / kind, config=BuildConfig(split="auto"))
        cache = ctxcache.open_cache(directory / kind)
        keys = [f"item{row:04}" for row in range(7, ROWS, 19)]
        found = [any(key in d.content for d in cache.resolve(key, budget).documents) for key in keys]
        shares[kind] = Share(sum(found), len(found))
    return shares


def _blocks() -> Iterator[tuple[str, str]]:
    source = random.Random(5)
    words = ("alpha", "broker", "cluster", "daemon", "engine", "filter", "gateway", "handler", "ingest")
    rows = [(f"item{row:04}", " ".join(source.choices(words, k=8))) for row in range(ROWS)]
    yield "table", "| key | text |\n|---|---|\n" + "".join(f"| {key} | {text} |\n" for key, text in rows)
    yield (
        "transcript",
        "".join(f"[{n // 60:02}:{n % 60:02}] {key}: {text}\n" for n, (key, text) in enumerate(rows)),
    )
    yield "csv", "key,text\n" + "".join(f"{key},{text}\n" for key, text in rows)
    yield "json", "{" + ",\n".join(f'"{key}": "{text}"' for key, text in rows) + "}\n"
    yield "yaml", "".join(f"{key}: {text}\n" for key, text in rows)
    yield "paragraph", " ".join(f"The {key} has {text}." for key, text in rows) + "\n"
