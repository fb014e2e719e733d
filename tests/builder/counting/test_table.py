"""A table finds what was put in, whatever the keys, and nothing else."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ctxcache.builder.counting.table import Keys, Places, Table

keys = st.tuples(st.integers(1, 9) | st.integers(1, 2**64 - 1), st.integers(0, 3) | st.integers(0, 2**64 - 1))


def columns(some: list[tuple[int, int]]) -> tuple[Keys, Keys]:
    """Keys as the two columns that a table takes."""
    return np.array([low for low, _ in some], np.uint64), np.array([high for _, high in some], np.uint64)


@given(st.lists(st.dictionaries(keys, st.integers(-(2**40), 2**40), max_size=30), max_size=3), st.lists(keys))
def test_a_table_is_a_dictionary(
    parts: list[dict[tuple[int, int], int]], others: list[tuple[int, int]]
) -> None:
    known: dict[tuple[int, int], int] = {}
    table = Table()
    for part in parts:
        fresh = {key: number for key, number in part.items() if key not in known}
        table.add(*columns([*fresh]), np.array([*fresh.values()], np.int64))
        known |= fresh
    asked = [*known, *others]
    numbers, lacking = table.find(*columns(asked))
    assert sorted(lacking.tolist()) == [at for at, key in enumerate(asked) if key not in known]
    assert all(number == known.get(key, number) for key, number in zip(asked, numbers.tolist(), strict=True))
    assert table.size == len(known)


def test_a_table_grows_with_what_it_holds() -> None:
    table = Table()
    many = np.arange(1, 100_001, dtype=np.uint64)
    numbers: Places = many.astype(np.int64)
    for part in np.array_split(np.arange(len(many)), 7):
        table.add(many[part], many[part] % 5, numbers[part])
    found, lacking = table.find(many, many % 5)
    assert found.tolist() == numbers.tolist()
    assert not lacking.size
    assert table.find(many, many % 5 + 1)[1].size == len(many)
