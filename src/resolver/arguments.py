"""The checks of a query and a budget, in the order of rule C3."""

from __future__ import annotations

from ..errors import InvalidBudget, InvalidQuery

LONGEST_QUERY = 100_000  # characters
LARGEST_BUDGET = 2**53 - 1


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
    whole = isinstance(budget, int) or (isinstance(budget, float) and budget.is_integer())
    if isinstance(budget, bool) or not whole or not 0 <= budget <= LARGEST_BUDGET:  # type: ignore[operator]  # a number, by `whole`
        raise InvalidBudget(f"the budget must be a whole number of tokens from 0 to {LARGEST_BUDGET}")
    return int(budget)  # type: ignore[call-overload, no-any-return]  # as above
