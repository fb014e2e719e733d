"""Measure how well a cache answers judged queries: nDCG@10, recall@100, MRR, recall in the budget.

QUERIES and --qrels are files in BEIR layout: queries.jsonl and a tab-separated file of query
id, document id and gain. Document ids are paths below the sources, as in the cache. Instead of
a cache, --corpus takes a corpus.jsonl and builds one for the moment.
"""

from __future__ import annotations

import json
import tempfile
from contextlib import contextmanager
from pathlib import Path

from ..arguments import DEFAULT_BUDGET, read_budget
from ..errors import IoError, UsageError
from ..resolver.cache import open_cache
from ..resolver.evaluate import MEASURES, evaluate, read_qrels, read_queries
from .output import narrate, write
from .parser import add_format
from .paths import find_cache, require_file, require_folder_of
from .tables import count, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator
    from typing import Any

    from ..resolver.cache import Cache
    from ..resolver.evaluate import Evaluation, Figures

EXAMPLE = "ctx eval queries.jsonl --qrels qrels/test.tsv --cache handbook --baseline before.json"


def add_arguments(parser: ArgumentParser) -> None:
    """QUERIES, the judgements, the cache, and what to compare with."""
    add = parser.add_argument
    add("queries", metavar="QUERIES", help='{"_id", "text"} a line')
    add("--qrels", required=True, metavar="FILE", help="query id, document id, gain, between tabs")
    source = parser.add_mutually_exclusive_group(required=True)
    words = "a directory, or the name of a cache in .ctx/caches"
    source.add_argument("-c", "--cache", metavar="CACHE", help=words)
    source.add_argument("--corpus", metavar="FILE", help='build from {"_id", "title", "text"} a line')
    add("-b", "--budget", metavar="TOKENS", help=f"of an answer (default: {DEFAULT_BUDGET})")
    add("--save", metavar="FILE", help="write the figures as JSON, to be a baseline later")
    add("--baseline", metavar="FILE", help="compare with figures that were saved")
    add_format(parser, "table", "json", "pretty")


def run(options: Namespace) -> None:
    """Measure, and write the figures."""
    budget = DEFAULT_BUDGET if options.budget is None else read_budget(options.budget)
    for name in filter(None, (options.queries, options.qrels, options.corpus, options.baseline)):
        require_file(name)
    require_folder_of(options.save)
    queries, judged = read_queries(Path(options.queries)), read_qrels(Path(options.qrels))
    baseline = None if options.baseline is None else _baseline(Path(options.baseline))
    with _cache(options) as cache:
        evaluation = evaluate(cache, queries, judged, budget=budget)
    if not evaluation.queries:
        raise UsageError(f"{options.qrels}: judges none of the queries in {options.queries}")
    if evaluation.unknown:
        lacking = count(len(evaluation.unknown), "relevant document")
        narrate(f"warning: the cache lacks {lacking}, the first is {evaluation.unknown[0]}")
    if options.save is not None:
        Path(options.save).write_bytes(evaluation.to_pretty().encode("utf-8"))
    if options.format == "table":
        write(_in_words(evaluation, baseline))
    else:
        write(evaluation.to_json() if options.format == "json" else evaluation.to_pretty())


@contextmanager
def _cache(options: Namespace) -> Iterator[Cache]:
    """The cache of a command line, built for the moment if it names a corpus."""
    if options.corpus is None:
        yield open_cache(find_cache(options.cache, None))
        return
    from ..builder.build import build
    from ..builder.corpus import read_corpus

    with tempfile.TemporaryDirectory() as scratch:
        build(read_corpus(Path(options.corpus)), f"{scratch}/cache")
        yield open_cache(f"{scratch}/cache")


def _baseline(file: Path) -> dict[str, Figures]:
    """The figures of each query that an evaluation saved."""
    try:
        saved: Any = json.loads(file.read_bytes())
        return {
            id_: {name: float(figures[name]) for name in MEASURES}
            for id_, figures in saved["queries"].items()
        }
    except OSError as error:
        raise IoError(f"{file}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(f"{file}: not figures that `ctx eval --save` wrote") from None


def _in_words(evaluation: Evaluation, baseline: dict[str, Figures] | None) -> str:
    """A row for each query and the means; with a baseline, the difference to it beside each figure."""
    before = baseline or {}
    rows: list[tuple[str, ...]] = [("query", *MEASURES)]
    rows += [(id_, *_cells(figures, before.get(id_))) for id_, figures in evaluation.queries.items()]
    common = [before[id_] for id_ in evaluation.queries if id_ in before]
    means = (
        {name: sum(figures[name] for figures in common) / len(common) for name in MEASURES}
        if common
        else None
    )
    rows.append((f"mean of {len(evaluation.queries):,}", *_cells(evaluation.means, means)))
    return table(rows, "<" + ">" * len(MEASURES))


def _cells(figures: Figures, before: Figures | None) -> list[str]:
    if before is None:
        return [f"{figures[name]:.3f}" for name in MEASURES]
    return [f"{figures[name]:.3f} {round(figures[name] - before[name], 3) + 0.0:+.3f}" for name in MEASURES]
