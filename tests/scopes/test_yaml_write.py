"""YAML as it is written: it is read back, and a replaced value leaves every other character."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcache.scopes.write import dump, replace_values
from ctxcache.yamlio import YamlError, load

VALUES: st.SearchStrategy[object] = st.recursive(
    st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.integers(-(2**53), 2**53), st.booleans()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(["alpha", "beta", "gamma"]), VALUES, min_size=1))
def test_what_is_written_is_read_back(fields: dict[str, object]) -> None:
    assert load(dump(fields)) == fields


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# top\na: 'one' # why\nb: two\n", "# top\na: 'new' # why\nb: two\n"),
        ('b: {a: 1}\r\na:   "one"\r\n', 'b: {a: 1}\r\na:   "new"\r\n'),
        ("a: one\n", "a: new\n"),
        ("c: [x]\na: |\n  one\n  two\nb: 1\n", 'c: [x]\na: "new"\nb: 1\n'),
        ("{a: one, b: [a, one]}", "{a: new, b: [a, one]}"),
        ("a:\n  one\nb: 2", "a:\n  new\nb: 2"),
    ],
)
def test_a_replaced_value_leaves_every_other_character(before: str, after: str) -> None:
    assert replace_values(before, {"a": "new"}) == after


def test_a_replaced_value_stays_a_string() -> None:
    """Eight digits without quotes would be a number."""
    assert replace_values("a: 0badcafe\nb: x", {"a": "12345678"}) == 'a: "12345678"\nb: x'


@pytest.mark.parametrize("text", ["b: 1", "a: [x]", "b: &x y\na: *x", "a: &x y\nb: *x", "a: !!str x"])
def test_a_value_that_is_no_plain_scalar_is_not_replaced(text: str) -> None:
    with pytest.raises(YamlError, match="a is not written as a plain value"):
        replace_values(text, {"a": "new"})
