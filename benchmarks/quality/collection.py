"""Test collections in BEIR layout: `corpus.jsonl`, `queries.jsonl`, `qrels/*.tsv`.

Beside a collection NAME may lie `answers/NAME.json`, reference answers, and `alternatives/NAME.json`, other
words that its documents may use; both are objects from the ids of queries to text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctxcache.builder.inputs import read_corpus
from ctxcache.resolver.evaluate import Qrels, read_qrels, read_queries

if TYPE_CHECKING:
    from pathlib import Path

    from ctxcache.builder.compile import GivenText


@dataclass(frozen=True, kw_only=True, slots=True)
class Collection:
    """Documents, queries, and which document answers which query."""

    name: str
    documents: list[GivenText]
    queries: dict[str, str]
    judged: Qrels
    answers: dict[str, str]
    alternatives: dict[str, str]


def read(folder: Path) -> Collection:
    """The collection in `folder`, queries without a judgement left out."""
    judged: Qrels = {}
    for path in sorted(folder.glob("qrels/*.tsv")):
        for query, gains in read_qrels(path).items():
            judged.setdefault(query, {}).update(gains)
    queries = read_queries(folder / "queries.jsonl")
    return Collection(
        name=folder.name,
        documents=read_corpus(folder / "corpus.jsonl"),
        queries={id_: text for id_, text in queries.items() if id_ in judged},
        judged=judged,
        answers=_beside(folder, "answers"),
        alternatives=_beside(folder, "alternatives"),
    )


def find(directories: list[Path]) -> list[Collection]:
    """The collections among some directories, and directly below them."""
    folders = [
        f for directory in directories for f in (directory, *sorted(directory.iterdir())) if f.is_dir()
    ]
    return [read(folder) for folder in folders if (folder / "corpus.jsonl").is_file()]


def _beside(folder: Path, kind: str) -> dict[str, str]:
    path = folder.parent / kind / f"{folder.name}.json"
    found: dict[str, str] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found
