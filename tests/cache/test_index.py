"""What is written into an index is what is read from it, in lists and in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.compile import GivenText
from ctxcache.cache import format as layout
from ctxcache.cache.index import LINEAR_SEARCH
from ctxcache.cache.store import Store, open_store
from ctxcache.errors import REBUILD, CacheInvalid
from ctxcache.text import Analyzer

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    GivenText(
        f"{number:02}", f"part {number % 3}", f"common {'rare ' * (number % 7)} word{number} {'x ' * number}"
    )
    for number in range(40)
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An open cache with terms in every, in some and in one of forty documents."""
    ctxcache.build(TEXTS, tmp_path / "cache", config=BuildConfig(split="none", tokenizer="bytes4"))
    opened = open_store(str(tmp_path / "cache"))
    assert isinstance(opened, Store)
    return opened


def test_every_occurrence_is_read_as_it_was_counted(store: Store) -> None:
    """Also the numbers that do not fit in a byte (`x` stands 39 times in one document)."""
    for number, text in enumerate(TEXTS):
        body = Analyzer("english-2").frequencies(text.content)
        title = Analyzer("english-2").frequencies(text.title)
        for term in body.terms.keys() | title.terms.keys():
            postings = store.index.find(term)
            assert postings
            place = store.index.posting_of(postings, number)
            assert place is not None
            held = store.index.occurrences(postings, place)
            assert (held.body, held.title) == (body.terms.get(term, 0), title.terms.get(term, 0))
            assert held.multi_term == (term in body.multi_term)


def test_a_document_that_lacks_a_term_has_no_posting_of_it(store: Store) -> None:
    """In a list and in a column."""
    for term, lacking in (("word3", 2), ("word3", 4), ("rare", 0), ("rare", 7)):
        postings = store.index.find(term)
        assert postings
        assert store.index.posting_of(postings, lacking) is None


def test_the_vocabulary_is_sorted_and_finds_each_of_its_terms(store: Store) -> None:
    """By UTF-8 bytes; what is not in it is not found."""
    terms = [store.index.vocabulary.term(number) for number in range(store.index.counts["terms"])]
    assert terms == sorted(set(terms))
    assert all(store.index.find(term.decode()) for term in terms)
    assert not any(store.index.find(absent) for absent in ("", "aaa", "zzz", "wor", "文"))


def test_a_look_up_never_gives_a_neighbour(store: Store) -> None:
    """Of each term its own number, and nothing for what would stand just before or behind it."""
    vocabulary = store.index.vocabulary
    terms = [vocabulary.term(number).decode() for number in range(store.index.counts["terms"])]
    assert len(terms) > 2 * LINEAR_SEARCH
    for number, term in enumerate(terms):
        assert vocabulary.find(term) == number
        for near in {term + "\0", term + "~", term[:-1], term[:-1] + chr(ord(term[-1]) - 1)} - set(terms):
            assert vocabulary.find(near) is None, near


def test_a_search_among_numbers_never_gives_a_neighbour(store: Store) -> None:
    """Of the terms that are columns, and of what did not fit in a byte."""
    index = store.index
    for section in ("dense_terms", "overflow_keys"):
        numbers = list(index.numbers(section, 0, index.size(section)))
        assert numbers
        for place, number in enumerate(numbers):
            assert index.search(section, number, 0, len(numbers)) == place
            for near in {number - 1, number + 1} - set(numbers):
                assert index.search(section, near, 0, len(numbers)) is None
            assert index.search(section, number, place + 1, len(numbers)) is None
            assert index.search(section, number, 0, place) is None


def test_a_term_is_a_column_where_that_takes_no_more_room(store: Store) -> None:
    """The document frequency is the same either way."""
    expected = {"common": (40, True), "rare": (34, True), "word5": (1, False)}
    for term, facts in expected.items():
        postings = store.index.find(term)
        assert postings
        assert (postings.doc_freq, postings.dense) == facts
    assert [layout.is_dense(n, 1000) for n in (599, 600)] == [False, True]
    assert [layout.is_dense(n, 700_000) for n in (299_999, 300_000)] == [False, True]


def test_documents_and_columns_agree(store: Store) -> None:
    """Each line is read by its number and by its id."""
    for number, text in enumerate(TEXTS):
        document = store.document(number)
        assert (document.id, document.content, document.title) == (text.id, text.content, text.title)
        assert store.index.number("tokens", number) == document.tokens
        assert store.index.number("words", number) == document.words
        assert store.number_of(text.id) == number
    assert store.number_of("absent") is None


def test_numbers_behind_the_end_of_a_section_are_a_fault(store: Store) -> None:
    """A slice of Python would be shorter and say nothing."""
    index = store.index
    assert len(index.numbers("tokens", 0, 40)) == 40
    for start, end in ((0, 41), (41, 41), (3, 2)):
        with pytest.raises(CacheInvalid, match="it points where nothing is"):
            index.numbers("tokens", start, end)


def test_an_impact_is_at_most_what_its_term_is_worth(store: Store) -> None:
    postings = store.index.find("common")
    assert postings
    store.index.require_bounded(postings, 7, 7)
    with pytest.raises(CacheInvalid, match="an impact is larger"):
        store.index.require_bounded(postings, 8, 7)


def made(counts: dict[str, int], sections: dict[str, tuple[int, int]]) -> layout.Layout:
    """A layout whose checksum pages start at block 2."""
    return layout.Layout(counts, sections, 8192, documents=b"d" * 32, version=b"v" * 32)


def test_an_index_of_an_older_layout_is_refused_with_the_remedy(store: Store, tmp_path: Path) -> None:
    path = next((tmp_path / "cache").glob("index-*"))
    data = bytearray(path.read_bytes())
    data[8:12] = (2).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(CacheInvalid, match=f"layout 2; .* {REBUILD} rebuilds the cache"):
        open_store(str(tmp_path / "cache"))


def test_a_header_survives_packing() -> None:
    """And what is none, or whose sections do not fit, is refused."""
    counts = dict.fromkeys(layout.COUNTS, 3)
    sections, offset = {}, layout.BLOCK
    for name in layout.SECTIONS:
        width, items = layout.shapes(counts).get(name, (1, 10))
        sections[name] = (offset, width * items)
        offset = layout.aligned(offset + width * items)
    packed = made(counts, sections).pack()
    read = layout.Layout.unpack(packed)
    assert (read.counts, read.sections, read.pages) == (counts, sections, 8192)
    assert (read.documents, read.version) == (b"d" * 32, b"v" * 32)
    with pytest.raises(ValueError, match="not an index"):
        layout.Layout.unpack(b"\0" * layout.BLOCK)
    offset, length = sections["tokens"]
    for odd in ((offset, length + 4), (offset + 4, length), (0, length), (8192, length), (8128, length + 64)):
        with pytest.raises(ValueError, match="section tokens does not fit"):
            layout.Layout.unpack(made(counts, sections | {"tokens": odd}).pack())
    with pytest.raises(ValueError, match="section term_bytes does not fit"):
        layout.Layout.unpack(made(counts, sections | {"term_bytes": (8128, 65)}).pack())
