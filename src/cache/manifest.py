"""`manifest.json`: what a cache is, read by a few typed getters that name the field at fault.

A manifest written by this package is an ordered JSON object; `Manifest` reads formats 1
and 2, and refuses what this version does not know, saying how to rebuild it.
"""

from __future__ import annotations

import itertools
import json
import os
import re

from ..errors import REBUILD, CacheInvalid
from ..jsonio import canonical
from ..safeio import translate_oserror
from ..scoring import SCORERS, Scorer
from ..text import TOKENIZERS
from ..text.analyzer import NAMES as ANALYZERS
from ..text.display import escape_control
from .files import open_regular, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MANIFEST = "manifest.json"
_VERSION = re.compile(r"sha256:[0-9a-f]{64}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NAME = {
    "documents": re.compile(r"documents-([0-9a-f]{12})\.jsonl"),
    "index": re.compile(r"index-([0-9a-f]{12})\.bin"),
}


class DataFile:
    """One of the two data files of a format 2 cache: its name, size in bytes and SHA-256."""

    def __init__(self, path: str, size: int, sha256: str) -> None:
        """`path` is below the cache; `sha256` in 64 hex digits."""
        self.path = path
        self.bytes = size
        self.sha256 = sha256


class Manifest:
    """A manifest that this version can read; fields that its format lacks are empty."""

    def __init__(self, data: bytes, *, at: str) -> None:
        """Read `data`; `at` is the file's path, for messages. Raises `CacheInvalid`."""
        self._at = at
        fields = parse_object(data, at=at)
        self.build_config: dict[str, Any] = self._get(fields, "build_config", dict)
        self.format = self._format()
        self.cache_version = self._version(fields)
        self.document_count: int = self._get(fields, "document_count", int)
        self.source_count = self.document_count
        self.total_tokens = self.total_words = 0
        self.files: dict[str, DataFile] = {}
        self.entries: list[tuple[str, str, str]] = []
        self.description = ""
        if "description" in fields and self.format == "2":
            self.description = self._description(fields)
        if self.format == "1":
            self.entries = self._entries(fields)
        else:
            self._require_synonyms()
            self.source_count = self._get(fields, "source_count", int)
            self.total_tokens = self._get(fields, "total_tokens", int)
            self.total_words = self._get(fields, "total_words", int)
            self.files = {name: self._file(fields, name) for name in _NAME}

    @property
    def identity(self) -> tuple[bytes, bytes]:
        """The digests of the documents file and the cache's version, which a format 2 index carries."""
        digest = self.cache_version.removeprefix("sha256:")
        return bytes.fromhex(self.files["documents"].sha256), bytes.fromhex(digest)

    @property
    def tokenizer(self) -> str:
        """The name under which tokens were counted; format 1 always counts bytes."""
        return "bytes4" if self.format == "1" else str(self.build_config["tokenizer"])

    @property
    def analyzer(self) -> str:
        """The name of the analyzer that made the index; empty in format 1, which has none."""
        return str(self.build_config.get("analyzer", ""))

    @property
    def scorer(self) -> Scorer:
        """The scorer that made the impacts in the index; format 1 has none."""
        return SCORERS[self.build_config["scorer"]]

    @property
    def synonyms(self) -> dict[str, list[str]]:
        """The author's synonyms: for a word of a query, others that documents use."""
        return dict(self.build_config.get("synonyms", {}))

    def _require_synonyms(self) -> None:
        """Raise `CacheInvalid` unless the synonyms, if there are some, are lists of texts by a text."""
        synonyms = self.build_config.get("synonyms", {})
        lists = synonyms.values() if type(synonyms) is dict else [None]
        if any(type(others) is not list or any(type(one) is not str for one in others) for others in lists):
            raise self._fault("build_config.synonyms: not lists of strings")

    def _description(self, fields: dict[str, Any]) -> str:
        """What the cache is about, in its author's words."""
        value: str = self._get(fields, "description", str)
        if not value or escape_control(value) != value:
            raise self._fault("description: not a text in one line")
        return value

    def _fault(self, problem: str) -> CacheInvalid:
        return CacheInvalid(f"{self._at}: {problem}")

    def _get(self, fields: dict[str, Any], name: str, kind: type, within: str = "") -> Any:
        """The field `name`, which must be there and of this kind (a number: not negative)."""
        value: Any = fields.get(name)
        if type(value) is not kind or (type(value) is int and value < 0):
            raise self._fault(f"{within}{name}: missing or not {_KINDS[kind]}")
        return value

    def _format(self) -> str:
        """The format's version; a cache of another version, analyzer or scorer is refused."""
        version = self._get(self.build_config, "version", str, "build_config.")
        allowed: dict[str, tuple[str, ...]] = {"version": ("1", "2")}
        if version == "2":
            allowed |= {"analyzer": ANALYZERS, "scorer": tuple(SCORERS), "tokenizer": TOKENIZERS}
        for name, names in [*allowed.items(), ("hash_algorithm", ("sha256",))]:
            value = self._get(self.build_config, name, str, "build_config.")
            if value not in names:
                raise self._fault(
                    f"build_config.{name}: this version reads {' and '.join(names)}, not {value!a}; "
                    f"{REBUILD} rebuilds the cache"
                )
        return str(version)

    def _version(self, fields: dict[str, Any], within: str = "", name: str = "cache_version") -> str:
        value = self._get(fields, name, str, within)
        if not _VERSION.fullmatch(value):
            raise self._fault(f"{within}{name}: not `sha256:` and 64 hex digits")
        return str(value)

    def _file(self, fields: dict[str, Any], name: str) -> DataFile:
        within = f"files.{name}."
        entry = self._get(self._get(fields, "files", dict), name, dict, "files.")
        file = DataFile(
            self._get(entry, "path", str, within),
            self._get(entry, "bytes", int, within),
            self._get(entry, "sha256", str, within),
        )
        match = _NAME[name].fullmatch(file.path)
        if not match or not _DIGEST.fullmatch(file.sha256) or not file.sha256.startswith(match[1]):
            raise self._fault(f"{within}path: does not carry the beginning of its SHA-256")
        return file

    def _entries(self, fields: dict[str, Any]) -> list[tuple[str, str, str]]:
        """`(id, version, file)` of each document of a format 1 cache, sorted by id."""
        entries = []
        for number, entry in enumerate(self._get(fields, "documents", list)):
            within = f"documents[{number}]."
            if type(entry) is not dict:
                raise self._fault(f"documents[{number}]: not an object")
            file = self._get(entry, "file", str, within)
            if not re.fullmatch(r"documents/[0-9a-f]{12}\.json", file):
                raise self._fault(f"{within}file: not of the form documents/HASH12.json")
            entries.append(
                (self._get(entry, "id", str, within), self._version(entry, within, "version"), file)
            )
        if len(entries) != self.document_count:
            raise self._fault(f"document_count: {self.document_count}, but {len(entries)} are listed")
        try:
            ids = [entry[0].encode("utf-8") for entry in entries]
        except UnicodeEncodeError:
            raise self._fault("documents: an id is not valid Unicode") from None
        if any(low >= high for low, high in itertools.pairwise(ids)):
            raise self._fault("documents: not sorted by id, or an id stands twice")
        return entries


