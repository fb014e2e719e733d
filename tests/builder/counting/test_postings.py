"""Words and terms that are counted all at once are those that the analyzer counts text by text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ctxcache.builder.counting import lexicon, postings
from ctxcache.text import analyzer

if TYPE_CHECKING:
    import pytest

NAME = "english-1"
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
    "naïve\n",
)
texts = st.lists(st.sampled_from(PIECES), max_size=8).map("".join) | st.text(max_size=20)


def counted(contents: list[str], titles: list[str]) -> list[dict[str, tuple[int, int, bool]]]:
    """For each document its terms, with how often content and title have them, and whether compound."""
    found = postings.index(NAME, contents, titles).postings
    documents: list[dict[str, tuple[int, int, bool]]] = [{} for _ in contents]
    terms = np.repeat(found.vocabulary, found.holding).tolist()
    for term, document, *values in zip(terms, *(column.tolist() for column in found[2:]), strict=True):
        documents[document][term] = tuple(values)
    return documents


def expected(content: str, title: str) -> dict[str, tuple[int, int, bool]]:
    body, heading = analyzer(NAME).frequencies(content), analyzer(NAME).frequencies(title)
    return {
        term: (body.terms.get(term, 0), heading.terms.get(term, 0), term in body.compound)
        for term in {*body.terms, *heading.terms}
    }


@given(st.lists(st.tuples(texts, texts), max_size=5))
def test_postings_are_what_the_analyzer_counts(documents: list[tuple[str, str]]) -> None:
    contents, titles = [content for content, _ in documents], [title for _, title in documents]
    assert counted(contents, titles) == [expected(*document) for document in documents]


@given(st.lists(texts, max_size=5))
def test_words_are_what_the_analyzer_counts(contents: list[str]) -> None:
    found = postings.index(NAME, contents, contents)
    words = [analyzer(NAME).frequencies(content).words for content in contents]
    assert found.words.tolist() == found.title_words.tolist() == words


def test_postings_are_in_the_order_of_terms_and_then_of_documents() -> None:
    found = postings.index(NAME, ["b a", "a getUser", "b"], ["", "b", ""]).postings
    held = np.split(found.documents, np.cumsum(found.holding)[:-1])
    assert all(documents.tolist() == sorted(documents.tolist()) for documents in held)
    assert len(found.vocabulary) == len({*found.vocabulary}) == 5


def test_what_is_forgotten_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon, "_MOST", 3)
    before = lexicon.lexicon(NAME)
    assert counted(["some plain words, getUserById"], ["title"]) == [
        expected("some plain words, getUserById", "title")
    ]
    assert lexicon.lexicon(NAME) is not before


def test_a_title_of_very_many_words_is_cut_to_what_its_column_holds() -> None:
    assert counted([""], ["a " * 70_000]) == [{"a": (0, 0xFFFF, False)}]


def test_a_long_run_is_counted_and_not_remembered() -> None:
    run = "a" * 1000
    assert counted([run], [""]) == [expected(run, "")]
    assert run.encode() not in lexicon.lexicon(NAME).long


def test_a_word_that_comes_very_often_takes_one_place_of_the_table() -> None:
    """Room for each time that it comes would be kept as long as the process lasts."""
    before = lexicon.lexicon(NAME)
    counted(["unheard " * 100_000], [""])
    assert lexicon.lexicon(NAME) is before
    assert before.short.slots < 100_000


def test_long_runs_are_forgotten_with_all_else_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their terms are kept as long as the others, and are as long as they are."""
    monkeypatch.setattr(lexicon, "_MOST", 1000)
    before = lexicon.lexicon(NAME)
    counted(["b" * 100_000], [""])
    assert lexicon.lexicon(NAME) is not before
