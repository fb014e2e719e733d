"""What `resolve`, `ask` and `why` have in common: a cache, a query, a budget."""

from __future__ import annotations

from ..arguments import checked_query, read_budget, require_name
from ..resolver.cache import open_cache
from .parser import query_of
from .paths import default_cache, find_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..resolver.cache import Cache

NO_BUDGET = "none"
"""A budget in words: everything is ranked, nothing is chosen."""


def asked(options: Namespace) -> tuple[Cache, str, int | None]:
    """The open cache, the query and the budget of a command line, judged in the order of rule C3.

    Without a cache the only one of the project.
    """
    if options.cache is not None:
        require_name(options.cache)
    query = checked_query(query_of(options.query))
    budget = None if options.budget == NO_BUDGET else read_budget(options.budget)
    return open_cache(place_of(options)), query, budget


def place_of(options: Namespace) -> str:
    """The directory of the cache that a command line means. Raises `CacheMissing`, `UsageError`."""
    if options.cache is None:
        return default_cache()
    return find_cache(options.cache, options.cache_root)
