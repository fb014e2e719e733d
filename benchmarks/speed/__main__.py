"""How fast a query is answered in a warm process: `python -m benchmarks.speed [DOCUMENTS…]`.

Thread-CPU milliseconds over 200 queries of each length, after one round to warm up; every
engine ranks the top ten and counts all matches, on the same queries in the same run. The
ratio is ours to tantivy's: below 1 is faster.
"""

from __future__ import annotations

import argparse
import platform
import tempfile
from pathlib import Path
from statistics import quantiles
from time import perf_counter, thread_time

from . import engines
from .corpus import LENGTHS, Corpus, synthetic


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("documents", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--keep", type=Path, help="where caches are kept for the next run")
    parser.add_argument("--only-ours", action="store_true", help="leave the peers out")
    options = parser.parse_args()
    print(
        f"CPython {platform.python_version()}, {platform.machine()}, thread-CPU ms: p50 / p95 / p99, wall p50"
    )
    for documents in options.documents:
        with tempfile.TemporaryDirectory() as scratch:
            place = options.keep or Path(scratch)
            measure(synthetic(documents), place / str(documents), peers=not options.only_ours)


def measure(corpus: Corpus, place: Path, *, peers: bool) -> None:
    """Print the table of one corpus."""
    print(f"\n{len(corpus.texts):,} documents")
    contestants = dict(engines.ours(engines.build(corpus, place)))
    if peers:
        found = {
            "tantivy": engines.tantivy(corpus),
            "bm25s": engines.bm25s(corpus),
            "FTS5": engines.fts5(corpus),
        }
        contestants |= {name: engine for name, engine in found.items() if engine}
        for name in (name for name, engine in found.items() if not engine):
            print(f"{name:>10}  -")
    medians: dict[tuple[str, int], float] = {}
    for name, engine in contestants.items():
        cells = []
        for length in LENGTHS:
            cpu, wall = timed(engine, corpus.queries[length])
            medians[name, length] = cpu[49]
            cells.append(f"{length}: {cpu[49]:7.3f} /{cpu[94]:7.3f} /{cpu[98]:7.3f}, {wall[49]:7.3f}")
        print(f"{name:>10}  " + "   ".join(cells), flush=True)
    if ("tantivy", LENGTHS[0]) in medians:
        for name in ("ctxcache", "+ budget"):
            ratios = [
                f"{length}: {medians[name, length] / medians['tantivy', length]:.2f}" for length in LENGTHS
            ]
            print(f"{name:>10} / tantivy  " + "   ".join(ratios))


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
