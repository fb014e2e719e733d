"""A document of a cache, and its line in the documents file."""

from __future__ import annotations

import itertools
import json
import os
import sys
from functools import cache
from json.encoder import encode_basestring as quoted

from ..errors import REBUILD, UsageError
from ..jsonio import encoded, escaped
from .files import LARGEST_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

FIELDS = (
    "id", "version", "source", "title", "headings", "aliases",
    "content", "tokens", "words", "metadata", "origin",
)  # fmt: skip
_SUMMARY = FIELDS[: FIELDS.index("content")]
_KINDS = (str, str, str, str, list, list, str, int, int, dict, dict)
CRLF = (
    "its line ends were changed, as git does with core.autocrlf; check it out again with its .gitattributes, "
    f"or rebuild the cache with {REBUILD}"
)
"""What is said of a documents file that ends in CR LF."""
_decode = json.JSONDecoder().raw_decode


def file_of(source: str) -> str:
    """The path of the file of a `source`: of a sheet (`stock.xlsx/prices`) its workbook, else the source.

    The name of a sheet holds no dot there, and the workbook is no folder.
    """
    workbook, _, sheet = source.rpartition("/")
    return workbook if workbook[-5:].lower() == ".xlsx" and "." not in sheet else source


def file_of_alias(alias: str) -> str:
    """The file of a document by its id, without the slug of a section; of a sheet its workbook."""
    return file_of(without_section(alias))


def without_section(id_: str) -> str:
    """An id without the `#` and the slug of a section, which holds no dot and no slash."""
    source, _, slug = id_.rpartition("#")
    return source if source and not {".", "/"} & set(slug) else id_


def in_order(documents: Iterable[Document]) -> list[Document]:
    """The documents of a source as they follow each other in it.

    The parts of one long line differ in the numbers of their ids alone, which grow: `-9` is before `-10`.
    """
    return sorted(documents, key=lambda one: (one.origin.line, len(one.id), one.id))


class Origin:
    """What the builder found out about a document's source, never what that says itself (rule C20)."""

    __slots__ = ("converter", "digest", "encoding", "line", "part")
    FIELDS = (("line", int), ("part", str), ("converter", str), ("digest", str), ("encoding", str))
    """The fields in the order of a line, with their types. A field without a value is left out."""

    def __init__(
        self, *, line: int = 0, part: str = "", converter: str = "", digest: str = "", encoding: str = ""
    ) -> None:
        """Where a document starts and what was done to its source.

        `line` is its first line in the source, from 1; 0 for a whole file. `part` tells sections
        under one heading apart, such as `rows 41 to 80`. `converter` is the format that the source was
        converted from, `digest` the hex SHA-256 of its bytes then. `encoding` is that of a source
        that is not UTF-8.
        """
        self.line = line
        self.part = part
        self.converter = converter
        self.digest = digest
        self.encoding = encoding

    def at(self, line: int, part: str = "") -> Origin:
        """The same source from another line on."""
        return Origin(
            line=line, part=part, converter=self.converter, digest=self.digest, encoding=self.encoding
        )

    def to_dict(self) -> dict[str, int | str]:
        """The fields that have a value."""
        return {name: value for name, _ in self.FIELDS if (value := getattr(self, name))}

    @classmethod
    def parse(cls, fields: dict[str, Any]) -> Origin:
        """Read the object of a line; raises `ValueError` naming what is wrong with it."""
        origin = cls()
        present = [name for name, _ in cls.FIELDS if name in fields]
        if present != list(fields):
            raise ValueError("origin: not fields of this format in their order")
        for name, kind in cls.FIELDS:
            if name in fields:
                if type(fields[name]) is not kind or not fields[name]:
                    raise ValueError(f"origin.{name}: not of its type")
                setattr(origin, name, fields[name])
        if origin.line < 0:
            raise ValueError("origin.line: not a line number")
        return origin


