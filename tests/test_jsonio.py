"""The JSON that every door writes."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcache.jsonio import compact, decimal, millionths, pretty

texts = st.text(max_size=20) | st.sampled_from(["1e-05", 'say "1e-05"', "\\1e-05", "e-mail", "\\", '"'])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts | st.integers(0, 10**6).map(millionths),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
)


@given(value=st.integers(0, 10**6))
def test_a_share_has_one_to_six_decimals_and_no_exponent(value: int) -> None:
    """A reader in another language may know no exponents, and the specification shows none."""
    text = decimal(millionths(value))
    assert re.fullmatch(r"[01]\.[0-9]{1,6}", text)
    assert round(float(text) * 10**6) == value


@pytest.mark.parametrize(("value", "text"), [(1e-6, "0.000001"), (2.5e-5, "0.000025"), (1.5e-7, "1.5e-7")])
def test_a_small_number_has_an_exponent_only_below_a_millionth(value: float, text: str) -> None:
    assert compact({"score": value}) == f'{{"score":{text}}}\n'


@given(value=values)
def test_what_is_written_is_read_as_what_it_was(value: object) -> None:
    """Texts that look like numbers stay as they are."""
    assert json.loads(compact(value)) == value
    assert json.loads(pretty(value)) == value


@given(value=values)
def test_the_indented_form_is_that_of_json(value: object) -> None:
    text = pretty(value)
    assert text.endswith("\n")
    if "e-0" not in text and "0.0000" not in text:
        assert text == json.dumps(value, ensure_ascii=False, indent=2) + "\n"
