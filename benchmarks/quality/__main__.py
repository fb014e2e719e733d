"""How well queries find their documents: `python -m benchmarks.quality [FOLDER…] [--corpora DIR]`.

For each collection in BEIR layout: nDCG@10 and the recall of relevant documents in budgets of tokens, of
whole documents and of sections, beside bm25s, tantivy, FTS5 and chunks of fixed size, with a paired test
against the best of these; the same questions with a typo, asked politely, inside a traceback, and with other
words. With `--corpora`, names and headings of folders of documents asked alone. All tables are Markdown.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from functools import partial
from pathlib import Path

from . import names, systems, variations
from .collection import Collection, find
from .figures import BUDGETS, Figures, best_peer, mean, measure, p_value

VARIABLE = "CTXCACHE_COLLECTIONS"
OURS = ("documents", "sections")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = [Path(os.environ[VARIABLE])] if VARIABLE in os.environ else []
    parser.add_argument(
        "folders", nargs="*", type=Path, default=default,
        help=f"collections, or folders of collections (default: ${VARIABLE})",
    )  # fmt: skip
    parser.add_argument("--corpora", type=Path, help="a folder of folders of documents")
    parser.add_argument("--only", nargs="*", help="names of collections")
    options = parser.parse_args()
    print(f"CPython {platform.python_version()}; tokens of o200k_base\n")
    for collection in find(options.folders):
        if not options.only or collection.name in options.only:
            with tempfile.TemporaryDirectory() as directory:
                _collection(collection, Path(directory))
    with tempfile.TemporaryDirectory() as directory:
        _shares("Rows of blocks without a break, in 1,000 tokens", names.rows_delivered(Path(directory)))
    for folder in sorted(options.corpora.iterdir()) if options.corpora else ():
        with tempfile.TemporaryDirectory() as directory:
            cache = names.cache_of(folder, Path(directory) / "cache")
            _shares(f"Names alone, first at rank 1: {folder.name}", names.names_first(cache))
            _shares(f"Headings verbatim, first: {folder.name}", names.headings_first(cache))


def _collection(collection: Collection, directory: Path) -> None:
    """The tables of one collection."""
    own = [systems.ours(collection, directory / split, split=split) for split in ("none", "auto")]
    figures = {system.name: measure(system, collection) for system in (*own, *systems.peers(collection))}
    texts = f"{len(collection.documents):,} documents, {len(collection.queries):,} queries"
    print(f"## {collection.name}: {texts}\n")
    _row("system", "nDCG@10", *(f"R@{budget:,}" for budget in BUDGETS))
    _row(*["---"] * (2 + len(BUDGETS)))
    for name, found in figures.items():
        _row(name, _number(found.ndcg), *(_number(found.recall[budget]) for budget in BUDGETS))
    if collection.answers:
        _row("*answers complete*", "", *[""] * len(BUDGETS))
        for name, found in figures.items():
            _row(name, "", *(_number(found.complete[budget]) for budget in BUDGETS))
    _significance(figures)
    for system in own:
        _variations(system, collection, figures[system.name])
    print(flush=True)


def _significance(figures: dict[str, Figures]) -> None:
    """How probable the differences to the best peer are by chance."""
    peer = best_peer(figures, OURS)
    for name in OURS:
        by_rank = p_value(figures[name].ndcg, figures[peer].ndcg)
        in_budget = p_value(figures[name].recall[4000], figures[peer].recall[4000])
        print(f"\n{name} against {peer}: p = {by_rank:.3f} (nDCG@10), {in_budget:.3f} (R@4,000)")


def _variations(system: systems.System, collection: Collection, plain: Figures) -> None:
    """nDCG@10 of the same questions, as people write them."""
    forms = {
        "one typo": variations.with_typo,
        "polite": variations.politely,
        "in a traceback": variations.in_a_traceback,
    }
    if collection.alternatives:
        forms["also:"] = partial(variations.with_alternatives, collection)
    found = {name: _number(measure(system, collection, ask).ndcg) for name, ask in forms.items()}
    told = ", ".join(f"{name} {value}" for name, value in found.items())
    print(f"\n{system.name}, nDCG@10: as written {_number(plain.ndcg)}, {told}")


def _shares(title: str, shares: dict[str, names.Share]) -> None:
    told = ", ".join(
        f"{kind} {s.answered / s.asked:.2f} of {s.asked}" for kind, s in shares.items() if s.asked
    )
    print(f"{title}: {told}\n", flush=True)


def _row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |")


def _number(values: list[float]) -> str:
    return f"{mean(values):.3f}".removeprefix("0")


if __name__ == "__main__":
    main()