class DocumentSummary:
    """What a listing shows of a document."""

    __slots__ = ("aliases", "headings", "id", "source", "title", "tokens", "version", "words")

    def __init__(
        self,
        *,
        id: str,  # noqa: A002 - the name that the formats and the specification use
        version: str,
        source: str,
        title: str,
        tokens: int,
        words: int,
        headings: Sequence[tuple[str, str]] = (),
        aliases: Sequence[str] = (),
    ) -> None:
        """`source` is the path below the source folder; `tokens` and `words` count the content.

        The source of a sheet is the path of its workbook and its own name: `stock.xlsx/prices`.
        `headings` are (slug, title) of each heading in the content, in order; `aliases` the ids of
        identical documents.
        """
        self.id = id
        self.version = version
        self.source = source
        self.title = title
        self.headings = tuple(headings)
        self.aliases = tuple(aliases)
        self.tokens = tokens
        self.words = words

    @property
    def names(self) -> bytes:
        """Its headings and aliases, as they enter the identity of a cache."""
        return f"[{_pairs(self.headings)},{_texts(self.aliases)}]".encode()


class Document(DocumentSummary):
    """A unit of a cache: never cut, selected whole or not at all."""

    __slots__ = ("content", "metadata", "origin")

    def __init__(
        self,
        *,
        id: str,  # noqa: A002 - as above
        version: str,
        source: str,
        title: str,
        content: str,
        tokens: int,
        words: int,
        headings: Sequence[tuple[str, str]] = (),
        aliases: Sequence[str] = (),
        metadata: dict[str, Any] | None = None,
        origin: Origin | None = None,
    ) -> None:
        """`source` is the path below the source folder; `tokens` and `words` count `content`.

        `headings` are (slug, title) of each heading in the content, in order; `aliases` the ids of
        identical documents; `metadata` is the front matter of the source, as it is written there.
        """
        super().__init__(
            id=id,
            version=version,
            source=source,
            title=title,
            tokens=tokens,
            words=words,
            headings=headings,
            aliases=aliases,
        )
        self.content = content
        self.metadata = metadata or {}
        self.origin = origin or Origin()

    def __repr__(self) -> str:
        return f"Document({self.id!r}, {self.tokens} tokens)"

    def line(self) -> bytes:
        """The compact JSON line of the documents file, its newline included. Raises `UsageError`."""
        # What `json.dumps` makes of all fields, in two fifths of its time.
        before = (
            f'{{"id":{quoted(self.id)},"version":{quoted(self.version)},"source":{quoted(self.source)},'
            f'"title":{quoted(self.title)},"headings":{_pairs(self.headings)},'
            f'"aliases":{_texts(self.aliases)},"content":"'
        )
        after = (
            f'","tokens":{self.tokens},"words":{self.words},"metadata":{_text_object(self.metadata)},'
            f'"origin":{encoded(self.origin.to_dict())}}}\n'
        )
        line = before.encode("utf-8") + escaped(self.content) + after.encode("utf-8")
        _require_room(line, self.id)
        return line

    @classmethod
    def parse(cls, line: bytes) -> Document:
        """Read a line; raises `ValueError` naming what is wrong with it."""
        if len(line) > LARGEST_FILE:
            raise ValueError(f"longer than {LARGEST_FILE:,} bytes, which no such line is")
        try:
            text = str(line, "utf-8")  # and not `json.loads`, which takes half as much again
            fields, end = _decode(text)
        except (ValueError, RecursionError):
            raise ValueError("not JSON") from None
        if text[end:].strip():
            raise ValueError("not JSON")
        _require_fields(fields, FIELDS)
        for key, value in fields["metadata"].items():
            if type(value) is not str:
                raise ValueError(f"metadata: {key!a} is not text")
        fields["origin"] = Origin.parse(fields["origin"])
        return cls(**fields)


def with_aliases(line: bytes, aliases: Sequence[str]) -> bytes:
    """The line that `Document.line` wrote with other aliases. Raises `UsageError`."""
    # A quotation mark inside a text is escaped, so no text looks like what is searched for.
    before, name, rest = line.partition(b',"aliases":')
    _, content, after = rest.partition(b',"content":"')
    changed = b"".join((before, name, _texts(aliases).encode("utf-8"), content, after))
    _require_room(changed, aliases[0] if aliases else "")
    return changed


