"""Test collections in BEIR layout: `corpus.jsonl`, `queries.jsonl`, `qrels/*.tsv`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxcache.builder.compiling import GivenText

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = {".rst": "rst", ".adoc": "asciidoc", ".txt": "text"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Collection:
    """Documents, queries, and which document answers which query."""

    name: str
    documents: list[GivenText]
    queries: dict[str, str]
    judged: dict[str, dict[str, int]]
    """Query id → document id → gain."""


def read(folder: Path) -> Collection:
    """The collection in `folder`, queries without a judgement left out."""
    judged: dict[str, dict[str, int]] = {}
    for path in sorted(folder.glob("qrels/*.tsv")):
        for row in path.read_text(encoding="utf-8").splitlines()[1:]:
            query, document, gain = row.split("\t")
            judged.setdefault(query, {})[document] = int(gain)
    return Collection(
        name=folder.name,
        documents=[_document(fields) for fields in _objects(folder / "corpus.jsonl")],
        queries={q["_id"]: q["text"] for q in _objects(folder / "queries.jsonl") if q["_id"] in judged},
        judged=judged,
    )


def find(places: list[Path]) -> list[Collection]:
    """The collections among `places`, and directly below them."""
    folders = [f for place in places for f in (place, *sorted(place.iterdir())) if f.is_dir()]
    return [read(folder) for folder in folders if (folder / "corpus.jsonl").is_file()]


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _document(fields: dict[str, Any]) -> GivenText:
    id_ = fields["_id"]
    return GivenText(id_, fields.get("title") or "", fields["text"], KINDS.get(Path(id_).suffix, "markdown"))
