"""The deep check of a cache: everything in it that follows from its documents is worked out anew.

Of each kind of fault the first is reported, in words. Nothing is repaired.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..answers import Answer
from ..cache.documents import Document, version_of
from ..cache.files import open_regular, read_regular, require_directory
from ..cache.legacy import LegacyStore
from ..cache.manifest import MANIFEST, Manifest, compact_json, read_manifest
from ..cache.publish import Staging
from ..errors import CacheInvalid, OperationError
from ..text import token_counter
from .compiling import index_documents
from .format1 import format1_version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader
    from typing import Any

BATCH = 512


class Fault(NamedTuple):
    """Something that is wrong with a cache."""

    kind: str
    """`manifest`, `files`, `documents`, `index`, `totals` or `orphans`."""
    detail: str


class Verification(Answer):
    """The faults of a cache, at most one of each kind."""

    def __init__(self, documents: int, faults: tuple[Fault, ...]) -> None:
        """`documents` is how many were checked."""
        self.documents = documents
        self.faults = faults

    @property
    def valid(self) -> bool:
        """Whether nothing was found."""
        return not self.faults

    def to_dict(self) -> dict[str, Any]:
        """`{"valid", "documents", "faults": [{"kind", "detail"}]}`."""
        faults = [fault._asdict() for fault in self.faults]
        return {"valid": self.valid, "documents": self.documents, "faults": faults}


def verify(path: str | os.PathLike[str]) -> Verification:
    """Check the cache at `path` against itself, every byte of it.

    Raises `CacheMissing` when there is none, `IoError` when the system refuses; anything
    else that is wrong is a fault.
    """
    directory = os.fspath(path)
    require_directory(directory)
    try:
        data, manifest = read_manifest(directory)
    except CacheInvalid as error:
        return Verification(0, (Fault("manifest", str(error)),))
    check = (
        _Format1Check(directory, manifest) if manifest.format == "1" else _Check(directory, manifest, data)
    )
    check.run()
    return Verification(check.documents, tuple(check.faults.values()))


class _Check:
    """The check of a format 2 cache."""

    def __init__(self, directory: str, manifest: Manifest, data: bytes) -> None:
        self.directory = directory
        self.manifest = manifest
        self.documents = 0
        self.faults: dict[str, Fault] = {}
        self._data = data

    def run(self) -> None:
        """Find the faults."""
        for name in self.manifest.files:
            self.check_file(name)
        if "files" not in self.faults or self._file_is_there("documents"):
            self._check_content()
        self.check_orphans({file.path for file in self.manifest.files.values()})

    def found(self, kind: str, detail: str) -> None:
        """Note a fault, if it is the first of its kind."""
        self.faults.setdefault(kind, Fault(kind, detail))

    def check_file(self, name: str) -> None:
        """Presence, size and SHA-256 of one data file."""
        file = self.manifest.files[name]
        try:
            with self._open(name) as opened:
                size = os.fstat(opened.fileno()).st_size
                sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
        except FileNotFoundError:
            self.found("files", f"{file.path}: named by the manifest, but not there")
        except CacheInvalid as error:
            self.found("files", str(error))
        else:
            if size != file.bytes:
                self.found("files", f"{file.path}: has {size} bytes, the manifest says {file.bytes}")
            elif sha256 != file.sha256:
                self.found("files", f"{file.path}: its SHA-256 is not the one in the manifest")

    def check_orphans(self, named: set[str]) -> None:
        """Files that the manifest does not name."""
        for entry in sorted(Path(self.directory).iterdir()):
            if entry.name not in named | {MANIFEST}:
                self.found("orphans", f"{entry.name!a}: named by no manifest")

    def _open(self, name: str) -> BufferedReader:
        return os.fdopen(open_regular(f"{self.directory}/{self.manifest.files[name].path}"), "rb")

    def _file_is_there(self, name: str) -> bool:
        try:
            self._open(name).close()
        except (FileNotFoundError, OperationError):
            return False
        return True

    def _check_content(self) -> None:
        """Documents against their own fields, then all else against the documents."""
        from .writing import CacheWriter  # numpy: not for a look at a manifest

        with tempfile.TemporaryDirectory() as scratch, Staging(Path(scratch) / "cache") as staging:
            writer = CacheWriter(staging, self.manifest.build_config)
            for documents in self._sound_documents():
                batch = index_documents(self.manifest.analyzer, documents)
                batch.sources = len({document.source for document in documents})
                writer.add(batch)
            if "documents" in self.faults:
                return
            writer.finish((), ())
            rebuilt = json.loads((staging.directory / MANIFEST).read_bytes())
        self._compare(rebuilt)

    def _compare(self, rebuilt: dict[str, Any]) -> None:
        """The manifest against the one that the documents lead to."""
        actual = json.loads(self._data)
        if actual["files"]["index"] != rebuilt["files"]["index"]:
            self.found("index", "the index is not the one that follows from the documents")
        for name in rebuilt:
            if name != "files" and actual.get(name) != rebuilt[name]:
                self.found(
                    "totals", f"{name}: the manifest says {actual.get(name)}, the documents {rebuilt[name]}"
                )
        if list(actual) != list(rebuilt):
            self.found("manifest", "the manifest has other fields than this format")

    def _sound_documents(self) -> Iterator[list[Document]]:
        """All documents, in batches whose sources are whole, each checked; ends at the first fault."""
        counter = token_counter(self.manifest.tokenizer)
        batch: list[Document] = []
        last = b""
        with self._open("documents") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    document = _checked(line, counter, last)
                except ValueError as error:
                    self.found(
                        "documents", f"{self.manifest.files['documents'].path}, line {number}: {error}"
                    )
                    return
                last = document.id.encode("utf-8")
                self.documents += 1
                if len(batch) >= BATCH and batch[-1].source != document.source:
                    yield batch
                    batch = []
                batch.append(document)
        if batch:
            yield batch


def _checked(line: bytes, counter: Any, last: bytes) -> Document:
    """The document of a line, which must be what this package writes. Raises `ValueError`."""
    document = Document.parse(line)
    if document.id.encode("utf-8") <= last:
        raise ValueError(f"{document.id!a}: not sorted by id, or an id stands twice")
    if document.line() != line:
        raise ValueError(f"{document.id!a}: not in the compact form of a documents file")
    if document.version != version_of(document.content):
        raise ValueError(f"{document.id!a}: the content does not match its version")
    tokens = counter(document.content)
    if document.tokens != tokens:
        raise ValueError(f"{document.id!a}: says {document.tokens} tokens, its content has {tokens}")
    return document


class _Format1Check(_Check):
    """The check of a format 1 cache."""

    def __init__(self, directory: str, manifest: Manifest) -> None:
        super().__init__(directory, manifest, b"")

    def run(self) -> None:
        """Find the faults."""
        store = LegacyStore(self.directory, self.manifest)
        try:
            self.documents = len(store.all_documents())
            for document, (_, _, file) in zip(store.all_documents(), self.manifest.entries, strict=True):
                self._check_form(document, file)
        except CacheInvalid as error:
            self.found("documents", str(error))
        entries = self.manifest.entries
        version = format1_version(self.manifest.build_config, [(id_, version) for id_, version, _ in entries])
        if version != self.manifest.cache_version:
            self.found(
                "totals", f"cache_version: the manifest says {self.manifest.cache_version}, not {version}"
            )
        self._check_index({id_: file for id_, _, file in entries})
        self.check_orphans({"documents", "index.json"})
        named = {file for _, _, file in entries}
        for path in sorted(Path(self.directory, "documents").glob("*")):
            if f"documents/{path.name}" not in named:
                self.found("orphans", f"{'documents/' + path.name!a}: named by no manifest")

    def _check_form(self, document: Document, file: str) -> None:
        """A document's file: the compact form of its five fields; its source is its id in another case."""
        fields = {
            name: getattr(document, name) for name in ("id", "version", "source", "content", "metadata")
        }
        if read_regular(f"{self.directory}/{file}") != compact_json(fields):
            self.found("documents", f"{file}: not in the compact form of a document file")
        elif document.source.lower() != document.id:
            self.found("documents", f"{file}: the source {document.source!a} is not that of {document.id!a}")

    def _check_index(self, expected: dict[str, str]) -> None:
        try:
            with os.fdopen(open_regular(f"{self.directory}/index.json"), "rb") as file:
                actual = json.load(file)
        except FileNotFoundError:
            self.found("index", "index.json: not there")
        except (ValueError, RecursionError, CacheInvalid):
            self.found("index", "index.json: not JSON")
        else:
            if actual != expected:
                self.found("index", "index.json: does not list the documents of the manifest")
