"""The checks of a query and a budget, in the order of rule C3."""

from __future__ import annotations

from operator import index

from ..errors import CacheMissing, InvalidBudget, InvalidQuery

LONGEST_QUERY = 100_000  # characters
LARGEST_BUDGET = 2**53 - 1


def require_name(cache: object) -> None:
    """Raise `CacheMissing` unless `cache` can name one: a path, not empty."""
    if not isinstance(cache, (str, bytes)) and not hasattr(cache, "__fspath__"):
        raise CacheMissing(f"a cache is named by its path, not by {type(cache).__name__}")
    if not cache:
        raise CacheMissing("the name of the cache is empty; `ctx list` shows those of a directory")


def checked_query(query: object) -> str:
    """The query, which must be a Unicode string of at most 100,000 characters."""
    if not isinstance(query, str):
        raise InvalidQuery("the query must be a text")
    if len(query) > LONGEST_QUERY:
        raise InvalidQuery(f"the query has {len(query):,} characters, at most {LONGEST_QUERY:,} are possible")
    try:
        query.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidQuery("the query is not valid Unicode: it holds lone surrogates") from None
    return query


def checked_budget(budget: object) -> int:
    """The budget as an integer from 0 to 2**53 - 1; `4000.0` is one, `True` and `"4000"` are not."""
    tokens = _whole(budget)
    if tokens is None or not 0 <= tokens <= LARGEST_BUDGET:
        raise InvalidBudget(f"the budget must be a whole number of tokens from 0 to {LARGEST_BUDGET}")
    return tokens


def _whole(value: object) -> int | None:
    """A number without a fraction as an `int`, those of numpy included; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    try:
        return index(value)  # type: ignore[arg-type]  # what is no number is told by this call
    except TypeError:
        return None
