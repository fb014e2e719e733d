"""What the name of a cache, a query and a budget may be: the checks in the order of rule C3."""

from __future__ import annotations

import re
from operator import index

from .errors import CacheMissing, InvalidBudget, InvalidQuery

LONGEST_QUERY = 100_000  # characters
LARGEST_BUDGET = 2**53 - 1
DEFAULT_BUDGET = 4000
"""Tokens; what `ask`, `why`, `diff`, query tests and the inspector take where nobody says otherwise."""

_TYPED = re.compile(
    r"\+?(?P<digits>[0-9]+|[0-9]{1,3}(?P<mark>[,_ ])[0-9]{3}((?P=mark)[0-9]{3})*)(\.0)?"
    r"|(?P<thousands>[0-9]+) ?[kK]"
)
_LONGEST_TYPED = 40  # characters


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


def read_budget(text: str) -> int:
    """The budget that somebody typed: `4000`, `4,000`, `4 000`, `4_000`, `4k`, `4000.0`.

    For people alone: programs give a number. A mark must stand between groups of three, and a point
    before a single zero: `4,5` and `4.000` mean other numbers to other people. Raises `InvalidBudget`.
    """
    typed = _TYPED.fullmatch(text.strip()) if len(text) <= _LONGEST_TYPED else None
    digits = (typed["digits"] or f"{typed['thousands']}000") if typed else ""
    tokens = int(re.sub("[,_ ]", "", digits) or -1)
    if not 0 <= tokens <= LARGEST_BUDGET:
        form = f"a whole number of tokens from 0 to {LARGEST_BUDGET:,}, as in 4000, 4,000 or 4k"
        raise InvalidBudget(f"a budget is {form}, not {text[:_LONGEST_TYPED]!a}")
    return tokens


def _whole(value: object) -> int | None:
    """A number without a fraction as an `int`, those of numpy included; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    try:
        return index(value)  # type: ignore[arg-type]  # this call raises for what is no number
    except TypeError:
        return None
