"""Counting tokens, exactly as a model's tokenizer does, without ever needing a network.

The vocabularies of tiktoken's encodings lie beside this module and are checked when they are
loaded. Text that looks like a special token (`<|endoftext|>`) is plain text.
"""

from __future__ import annotations

import os
from functools import cache

from ..errors import InternalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tiktoken import Encoding

TOKENIZERS = ("o200k_base", "cl100k_base", "bytes4")
WINDOW = 1 << 18
"""Characters; a window of white space alone is counted apart from the text around it."""
VOCABULARIES = os.path.join(os.path.dirname(__file__), "vocabularies")  # noqa: PTH118, PTH120 - a query loads this

# For each encoding the SHA-256 of its vocabulary, uncompressed, and the pattern that cuts a text
# before byte pairs are merged. Source: tiktoken, `tiktoken_ext/openai_public.py`.
ENCODINGS: dict[str, tuple[str, str]] = {
    "o200k_base": (
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
    "cl100k_base": (
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    ),
}


@cache
def token_counter(name: str) -> Callable[[str], int]:
    """The function that counts the tokens of a text; `LookupError` for a name not in `TOKENIZERS`."""
    if name == "bytes4":
        return bytes4
    encode = encoding(name).encode_ordinary
    return lambda text: sum(len(encode(piece)) for piece in pieces(text))


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


def bytes4(text: str) -> int:
    """An estimate that needs no vocabulary: UTF-8 bytes ÷ 4, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


@cache
def encoding(name: str) -> Encoding:
    """An encoding of tiktoken, from the shipped vocabulary; it knows no special tokens."""
    if name not in ENCODINGS:
        raise LookupError(f"no tokenizer is called {name!r}; there are {', '.join(TOKENIZERS)}")
    sha256, pattern = ENCODINGS[name]
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