def names_with_aliases(names: bytes, aliases: Sequence[str]) -> bytes:
    """The `DocumentSummary.names` of a line with other aliases."""
    _, stored = json.loads(names)
    return b"%b%b]" % (names[: -1 - len(_texts(stored).encode())], _texts(aliases).encode())


def _require_room(line: bytes, id_: str) -> None:
    if len(line) > LARGEST_FILE:
        raise UsageError(f"{id_}: takes more than {LARGEST_FILE:,} bytes of a cache; exclude it")


def summary_of(line: bytes, tokens: int, words: int) -> DocumentSummary:
    """Read the beginning of a line; raises `ValueError` naming what is wrong with it."""
    # Inside a JSON string this sequence would have its quotes escaped.
    beginning, found, _ = line.partition(b',"content":')
    try:
        fields = json.loads(beginning + b"}" if found else line)
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None
    _require_fields(fields, _SUMMARY)
    return DocumentSummary(**fields, tokens=tokens, words=words)


class RawContent:
    """The content of a document as JSON spells it, and what else tells whether it is that of a source."""

    __slots__ = ("content", "encoding", "place")

    def __init__(self, line: bytes) -> None:
        """Take it from a line; raises `ValueError` naming what is wrong with that."""
        # As above: none of these stands inside a text.
        id_end, start = line.find(b'","version":"'), line.find(b',"content":"') + len(b',"content":"')
        end, at = line.find(b'","tokens":', start), line.rfind(b',"origin":') + len(b',"origin":')
        if not start <= end <= at:
            raise ValueError(f"not an object with the fields {', '.join(FIELDS)}")
        try:
            fields, _ = _decode(str(line[at:], "utf-8"))
        except (ValueError, RecursionError):
            raise ValueError("origin: not JSON") from None
        if type(fields) is not dict:
            raise ValueError("origin: not of its type")
        origin = Origin.parse(fields)
        self.content = line[start:end]
        self.encoding = origin.encoding
        self.place = origin.line, id_end
        """Sorts those of a source that come in the order of their ids as `in_order` does."""


def _require_fields(fields: Any, names: tuple[str, ...]) -> None:
    """Raise `ValueError` unless this is an object of these fields, each of its type.

    Headings become tuples. A lone surrogate, which JSON can spell and UTF-8 cannot, is a fault.
    """
    if type(fields) is not dict or tuple(fields) != names:
        raise ValueError(f"not an object with the fields {', '.join(FIELDS)}")
    if tuple(map(type, fields.values())) != _KINDS[: len(names)]:
        raise ValueError("a field is not of its type")
    for heading in fields["headings"]:
        if type(heading) is not list or list(map(type, heading)) != [str, str]:
            raise ValueError("headings: not pairs of a slug and a title")
    fields["headings"] = tuple(map(tuple, fields["headings"]))
    if not all(type(alias) is str for alias in fields["aliases"]):
        raise ValueError("aliases: not a list of ids")
    texts = [fields["id"], fields["source"], fields["title"], *fields["aliases"]]
    all_texts = "".join(itertools.chain(texts, *fields["headings"]))
    if not all_texts.isascii():
        all_texts.encode("utf-8")


def _texts(texts: Sequence[str]) -> str:
    """A list of texts as JSON."""
    return "[" + ",".join(map(quoted, texts)) + "]"


def _pairs(pairs: Sequence[tuple[str, str]]) -> str:
    """A list of pairs of texts as JSON."""
    return "[" + ",".join([f"[{quoted(first)},{quoted(second)}]" for first, second in pairs]) + "]"


def _text_object(metadata: dict[str, str]) -> str:
    """Metadata as JSON, in a third of the time that `json` takes."""
    return "{" + ",".join([f"{quoted(name)}:{quoted(text)}" for name, text in metadata.items()]) + "}"


def ends_in_crlf(descriptor: int) -> bool:
    """Whether the last line of an open documents file ends in CR LF, which no build writes."""
    size = os.fstat(descriptor).st_size
    os.lseek(descriptor, max(0, size - 2), os.SEEK_SET)
    return os.read(descriptor, 2) == b"\r\n"


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
