"""Explain a selection: the whole ranking, what was chosen and what was not, or one document.

With `--budget none` nothing is chosen, and each document says the smallest budget that chooses it; a
larger one may choose documents before it instead.
"""

from __future__ import annotations

from .. import jsonio
from ..arguments import DEFAULT_BUDGET
from .asking import asked
from .output import write
from .parser import add_budget, add_cache, add_format, add_query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..resolver.cache import Cache
    from ..resolver.explain import Explained

EXAMPLE = 'ctx why --cache handbook --query "how do we roll back a deployment"'

_ROWS, _RECORDS = 20, 100
"""How much of a ranking a table and a JSON text show where nothing is said."""


def add_arguments(parser: ArgumentParser) -> None:
    """DOCUMENT, `--cache`, `--cache-root`, `--query`, `--budget`, `--limit`, `--all`, `--format`."""
    parser.add_argument(
        "document", nargs="?", metavar="DOCUMENT", help="explain this one, to the last number"
    )
    add_cache(parser, required=False)
    add_query(parser)
    add_budget(parser, default=DEFAULT_BUDGET)
    words = f"only the first N of the ranking (default: {_ROWS} in a table, {_RECORDS} in JSON)"
    parser.add_argument("--limit", type=int, metavar="N", help=words)
    parser.add_argument("--all", action="store_true", help="the whole ranking")
    add_format(parser, "table", "json", "pretty")


def run(options: Namespace) -> None:
    """Write the explanation."""
    cache, query, budget = asked(options)
    explained = cache.explain(query, budget)
    if options.format == "table":
        write(_in_words(cache, explained, options))
        return
    written = jsonio.compact if options.format == "json" else jsonio.pretty
    if options.document is None:
        limit = _limit(options, _RECORDS)
        ranking = explained.to_dict(limit=limit)
        omitted = 0 if limit is None else max(0, len(explained) - max(limit, 0))
        write(written(ranking | ({"omitted": omitted} if omitted else {})))
    else:
        write(written(explained.document(options.document).to_dict(tree=True)))


def _limit(options: Namespace, default: int) -> int | None:
    """How much of the ranking is written; None for all."""
    if options.all:
        return None
    limit: int | None = options.limit
    return default if limit is None else limit


def _in_words(cache: Cache, explained: Explained, options: Namespace) -> str:
    from .explaining import one_document, the_ranking  # people alone pay for what measures characters

    if options.document is None:
        return the_ranking(cache, explained, limit=_limit(options, _ROWS))
    return one_document(explained, options.document)
