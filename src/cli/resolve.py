"""Select the documents that fit a query, whole, within a budget of tokens.

The JSON is the same, byte for byte, as the answer of the tool `context.resolve`. It takes about 40 %
more tokens than the budget: ids, scores, reasons and the escapes of JSON are not counted.
"""

from __future__ import annotations

from .asking import asked
from .output import write
from .parser import add_budget, add_cache, add_format, add_query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..resolver.result import SelectionResult

EXAMPLE = 'ctx resolve --cache handbook --query "how do we roll back a deployment" --budget 4000'


def add_arguments(parser: ArgumentParser) -> None:
    """`--cache`, `--cache-root`, `--query`, `--budget`, `--format`."""
    add_cache(parser)
    add_query(parser)
    add_budget(parser)
    add_format(parser, "json", "pretty", "table")


def run(options: Namespace) -> None:
    """Write the selection."""
    cache, query, budget = asked(options)
    result = cache.resolve(query, budget)
    if options.format == "json":
        write(result.to_json())
    elif options.format == "pretty":
        write(result.to_pretty())
    else:
        write(_in_words(result))


def _in_words(result: SelectionResult) -> str:
    """A row for each chosen document, with the tokens used up to it, and the account."""
    from .tables import table  # people alone pay for what measures characters

    rows = [("#", "document", "score", "tokens", "used")]
    used = 0
    for rank, document in enumerate(result.documents, start=1):
        used += document.tokens
        rows.append((str(rank), document.id, f"{document.score:.3f}", f"{document.tokens:,}", f"{used:,}"))
    chosen = table(rows, "><>>>") + "\n" if result.documents else ""
    return chosen + account(result)


def account(result: SelectionResult) -> str:
    """The figures of the selection in words."""
    from .tables import count

    searched = count(result.documents_considered, "document")
    if not result.documents_selected and not result.documents_excluded_by_budget:
        return f"nothing matches · {searched} searched\n"
    return (
        f"{result.tokens_used:,} of {result.budget:,} tokens · {result.documents_selected:,} chosen · "
        f"{result.documents_excluded_by_budget:,} did not fit · {searched} searched\n"
    )
