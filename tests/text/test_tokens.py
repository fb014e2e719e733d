"""Tokens are counted exactly, offline, in bounded time, and the vocabularies are the originals."""

from __future__ import annotations

import lzma
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st
from tiktoken_ext import openai_public  # type: ignore[import-untyped] # it has no types

from ctxcache.errors import InternalError
from ctxcache.text import TOKENIZERS, token_counter, tokens

ENCODINGS = sorted(tokens.ENCODINGS)

SAMPLES = [
    "",
    "hello world",
    "<|endoftext|>",
    "<|fim_prefix|> and <|endofprompt|>",
    "It's 12345 o'clock; we'll SEE\n\n  def f(x):\r\n\treturn x  # über\n",
    "黑豹队的防守只丢了 308 分。データベース 데이터 ปรับใช้",
    "😀👩‍👩‍👧 e\u0301 \u200b\x00",
    "   \n \t \n",
]


@pytest.fixture(scope="module", params=ENCODINGS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_counts_equal_those_of_tiktokens_own_definition(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its definition holds the pattern and where the vocabulary comes from; only the download is ours."""

    def shipped(_url: str, expected_hash: str) -> dict[bytes, int]:
        assert expected_hash == tokens.ENCODINGS[name][0]
        return ours._mergeable_ranks

    ours = tokens.encoding(name)
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", shipped)
    theirs = tiktoken.Encoding(**getattr(openai_public, name)())
    for sample in [
        *SAMPLES,
        *(path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("*.py"))),
    ]:
        assert token_counter(name)(sample) == len(theirs.encode_ordinary(sample))


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("o200k_base", "hello world", 2),
        ("cl100k_base", "hello world", 2),
        ("o200k_base", "<|endoftext|>", 7),
        ("cl100k_base", "<|endoftext|>", 7),
        ("bytes4", "", 0),
        ("bytes4", "abcd", 1),
        ("bytes4", "abcde", 2),
        ("bytes4", "déjà", 2),
        ("bytes4", "\ud800", 1),
    ],
)
def test_counts_are_these(name: str, text: str, count: int) -> None:
    """What looks like a special token is plain text."""
    assert token_counter(name)(text) == count


@pytest.mark.parametrize("unit", ["a", " ", "^", "中", "\n", " \n", "aA", "\u3000", "e\u0301", "😀"])
def test_long_repetitions_are_counted(name: str, unit: str) -> None:
    """A merge in quadratic time would never end here."""
    assert 0 < token_counter(name)(unit * (200_000 // len(unit))) <= 600_000


def test_a_stretch_of_white_space_that_tiktoken_refuses_is_counted(name: str) -> None:
    count = token_counter(name)
    assert count("x" + " " * 2_000_000 + "y") > count("x" + " " * 1_000 + "y")


def test_only_windows_of_white_space_are_counted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "WINDOW", 4)
    assert list(tokens.pieces("ab c     d")) == ["ab c", "    ", " d"]
    assert list(tokens.pieces("abc de fg hi j")) == ["abc de fg hi j"]
    assert list(tokens.pieces("    ")) == ["    "]


@given(st.text("ab \n\t", max_size=40), st.integers(1, 6))
def test_pieces_are_the_text(text: str, window: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "WINDOW", window)
        assert "".join(tokens.pieces(text)) == text


_PARTS = st.sampled_from(
    [
        *("word", "it's", "12345", "Ab", "é", "日本", "e\u0301", "'s", "(", ")", "...", "!", "/", "//", "# "),
        *(
            "\n",
            "\r",
            "\r\n",
            "\n\n",
            " ",
            "   ",
            "\t",
            "\u2028",
            "\x85",
            "\x1c",
            "\x0b",
            "\xa0",
            "\u3000",
            "\ufeff",
        ),
    ]
)


@given(st.lists(_PARTS, max_size=30).map("".join))
@example(")\n/usr/bin\n\n  /x")
@example("word\r\n \t\r\n\u2028\n   word")
def test_the_counts_of_parts_add_up_where_the_counter_says_so(name: str, text: str) -> None:
    """A build counts paragraphs once, and sums them up to sections and files."""
    count = token_counter(name)
    cuts = range(1, len(text))
    seams = [cut for cut, exact in zip(cuts, count.seams(text, cuts), strict=True) if exact]
    assert sum(count(text[low:high]) for low, high in pairwise([0, *seams, len(text)])) == count(text)


def test_counts_add_up_between_the_lines_of_an_ordinary_text(name: str) -> None:
    """Save before a slash, which o200k_base joins with signs and line breaks above it."""
    text = "Use it:\n\n- one\n- two\n    code()\n\n/usr/bin\n"
    starts = [at + 1 for at, character in enumerate(text[:-1]) if character == "\n" and text[at + 1] != "\n"]
    exact = token_counter(name).seams(text, starts)
    assert exact == [True, True, True, name == "cl100k_base"]
    assert not any(token_counter(name).seams(text, set(range(len(text))) - {*starts}))


def test_counts_that_are_rounded_never_add_up() -> None:
    assert token_counter("bytes4").seams("a\nb\n", [2]) == [False]


def test_counts_do_not_add_up_around_a_giant_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its windows lie depends on where the text begins."""
    monkeypatch.setattr(tokens, "WINDOW", 8)
    count = token_counter("o200k_base")
    assert count.seams("ab\ncdefghi", [3]) == [True]
    assert count.seams("ab\ncdefg" + " " * 12, [3]) == [False]


def test_an_unknown_tokenizer_is_a_lookup_error_that_names_the_known() -> None:
    with pytest.raises(LookupError, match="o200k_base, cl100k_base, bytes4"):
        token_counter("gpt2")
    assert TOKENIZERS[0] == "o200k_base"


def test_a_damaged_vocabulary_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cl100k_base.tiktoken.xz").write_bytes(lzma.compress(b"IQ== 0\n"))
    monkeypatch.setattr(tokens, "VOCABULARIES", str(tmp_path))
    with pytest.raises(InternalError, match="install ctxcache again"):
        tokens.encoding.__wrapped__("cl100k_base")


def test_threads_share_one_counter() -> None:
    count = token_counter("o200k_base")
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(count, ["the same text"] * 50)) == {count("the same text")}


def test_counting_needs_neither_network_nor_home(tmp_path: Path) -> None:
    """A fresh process whose sockets fail, with a proxy that is none and an empty home."""
    script = (
        "import socket\n"
        "def refuse(*_, **__): raise AssertionError('the network was asked')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from ctxcache.text import token_counter\n"
        "print(token_counter('cl100k_base')('hello world'))\n"
    )
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("TIKTOKEN")},
        **{"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "HTTPS_PROXY": "http://127.0.0.1:9"},
    }
    ran = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "2\n"
    assert list(tmp_path.iterdir()) == []
