"""How fast a query is answered in a warm process: `python -m benchmarks.speed [DOCUMENTS…] [--folder TEXTS]`.

Milliseconds over 200 queries of each kind, after one round to warm up: thread-CPU at the 50th, 95th and 99th
percentile, then wall at the 50th. Every engine ranks the top ten and counts all matches, on the same queries
in the same run; `+ texts` is the whole answer within a budget as JSON, beside tantivy with its texts stored
and read. The ratio is ours to tantivy's in CPU time: below 1 is faster. Documents are distinct (see
`corpus`): made from the texts of a folder, or from made-up words without one.
"""

from __future__ import annotations

import argparse
import platform
import tempfile
from pathlib import Path
from statistics import quantiles
from time import perf_counter, thread_time

from . import engines
from .corpus import LENGTHS, Corpus, distinct

RATIOS = (("ctxcache", "tantivy"), ("+ budget", "tantivy"), ("+ texts", "with texts"))
PEERS = {
    "tantivy": engines.tantivy,
    "with texts": engines.tantivy_texts,
    "bm25s": engines.bm25s,
    "FTS5": engines.fts5,
}


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("documents", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--folder", type=Path, help="texts that documents are made from")
    parser.add_argument("--keep", type=Path, help="where caches are kept for the next run")
    parser.add_argument("--peers", nargs="*", choices=sorted(PEERS), default=list(PEERS), help="default: all")
    options = parser.parse_args()
    print(
        f"CPython {platform.python_version()}, {platform.machine()}, thread-CPU ms: p50 / p95 / p99, wall p50"
    )
    for documents in options.documents:
        with tempfile.TemporaryDirectory() as scratch:
            place = options.keep or Path(scratch)
            measure(distinct(documents, options.folder), place / str(documents), options.peers)


def measure(corpus: Corpus, place: Path, peers: list[str]) -> None:
    """Print the table of one corpus."""
    print(f"\n{len(corpus.texts):,} documents\n{'':>10}  " + "   ".join(f"{kind:>33}" for kind in LENGTHS))
    contestants = dict(engines.ours(engines.build(corpus, place)))
    for name in peers:
        engine = PEERS[name](corpus)
        if engine is None:
            print(f"{name:>10}  -")
        else:
            contestants[name] = engine
    medians: dict[tuple[str, str], float] = {}
    for name, engine in contestants.items():
        cells = []
        for kind in LENGTHS:
            cpu, wall = timed(engine, corpus.queries[kind])
            medians[name, kind] = cpu[49]
            cells.append(f"{cpu[49]:7.3f} /{cpu[94]:7.3f} /{cpu[98]:7.3f}, {wall[49]:7.3f}")
        print(f"{name:>10}  " + "   ".join(cells), flush=True)
    for name, peer in RATIOS:
        if (peer, LENGTHS[0]) in medians:
            ratios = [f"{kind}: {medians[name, kind] / medians[peer, kind]:.2f}" for kind in LENGTHS]
            print(f"{name:>10} / {peer:<10}  " + "   ".join(ratios))


def timed(engine: engines.Engine, queries: list[str]) -> tuple[list[float], list[float]]:
    """Percentiles of thread-CPU and wall milliseconds."""
    for query in queries:
        engine(query)
    cpu, wall = [], []
    for query in queries:
        started, began = thread_time(), perf_counter()
        engine(query)
        cpu.append(1000 * (thread_time() - started))
        wall.append(1000 * (perf_counter() - began))
    return quantiles(cpu, n=100), quantiles(wall, n=100)


if __name__ == "__main__":
    main()
