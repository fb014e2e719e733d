"""What is remembered within a number of bytes."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

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


def test_threads_that_keep_at_once_lose_no_size() -> None:
    """A size that is not counted would stay uncounted for as long as the server lives."""
    memo: BoundedMemo[tuple[int, int], int] = BoundedMemo(BOUND)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            held = pool.map(lambda number: _keep_many(memo, number), range(8))
            assert max(held) <= BOUND
    finally:
        sys.setswitchinterval(interval)


def _keep_many(memo: BoundedMemo[tuple[int, int], int], number: int) -> int:
    """Keep many values; the most that the memo ever held."""
    most = 0
    for turn in range(10_000):
        memo.keep((number, turn), 400, 400)
        most = max(most, sum(list(memo.values())))
    return most
