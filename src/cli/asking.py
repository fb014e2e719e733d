"""What `resolve` and `why` have in common: a cache, a query, a budget."""

from __future__ import annotations

from ..resolver.arguments import checked_query, read_budget, require_name
from ..resolver.cache import open_cache
from .parser import query_of
from .paths import find_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..resolver.cache import Cache


def asked(options: Namespace) -> tuple[Cache, str, int | None]:
    """The open cache, the query and the budget of a command line, judged in the order of rule C3."""
    require_name(options.cache)
    query = checked_query(query_of(options.query))
    budget = None if options.budget is None else read_budget(options.budget)
    return open_cache(find_cache(options.cache, options.cache_root)), query, budget
