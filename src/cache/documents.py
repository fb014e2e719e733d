"""A document of a cache, and its line in the documents file."""

from __future__ import annotations

import json
import sys
from functools import cache
from json.encoder import encode_basestring as quoted

from ..jsontext import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FIELDS = ("id", "version", "source", "title", "content", "tokens", "words", "metadata")
_decode = json.JSONDecoder().raw_decode
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_KINDS = (str, str, str, str, str, int, int, dict)


class Document:
    """A unit of a cache: never cut, selected whole or not at all."""

    __slots__ = FIELDS

    def __init__(
        self,
        *,
        id: str,  # noqa: A002 - the name that the formats and the specification use
        version: str,
        source: str,
        title: str,
        content: str,
        tokens: int,
        words: int,
        metadata: dict[str, Any],
    ) -> None:
        """`source` is the path below the source folder; `tokens` and `words` count `content`."""
        self.id = id
        self.version = version
        self.source = source
        self.title = title
        self.content = content
        self.tokens = tokens
        self.words = words
        self.metadata = metadata

    def __repr__(self) -> str:
        return f"Document({self.id!r}, {self.tokens} tokens)"

    def line(self) -> bytes:
        """The compact JSON line of the documents file, its newline included."""
        # What `json.dumps` makes of all fields, in three fifths of its time.
        before = (
            f'{{"id":{quoted(self.id)},"version":{quoted(self.version)},"source":{quoted(self.source)},'
            f'"title":{quoted(self.title)},"content":"'
        )
        after = f'","tokens":{self.tokens},"words":{self.words},"metadata":{_spelled(self.metadata)}}}\n'
        return before.encode("utf-8") + escaped(self.content) + after.encode("utf-8")

    @classmethod
    def parse(cls, line: bytes) -> Document:
        """Read a line; raises `ValueError` naming what is wrong with it."""
        try:
            text = str(line, "utf-8")  # and not `json.loads`, which takes half as much again
            fields, end = _decode(text)
        except (ValueError, RecursionError):
            raise ValueError("not JSON") from None
        if text[end:].strip():
            raise ValueError("not JSON")
        if type(fields) is not dict or tuple(fields) != FIELDS:
            raise ValueError(f"not an object with the fields {', '.join(FIELDS)}")
        if tuple(map(type, fields.values())) != _KINDS:
            raise ValueError("a field is not of its type")
        _require_unicode(fields)
        return cls(**fields)


class Heading:
    """What a listing shows of a document: all but its content."""

    __slots__ = ("id", "source", "title", "tokens", "version", "words")

    def __init__(self, id_: str, version: str, source: str, title: str, tokens: int, words: int) -> None:
        self.id = id_
        self.version = version
        self.source = source
        self.title = title
        self.tokens = tokens
        self.words = words

    @classmethod
    def parse(cls, line: bytes, tokens: int, words: int) -> Heading:
        """Read the beginning of a line; raises `ValueError` naming what is wrong with it."""
        # Inside a JSON string this sequence would have its quotes escaped.
        beginning, found, _ = line.partition(b',"content":')
        try:
            fields = json.loads(beginning + b"}" if found else line)
        except (ValueError, RecursionError):
            raise ValueError("not JSON") from None
        if type(fields) is not dict or tuple(fields) != FIELDS[:4]:
            raise ValueError(f"not an object with the fields {', '.join(FIELDS)}")
        if tuple(map(type, fields.values())) != _KINDS[:4]:
            raise ValueError("a field is not of its type")
        _require_unicode(fields)
        return cls(fields["id"], fields["version"], fields["source"], fields["title"], tokens, words)


def _require_unicode(fields: dict[str, Any]) -> None:
    """Raise `ValueError` for a lone surrogate, which JSON can spell and UTF-8 cannot."""
    for name in ("id", "source", "title"):
        if not fields[name].isascii():
            fields[name].encode("utf-8")


def _spelled(metadata: dict[str, Any]) -> str:
    """Metadata as JSON; texts, as most of it is, in a third of the time that `json` takes."""
    try:
        return "{" + ",".join([f"{quoted(name)}:{quoted(text)}" for name, text in metadata.items()]) + "}"
    except TypeError:  # something else than a text
        return _encode(metadata)


def version_of(content: str) -> str:
    """`sha256:` and the hex SHA-256 of the content's UTF-8 bytes; `ValueError` for a lone surrogate."""
    return f"sha256:{_sha256()(content.encode('utf-8')).hexdigest()}"


@cache
def _sha256() -> Callable[[bytes], Any]:
    """SHA-256, without OpenSSL where that is not loaded yet: it takes 7 ms, more than hashing an answer."""
    if "hashlib" not in sys.modules:
        for name in ("_sha2", "_sha256"):  # Python 3.12 and later, 3.11
            try:
                return __import__(name).sha256  # type: ignore[no-any-return]  # a module without stubs
            except ImportError:
                continue
    import hashlib

    return hashlib.sha256
