"""Postings by term: which terms have the same ones."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ctxcache.cache.postings import Inversion, packed, signatures
from ctxcache.cache.texts import Texts

KEY = bytes(range(16))
COUNTS = st.integers(0, 5) | st.integers(0, 70_000)
POSTINGS = st.lists(
    st.dictionaries(st.integers(0, 9), st.tuples(COUNTS, st.integers(0, 9)), min_size=1), min_size=1
)
"""Of each term the documents with the counts in body and title."""


def _inversion(terms: list[dict[int, tuple[int, int]]]) -> Inversion:
    postings = [(document, *counts) for term in terms for document, counts in sorted(term.items())]
    documents, bodies, titles = (np.array(column, np.int64) for column in zip(*postings, strict=True))
    occurrences, overflows = packed(bodies, titles, np.zeros(len(bodies), np.bool_))
    return Inversion(
        terms=Texts.of([b"%d" % number for number in range(len(terms))]),
        starts=np.cumsum([0, *map(len, terms)]),
        documents=documents.astype(np.uint32),
        occurrences=occurrences,
        overflows=overflows,
    )


@given(POSTINGS)
def test_terms_have_equal_signatures_where_their_documents_and_counts_are_equal(
    terms: list[dict[int, tuple[int, int]]],
) -> None:
    rows = signatures(_inversion(terms), KEY).tolist()
    for term, row in zip(terms, rows, strict=True):
        for other, of_other in zip(terms, rows, strict=True):
            assert (row == of_other) == (term == other)


@given(POSTINGS)
def test_another_key_gives_other_signatures(terms: list[dict[int, tuple[int, int]]]) -> None:
    inversion = _inversion(terms)
    assert signatures(inversion, KEY).tolist() != signatures(inversion, KEY[::-1]).tolist()
