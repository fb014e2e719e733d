"""`bm25f-2`, step by step, against exact fractions."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from ctxcache.scoring import DEFAULT_SCORER, SCORERS, _quotient

SCORER = SCORERS[DEFAULT_SCORER]

counts = st.integers(1, 10**7)


@given(counts, counts)
@example(69_446, 77_180)  # just below a whole number: a logarithm of doubles could not be sure
@example(38_590, 138_892)  # just above one
@example(446_552, 5_927_280)  # so close that it is taken for one
def test_idf_is_the_logarithm_rounded_down(one: int, other: int) -> None:
    """2^(r/256) ≤ (2N + 2) / (2n + 1) < 2^((r + 1)/256), said without a logarithm."""
    holding, documents = sorted((one, other))
    idf = SCORER.idf(holding, documents)
    odds = Fraction(2 * documents + 2, 2 * holding + 1) ** 256
    assert odds < 2 ** (idf + 1)
    assert idf == 1 or 2**idf <= odds


def test_a_term_that_every_document_holds_is_still_worth_something() -> None:
    """Otherwise a query for the product's own name would find nothing."""
    assert SCORER.idf(100_000, 100_000) == 1
    assert SCORER.impact(1, SCORER.weighted_tf(1, 0, 4096, 4096)) == 1


@given(st.integers(0, 10**6), st.integers(0, 10**9), counts)
def test_lengths_are_exact_fractions_rounded_down(words: int, all_words: int, documents: int) -> None:
    """An average document has the length 1."""
    if all_words:
        relative = Fraction(words * documents, all_words)
        assert SCORER.body_length(words, all_words, documents) == floor(4096 * (5 + 11 * relative) / 16)
        assert SCORER.title_length(words, all_words, documents) == floor(4096 * (1 + relative) / 2)
    assert SCORER.body_length(all_words, all_words, 1) == SCORER.title_length(all_words, all_words, 1) == 4096


@given(st.integers(1, 6000), st.lists(st.tuples(counts, st.integers(0, 60000)), min_size=1, max_size=8))
def test_arrays_and_integers_have_the_same_impacts(idf: int, occurrences: list[tuple[int, int]]) -> None:
    """The index is written with arrays and explained with integers."""
    body, title = (np.array(column, np.int64) for column in zip(*occurrences, strict=True))
    lengths = np.full(len(body), 1024), np.full(len(body), 2048)
    impacts = SCORER.impact(np.full(len(body), idf), SCORER.weighted_tf(body, title, *lengths))
    alone = [SCORER.impact(idf, SCORER.weighted_tf(b, t, 1024, 2048)) for b, t in occurrences]
    assert impacts.tolist() == alone


@given(st.integers(1, 6000), st.integers(0, 10**6))
def test_an_impact_never_reaches_the_idf_of_its_term(idf: int, frequency: int) -> None:
    """So no document scores above 1."""
    assert 1 <= SCORER.impact(idf, frequency) <= idf


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_a_score_is_rounded_half_up_to_six_decimals(total: int, attainable: int) -> None:
    """Exact ratio, no float."""
    share = Fraction(total, attainable) * 10**6
    assert SCORER.score_in_millionths(total, attainable) == floor(share + Fraction(1, 2))


@given(st.integers(0, 1 << 62), st.integers(1, (1 << 52) - 1))
@example((1 << 52) - 1, 3)
@example((1 << 52) - 2, (1 << 26) + 1)
def test_quotients_of_arrays_are_those_of_whole_numbers(dividend: int, divisor: int) -> None:
    """Doubles stand in for integers where they cannot round up to the next one."""
    for near in (dividend, dividend // divisor * divisor, max(0, dividend // divisor * divisor - 1)):
        found = _quotient(np.array([near], np.int64), np.array([divisor], np.int64))
        assert found.tolist() == [near // divisor]