_KINDS = {str: "a string", int: "a whole number", dict: "an object", list: "a list"}


def parse_object(data: bytes, *, at: str) -> dict[str, Any]:
    """The JSON object in `data`; raises `CacheInvalid` naming `at`."""
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise CacheInvalid(f"{at}: not JSON; {REBUILD} rebuilds the cache") from None
    if type(value) is not dict:
        raise CacheInvalid(f"{at}: not a JSON object")
    return value


def read_manifest(directory: str) -> tuple[bytes, Manifest]:
    """The manifest of the cache at `directory`, with its bytes.

    Raises `CacheInvalid` when there is none or it is not readable as one, `IoError` when the
    system refuses.
    """
    path = f"{directory}/{MANIFEST}"
    try:
        data = read_regular(path, largest=largest_manifest(directory))
    except FileNotFoundError:
        raise CacheInvalid(f"{directory}: holds no {MANIFEST}, so it is not a cache") from None
    return data, Manifest(data, at=path)


def largest_manifest(directory: str) -> int:
    """The most bytes that a manifest of the cache at `directory` can have; a larger one is never parsed.

    16 MiB in format 2. Format 1 lists its documents: 1 MiB, and 8 KiB for each of them.
    """
    try:
        with os.scandir(f"{directory}/documents") as entries:
            return (1 << 20) + (8 << 10) * sum(1 for _ in entries)
    except OSError:
        return 16 << 20


def manifest_stamp(directory: str) -> tuple[int, int, int]:
    """Inode, size and mtime in ns of the manifest: only to see that it was replaced."""
    path = f"{directory}/{MANIFEST}"
    try:
        with open_regular(path) as file, translate_oserror(path):
            status = os.fstat(file.fileno())
    except FileNotFoundError:
        raise CacheInvalid(f"{directory}: holds no {MANIFEST}, so it is not a cache") from None
    return status.st_ino, status.st_size, status.st_mtime_ns


def cache_version(build_config: dict[str, Any], documents: bytes) -> str:
    """The identity of a format 2 cache: SHA-256 over its configuration and the identity of each document."""
    import hashlib  # OpenSSL takes 7 ms to load, and an answer needs none of it

    digest = hashlib.sha256(measured(canonical(build_config)))
    digest.update(documents)
    return f"sha256:{digest.hexdigest()}"


def document_identity(id_: bytes, version: bytes, names: bytes) -> bytes:
    """How a document enters the identity of a cache; `names` are its headings and aliases (rule C22)."""
    return measured(b"%b:%b" % (id_, version)) + measured(names)


def measured(piece: bytes) -> bytes:
    """A piece preceded by its length in 8 bytes, so that no two lists run together alike."""
    return len(piece).to_bytes(8, "big") + piece
