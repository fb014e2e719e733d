"""How well queries find their documents: `python -m benchmarks.quality FOLDER…`.

For each collection: nDCG@10 and recall@100 over whole documents, beside bm25s and the
format 1 scorer on the same queries, and the recall of relevant documents in a budget of
tokens, whole and split.
"""

from __future__ import annotations

import argparse
import platform
import tempfile
from pathlib import Path

from ctxcache.resolver.evaluate import ndcg, recall

from . import rankers
from .collection import Collection, find

HEADER = (
    "collection", "documents", "queries", "nDCG@10", "bm25s", "format 1", "R@100", "bm25s", "format 1",
    "R whole", "R split",
)  # fmt: skip


def main() -> None:
    """Measure and print one line a collection."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, help="collections, or folders of collections")
    parser.add_argument("--budget", type=int, default=4000, help="tokens (default: 4000)")
    options = parser.parse_args()
    collections = find(options.folders)
    if not collections:
        parser.error("no folder holds a corpus.jsonl")
    print(f"CPython {platform.python_version()}, budget {options.budget} tokens of o200k_base")
    print("  ".join(f"{name:>{_width(column)}}" for column, name in enumerate(HEADER)))
    for collection in collections:
        cells = [collection.name, f"{len(collection.documents):,}", f"{len(collection.queries):,}"]
        cells += measured(collection, options.budget)
        print("  ".join(f"{cell:>{_width(column)}}" for column, cell in enumerate(cells)), flush=True)


def measured(collection: Collection, budget: int) -> list[str]:
    """The figures of one collection, in the order of the header."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        ranked = [rankers.whole(collection, place / "whole"), rankers.bm25s(collection)]
        ranked.append(rankers.format1(collection))
        whole = rankers.within_budget(collection, place / "counted", budget, split="none")
        split = rankers.within_budget(collection, place / "split", budget, split="auto")
        rankings = [_ranked(ranker, collection) for ranker in ranked]
        figures = [_mean(rankings, collection, measure) for measure in (ndcg, recall)]
        recalls = [_mean([_ranked(ranker, collection)], collection, recall) for ranker in (whole, split)]
    return [cell for row in (*figures, *recalls) for cell in row]


def _ranked(ranker: rankers.Ranker | None, collection: Collection) -> dict[str, list[str]] | None:
    return None if ranker is None else {id_: ranker(text) for id_, text in collection.queries.items()}


def _mean(
    rankings: list[dict[str, list[str]] | None], collection: Collection, measure: rankers.Measure
) -> list[str]:
    """The mean of a measure over the queries, for each ranking; a dash for one that is missing."""
    means = []
    for ranking in rankings:
        if ranking is None:
            means.append("-")
            continue
        values = [measure(ranking[id_], collection.judged[id_]) for id_ in collection.queries]
        means.append(f"{sum(values) / len(values):.3f}")
    return means


def _width(column: int) -> int:
    return 16 if not column else max(9, len(HEADER[column]))


if __name__ == "__main__":
    main()
