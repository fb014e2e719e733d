"""What the extra `fast` brings gives what is there without it, or is not used."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxcache.text import native, tokens
from ctxcache.text.stem import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ENCODINGS = sorted(native.COUNTS)
COMMON = "aB é Ως Яж हि กุ ل 中ガ각 \uff21 😀 \u0301\u00a0\u2028\u3000\x1c\x85½Ⅷ"
PIECES = (
    *("word", "It's", "'LL", "getUserById", "12345", "//", "/usr", "...", "--", "_", "<|endoftext|>"),
    *(" ", "  ", "\n", "\r\n", "\t", "\n\n\n", *COMMON),
)
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=30)


@pytest.fixture(scope="module", params=ENCODINGS)
def name(request: pytest.FixtureRequest) -> str:
    tokens.encoding(str(request.param))  # loaded before a deadline runs
    return str(request.param)


@pytest.fixture(scope="module")
def native_count(name: str) -> Callable[[str], int]:
    pytest.importorskip("toktok")
    count = native.counter(name, tokens.exact_counter)
    assert count is not None
    return count


def test_the_probe_counts_what_tiktoken_counts(name: str) -> None:
    assert native.COUNTS[name] == tokens.exact_counter(name)(native.PROBE)


@given(texts)
@example("\ud800 a")
@example(" I'\u017f")  # a long s: an `s` where case is ignored
@example("\u0c5c \U0001e6c0x")  # assigned after Unicode 15: toktok does not know what they are
def test_native_counts_are_exact(name: str, native_count: Callable[[str], int], text: str) -> None:
    assert native_count(text) == tokens.exact_counter(name)(text)


def test_each_character_that_is_counted_natively_counts_the_same(
    name: str, native_count: Callable[[str], int]
) -> None:
    exact = tokens.exact_counter(name)
    common = [char for char in map(chr, range(0x110000)) if not native._UNCOMMON.match(char)]
    texts = [f"ab{char}c {char}{char}1{char} X{char}\n{char}\u0301{char}'s" for char in common]
    assert [text for text in texts if native_count(text) != exact(text)] == []


def test_the_vocabularies_are_equal(name: str) -> None:
    """No probe tries every token."""
    toktok = pytest.importorskip("toktok")
    ranks = tokens.encoding(name)._mergeable_ranks
    assert sorted(map(bytes, toktok._encoding(name).token_byte_values())) == sorted(ranks)


@pytest.mark.parametrize(
    "other", [None, SimpleNamespace(), SimpleNamespace(_encoding=lambda _: SimpleNamespace(count=len))]
)
def test_a_counter_that_is_missing_or_counts_otherwise_is_not_used(
    other: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "toktok", other)
    assert native.counter("o200k_base", tokens.exact_counter) is None


@given(st.text("abcdefghilmnoprstuvwxyé中", min_size=1, max_size=9), st.sampled_from(native.WORDS))
def test_native_stems_are_the_same(start: str, word: str) -> None:
    pytest.importorskip("Stemmer")
    native_stem = native.stemmer()
    assert native_stem is not stem
    for made in (start, start + word[len(word) // 2 :]):
        assert native_stem(made) == stem(made)


@pytest.mark.parametrize(
    "other", [None, SimpleNamespace(Stemmer=lambda *_: SimpleNamespace(stemWord=str.title))]
)
def test_a_stemmer_that_is_missing_or_stems_otherwise_is_not_used(
    other: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "Stemmer", other)
    assert native.stemmer() is stem
