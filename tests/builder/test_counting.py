"""Words and terms that are counted all at once are those that the analyzer counts text by text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcache.builder import counting
from ctxcache.builder.counting import Lexicon, count_terms
from ctxcache.cache.format import MULTI_TERM
from ctxcache.cache.postings import unpacked
from ctxcache.text import Analyzer

ENGLISH = Analyzer("english-2")
PIECES = (
    "the ",
    "The ",
    "getUserById ",
    "user ",
    "C# ",
    "DEC-0054 ",
    "--- ",
    "黑豹队 ",
    "黑豹 ",
    "v2.10.1 ",
    "0/0 ",
    "std::vector ",
    "package.json ",
    "1,000 ",
    "naïve\n",
)
texts = st.lists(st.sampled_from(PIECES), max_size=8).map("".join) | st.text(max_size=20)


def counted(
    contents: list[str], titles: list[str], lexicon: Lexicon | None = None
) -> list[dict[str, tuple[int, int, bool]]]:
    """For each document its terms, with how often content and title have them, and whether multi_term."""
    found = count_terms(
        Lexicon("english-2") if lexicon is None else lexicon,
        contents,
        titles,
        [""] * len(contents),
        [[]] * len(contents),
    ).postings
    documents: list[dict[str, tuple[int, int, bool]]] = [{} for _ in contents]
    terms = np.repeat([term.decode() for term in found.vocabulary], found.doc_freqs).tolist()
    multi_term = (found.occurrences & MULTI_TERM).astype(bool)
    columns = (found.documents, *unpacked(found.occurrences, found.overflows), multi_term)
    for term, document, *values in zip(terms, *(column.tolist() for column in columns), strict=True):
        documents[document][term] = tuple(values)
    return documents


def expected(content: str, title: str) -> dict[str, tuple[int, int, bool]]:
    body, heading = ENGLISH.frequencies(content), ENGLISH.frequencies(title)
    return {
        term: (body.terms.get(term, 0), heading.terms.get(term, 0), term in body.multi_term)
        for term in {*body.terms, *heading.terms}
    }


@given(st.lists(st.tuples(texts, texts), max_size=5))
def test_postings_are_what_the_analyzer_counts(documents: list[tuple[str, str]]) -> None:
    contents, titles = [content for content, _ in documents], [title for _, title in documents]
    assert counted(contents, titles) == [expected(*document) for document in documents]


@given(st.lists(texts, max_size=5))
def test_words_are_what_the_analyzer_counts(contents: list[str]) -> None:
    found = count_terms(Lexicon("english-2"), contents, contents, [""] * len(contents), [[]] * len(contents))
    words = [ENGLISH.frequencies(content).words for content in contents]
    assert found.words.tolist() == found.title_words.tolist() == words


def test_postings_are_in_the_order_of_terms_and_then_of_documents() -> None:
    found = count_terms(
        Lexicon("english-2"), ["b a", "a getUser", "b"], ["", "b", ""], ["", "", ""], [[]] * 3
    ).postings
    held = np.split(found.documents, np.cumsum(found.doc_freqs)[:-1])
    assert all(documents.tolist() == sorted(documents.tolist()) for documents in held)
    assert len(found.vocabulary) == len({*found.vocabulary}) == 6


@given(st.lists(st.lists(texts, max_size=3), max_size=4))
def test_what_a_lexicon_has_read_before_changes_no_count(batches: list[list[str]]) -> None:
    shared = Lexicon("english-2")
    for contents in batches:
        assert counted(contents, contents, shared) == [expected(text, text) for text in contents]


def test_what_is_forgotten_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAX_ENTRIES", 3)
    lexicon = Lexicon("english-2")
    for text in ("some plain words, getUserById", "others, getItemById", "plain"):
        assert counted([text], ["title"], lexicon) == [expected(text, "title")]
    assert "others" not in lexicon


def test_a_title_of_very_many_words_is_cut_to_what_its_column_holds() -> None:
    assert counted([""], ["a " * 70_000]) == [{"a": (0, 0xFFFF, False)}]


@pytest.mark.parametrize("run", ["a" * 100_000, "a1" * 50_000, "黑豹" * 50_000], ids=["a", "a1", "黑豹"])
def test_long_runs_are_counted_and_forgotten_in_time(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They take as much memory as many short ones."""
    monkeypatch.setattr(counting, "MAX_ENTRIES", 1000)
    lexicon = Lexicon("english-2")
    assert counted([run], [""], lexicon) == [expected(run, "")]
    assert lexicon.is_full
