"""The command `resolve`, and its cache, query and budget, which `ask` and `why` read in the same way."""

from __future__ import annotations

from ..arguments import checked_query, read_budget, require_name
from ..resolver.cache import Cache, open_cache
from .output import write_as
from .parser import Command, add_budget, add_cache, add_format, add_query, query_of
from .paths import cache_dir_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..resolver.result import SelectionResult

NO_BUDGET = "none"
"""The value of `--budget` that ranks all documents and chooses none."""


def request_of(options: Namespace, *, needs_budget: bool = True) -> tuple[Cache, str, int | None]:
    """The open cache, the query and the budget of a command line, checked in the order of rule C3.

    `--budget none` gives None, unless `needs_budget`. Raises what `open_cache` raises, `InvalidQuery`,
    `InvalidBudget`.
    """
    if options.cache is not None:
        require_name(options.cache)
    query = checked_query(query_of(options.query))
    is_without = options.budget == NO_BUDGET and not needs_budget
    budget = None if is_without else read_budget(options.budget)
    return open_cache(cache_dir_of(options)), query, budget


def _resolve_arguments(parser: ArgumentParser) -> None:
    add_cache(parser)
    add_query(parser)
    add_budget(parser)
    add_format(parser, "json", "pretty", "table")


def _run_resolve(options: Namespace) -> None:
    cache, query, budget = request_of(options)
    result = cache.resolve(query, budget)
    write_as(options.format, result, lambda: _selection_in_words(result))


def _selection_in_words(result: SelectionResult) -> str:
    """A row for each chosen document, with the sum of the tokens up to it, then the figures."""
    from .terminal import table  # JSON does not need it

    rows = [("#", "document", "score", "tokens", "used")]
    used = 0
    for rank, document in enumerate(result.documents, start=1):
        used += document.tokens
        rows.append((str(rank), document.id, f"{document.score:.3f}", f"{document.tokens:,}", f"{used:,}"))
    chosen = table(rows, "><>>>", shorten=1) + "\n" if result.documents else ""
    return chosen + totals(result)


def totals(result: SelectionResult) -> str:
    """The figures of the selection in words."""
    from ..text.display import pluralize

    searched = pluralize(result.documents_considered, "document")
    if not result.documents_selected and not result.documents_excluded_by_budget:
        return f"nothing matches · {searched} searched\n"
    return (
        f"{result.tokens_used:,} of {result.budget:,} tokens · {result.documents_selected:,} chosen · "
        f"{result.documents_excluded_by_budget:,} did not fit · {searched} searched\n"
    )


RESOLVE = Command(
    help="""Select the documents that fit a query, whole, within a budget of tokens.

The JSON is the same, byte for byte, as the answer of the tool `context.resolve`. It takes 40 to 50 %
more tokens than the budget: ids, scores, reasons and the escapes of JSON are not counted.""",
    examples=('ctx resolve --cache handbook --query "how do we roll back a deployment" --budget 4000',),
    arguments=_resolve_arguments,
    run=_run_resolve,
)
