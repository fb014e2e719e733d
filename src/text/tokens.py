"""Counting tokens, exactly as a model's tokenizer does, without ever needing a network.

The vocabularies of tiktoken's encodings lie beside this module and are checked when they are
loaded. Text that looks like a special token (`<|endoftext|>`) is plain text.
"""

from __future__ import annotations

import os
import re
from functools import cache

from ..errors import InternalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tiktoken import Encoding

TOKENIZERS = ("o200k_base", "cl100k_base", "bytes4")
WINDOW = 1 << 18
"""Characters; a window of white space alone is counted apart from the text around it."""
VOCABULARIES = os.path.join(os.path.dirname(__file__), "vocabularies")  # noqa: PTH118, PTH120 - a query loads this

# For each encoding the SHA-256 of its vocabulary, uncompressed, the pattern that cuts a text before byte
# pairs are merged (source: tiktoken, `tiktoken_ext/openai_public.py`), and where that pattern always cuts:
# between a line break and a line that is not blank. Letters, digits and signs hold no line break; a match of
# white space that holds any ends with the last; signs that go on through line breaks end there too, and only
# those of o200k_base go on through slashes. No match looks at what lies beyond: parts alone count the same.
ENCODINGS: dict[str, tuple[str, str, str]] = {
    "o200k_base": (
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        r"(?<=[\r\n])(?!/)[^\S\r\n]*\S",
    ),
    "cl100k_base": (
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        r"(?<=[\r\n])[^\S\r\n]*\S",
    ),
}


class TokenCounter:
    """Counts the tokens of a text, and knows where it may be cut so that those of the parts add up."""

    def __init__(self, count: Callable[[str], int], seam: str | None = None) -> None:
        """`seam` is an expression that matches at such cuts; None where there are none."""
        self._count = count
        self._seam = re.compile(seam) if seam is not None else None

    def __call__(self, text: str) -> int:
        """How many tokens the text has."""
        return self._count(text)

    def seams(self, text: str, cuts: Iterable[int]) -> list[bool]:
        """For each cut (an offset in `text`) whether the tokens before and behind it are those of `text`."""
        if self._seam is None or _holds_a_giant_gap(text):
            return [False for _ in cuts]
        match = self._seam.match
        return [match(text, cut) is not None for cut in cuts]


@cache
def token_counter(name: str) -> TokenCounter:
    """What counts the tokens of a text; `LookupError` for a name not in `TOKENIZERS`."""
    if name == "bytes4":
        return TokenCounter(bytes4)
    if name not in ENCODINGS:
        raise LookupError(f"no tokenizer is called {name!r}; there are {', '.join(TOKENIZERS)}")
    from .native import counter  # what only a build needs, as below

    one = counter(name, exact_counter) or exact_counter(name)

    def count(text: str) -> int:
        return one(text) if len(text) <= WINDOW else sum(map(one, pieces(text)))

    return TokenCounter(count, ENCODINGS[name][2])


@cache
def exact_counter(name: str) -> Callable[[str], int]:
    """tiktoken's own count in an encoding, of a text without a giant gap."""
    encode = encoding(name).encode_ordinary
    return lambda text: len(encode(text))


def pieces(text: str) -> Iterator[str]:
    """The text itself; a giant one in pieces, its windows of nothing but white space apart.

    tiktoken fails on a stretch of white space above a million characters. Cut like this, a stretch has
    less than two windows; no other text is counted differently.
    """
    start = 0
    for at in range(0, len(text), WINDOW) if len(text) > WINDOW else ():
        if text[at : at + WINDOW].isspace():
            yield text[start:at]
            yield text[at : at + WINDOW]
            start = at + WINDOW
    yield text[start:]


def _holds_a_giant_gap(text: str) -> bool:
    """Whether some part of the text may hold a window of white space, wherever the part begins."""
    half = WINDOW // 2
    return len(text) > WINDOW and any(text[at : at + half].isspace() for at in range(0, len(text), half))


def bytes4(text: str) -> int:
    """An estimate that needs no vocabulary: UTF-8 bytes ÷ 4, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


@cache
def encoding(name: str) -> Encoding:
    """An encoding of tiktoken, from the shipped vocabulary; it knows no special tokens."""
    sha256, pattern, _ = ENCODINGS[name]
    import binascii  # these cost 180 ms, vocabulary included, which only a build needs
    import hashlib
    import lzma

    import tiktoken

    with lzma.open(f"{VOCABULARIES}/{name}.tiktoken.xz") as file:
        data = file.read()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise InternalError(f"the vocabulary of {name} is damaged: install ctxcache again")
    fields = data.split()
    ranks = dict(zip(map(binascii.a2b_base64, fields[::2]), map(int, fields[1::2]), strict=True))
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
