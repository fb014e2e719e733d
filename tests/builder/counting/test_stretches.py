"""Stretches hold all runs of a text and nothing that no run may hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxcache.builder.counting.stretches import SHORT, keys, stretches
from ctxcache.text import analyzer

texts = st.lists(
    st.text(max_size=30) | st.sampled_from(["a-b", "“left", "\x00", "ü" * 9, "x" * 17]), max_size=4
)


@given(texts)
def test_the_runs_of_a_text_are_those_of_its_stretches(given: list[str]) -> None:
    runs = analyzer("english-1").runs
    found = stretches(given)
    held: list[list[str]] = [[] for _ in given]
    for start, end, text in zip(found.starts, found.ends, found.texts, strict=True):
        held[text] += runs(found.data[start:end].decode("utf-8", "surrogatepass"))
    assert held == [runs(text) for text in given]


@given(texts)
def test_the_numbers_of_a_stretch_are_its_first_bytes(given: list[str]) -> None:
    found = stretches(given)
    for start, end, low, high in zip(found.starts, found.ends, found.low, found.high, strict=True):
        first = found.data[start : min(end, start + SHORT)].ljust(SHORT, b"\0")
        assert (int(low), int(high)) == (
            int.from_bytes(first[:8], "little"),
            int.from_bytes(first[8:], "little"),
        )
        assert b"\0" not in found.data[start:end]


@given(texts)
def test_the_numbers_of_a_stretch_are_the_same_alone(given: list[str]) -> None:
    found = stretches(given)
    sizes = (found.ends - found.starts).tolist()
    short = [number for number, size in enumerate(sizes) if size <= SHORT]
    low, high = keys([found.data[found.starts[number] : found.ends[number]] for number in short])
    assert low.tolist() == found.low[short].tolist()
    assert high.tolist() == found.high[short].tolist()
