"""Explain a selection: the whole ranking, what was chosen and what was not, or one document.

Without a budget nothing is chosen, and each document says the smallest budget that chooses it; a larger
one may choose documents before it instead.
"""

from __future__ import annotations

from .. import jsontext
from .asking import asked
from .output import write
from .parser import add_budget, add_cache, add_format, add_query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..resolver.cache import Cache
    from ..resolver.explained import Explained

EXAMPLE = 'ctx why --cache handbook --query "how do we roll back a deployment" --budget 4000'


def add_arguments(parser: ArgumentParser) -> None:
    """DOCUMENT, `--cache`, `--cache-root`, `--query`, `--budget`, `--limit`, `--format`."""
    parser.add_argument(
        "document", nargs="?", metavar="DOCUMENT", help="explain this one, to the last number"
    )
    add_cache(parser)
    add_query(parser)
    add_budget(parser, required=False)
    parser.add_argument(
        "--limit", type=int, metavar="N", help="only the first N of the ranking (default: all)"
    )
    add_format(parser, "table", "json", "pretty")


def run(options: Namespace) -> None:
    """Write the explanation."""
    cache, query, budget = asked(options)
    explained = cache.explain(query, budget)
    if options.format == "table":
        write(_in_words(cache, explained, options))
    else:
        written = jsontext.compact if options.format == "json" else jsontext.pretty
        if options.document is None:
            write(written(explained.to_dict(limit=options.limit)))
        else:
            write(written(explained.document(options.document).to_dict(tree=True)))


def _in_words(cache: Cache, explained: Explained, options: Namespace) -> str:
    from .explaining import one_document, the_ranking  # people alone pay for what measures characters

    if options.document is None:
        return the_ranking(cache, explained, limit=options.limit)
    return one_document(explained, options.document)
