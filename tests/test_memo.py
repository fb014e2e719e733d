"""What is remembered within a number of bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxcache.memo import BoundedMemo

BOUND = 1000


@given(st.lists(st.tuples(st.text(max_size=40), st.integers(0, 1200))))
def test_a_memo_never_holds_more_than_its_bound(kept: list[tuple[str, int]]) -> None:
    """A server that is asked for ever new words, short or long, must not grow for ever."""
    memo: BoundedMemo[str, int] = BoundedMemo(BOUND)
    for key, size in kept:
        memo.keep(key, size, size)
        assert sum(memo.values()) <= BOUND


def test_what_fits_is_remembered_until_there_is_no_room() -> None:
    memo: BoundedMemo[str, str] = BoundedMemo(BOUND)
    memo.keep("a", "first", 400)
    memo.keep("b", "second", 400)
    assert memo == {"a": "first", "b": "second"}
    memo.keep("c", "third", 400)
    assert memo == {"c": "third"}
    memo.keep("d", "too large", BOUND + 1)
    assert memo == {"c": "third"}
