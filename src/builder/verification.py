"""The check of a cache, in three depths.

`quick` holds the size and the SHA-256 of every file against the manifest, which finds every damage.
`structure` also checks each document, and writes index and manifest anew from the documents and from the
occurrences in the index: all that needs no analysis. `deep` counts tokens and words and analyses every text
again, which finds what was crafted to deceive.

Of each kind of fault the first is reported, in words. Nothing is repaired.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..cache.documents import CRLF, Document, ends_in_crlf
from ..cache.files import open_regular, read_regular, require_directory
from ..cache.format1 import Format1Store
from ..cache.manifest import MANIFEST, DataFile, Manifest, largest_manifest, read_manifest
from ..cache.publish import (
    ATTRIBUTES,
    ATTRIBUTES_CONTENT,
    DOCUMENTS,
    INDEX,
    SCRATCH,
    Staging,
    holds,
    leftovers,
    made_by_builds,
)
from ..cache.store import Store
from ..errors import CacheInvalid, OperationError, UsageError
from ..jsonio import JsonResult, canonical
from ..safeio import (
    is_file,
    scratch_directory,
    translate_oserror,
)
from .format1 import format1_version, pretty_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader
    from typing import Any

QUICK, STRUCTURE, DEEP = DEPTHS = ("quick", "structure", "deep")


class Fault(NamedTuple):
    """Something that is wrong with a cache."""

    kind: str
    """`manifest`, `files`, `documents`, `index`, `totals` or `orphans`."""
    detail: str


@dataclass(frozen=True, slots=True, repr=False)
class Verification(JsonResult):
    """The faults of a cache, at most one of each kind, and what is no fault and yet worth telling."""

    documents: int
    """How many were checked; none are in a quick check."""
    faults: tuple[Fault, ...]
    notes: tuple[str, ...] = ()
    depth: str = STRUCTURE
    """`quick`, `structure` or `deep`."""

    @property
    def valid(self) -> bool:
        """Whether nothing was found."""
        return not self.faults

    def to_dict(self) -> dict[str, Any]:
        """`{"valid", "documents", "faults": [{"kind", "detail"}], "notes": […], "depth"}`."""
        faults = [fault._asdict() for fault in self.faults]
        return {
            "valid": self.valid, "documents": self.documents, "faults": faults, "notes": list(self.notes),
            "depth": self.depth,
        }  # fmt: skip


def verify(path: str | os.PathLike[str], *, depth: str = STRUCTURE, jobs: int | None = 1) -> Verification:
    """Check the cache at `path` against itself, every byte of it.

    `depth` is `quick` (sizes and digests of the files), `structure` (all that needs no analysis) or `deep`
    (texts are analysed again). A cache of format 1 has one depth. `jobs` processes check documents (None: one
    for each core).

    Raises `CacheMissing` when there is none, `IoError` when the system refuses, `UsageError` for a depth
    that is none; anything else that is wrong is a fault.
    """
    if depth not in DEPTHS:
        raise UsageError(f"depth: {depth!r} is none of {', '.join(DEPTHS)}")
    directory = os.fspath(path)
    require_directory(directory)
    try:
        data, manifest = read_manifest(directory)
        _require_writable(data, directory)
    except CacheInvalid as error:
        return Verification(0, (Fault("manifest", str(error)),), depth=depth)
    check = (_Format1Check if manifest.format == "1" else _Check)(directory, manifest, data)
    with translate_oserror(directory):
        check.run(depth, jobs)
        notes = tuple(
            f"{path.name!a}: left by a build that did not end; the next `ctx build` removes it"
            for path in leftovers(Path(directory))
        )
    return Verification(check.documents, tuple(check.faults.values()), notes, depth)


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """A temporary directory to build in; what the system refuses there is no fault of the cache."""
    directory = Path(tempfile.gettempdir())
    with translate_oserror(directory), scratch_directory() as scratch:
        yield scratch


def _require_writable(manifest: bytes, directory: str) -> None:
    """Raise `CacheInvalid` for what JSON can say and a build cannot write, such as a lone surrogate."""
    try:
        canonical(json.loads(manifest))
    except (ValueError, RecursionError):
        raise CacheInvalid(f"{directory}/{MANIFEST}: holds what no build writes") from None


def fault_of_file(directory: str, file: DataFile) -> str:
    """What is wrong with a data file at first sight: presence, size, SHA-256; empty when nothing is."""
    path = f"{directory}/{file.path}"
    try:
        with open_regular(path) as opened, translate_oserror(path):
            size = os.fstat(opened.fileno()).st_size
            changed = size != file.bytes and ends_in_crlf(opened.fileno())
            opened.seek(0)
            sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
    except FileNotFoundError:
        return f"{file.path}: named by the manifest, but not there"
    except CacheInvalid as error:
        return str(error)
    if changed:
        return f"{file.path}: {CRLF}"
    if size != file.bytes:
        return f"{file.path}: has {size} bytes, the manifest says {file.bytes}"
    return "" if sha256 == file.sha256 else f"{file.path}: its SHA-256 is not the one in the manifest"


class _Check:
    """The check of a format 2 cache."""

    def __init__(self, directory: str, manifest: Manifest, data: bytes) -> None:
        self.directory = directory
        self.manifest = manifest
        self.documents = 0
        self.faults: dict[str, Fault] = {}
        self._data = data

    def run(self, depth: str, jobs: int | None) -> None:
        """Find the faults."""
        for name in self.manifest.files:
            self.check_file(name)
        if depth == QUICK:
            self._check_index_header()
        elif "files" not in self.faults or self._file_is_there("documents"):
            self._check_content(depth, jobs)
        attributes = Path(self.directory, ATTRIBUTES)
        admitted = {ATTRIBUTES} if is_file(attributes) and holds(attributes, ATTRIBUTES_CONTENT) else set()
        self.check_orphans({file.path for file in self.manifest.files.values()} | admitted)

    def report(self, kind: str, detail: str) -> None:
        """Note a fault, if it is the first of its kind."""
        self.faults.setdefault(kind, Fault(kind, detail))

    def check_file(self, name: str) -> None:
        """Presence, size and SHA-256 of one data file."""
        fault = fault_of_file(self.directory, self.manifest.files[name])
        if fault:
            self.report("files", fault)

    def check_orphans(self, expected: set[str]) -> None:
        """Files that the manifest does not name."""
        directory = Path(self.directory)
        scratch = {name for name in made_by_builds(directory) if name.startswith(SCRATCH)}
        admitted = expected | scratch | {MANIFEST} | {path.name for path in leftovers(directory)}
        for entry in sorted(directory.iterdir()):
            if entry.name not in admitted:
                self.report("orphans", f"{entry.name!a}: named by no manifest")

    def _open(self, name: str) -> BufferedReader:
        return open_regular(f"{self.directory}/{self.manifest.files[name].path}")

    def _file_is_there(self, name: str) -> bool:
        try:
            self._open(name).close()
        except (FileNotFoundError, OperationError):
            return False
        return True

    def _check_index_header(self) -> None:
        """Whether the index says that it was made for these documents."""
        if not self.faults:
            try:
                Store(self.directory, self.manifest)
            except CacheInvalid as error:
                self.report("index", str(error))

    def _check_content(self, depth: str, jobs: int | None) -> None:
        """Documents against their own fields, then all else against the documents."""
        from .rewriting import Rewriting  # numpy: not for a look at a manifest

        with _scratch() as scratch, Staging(scratch / "cache") as staging, self._open("documents") as lines:
            rewriting = Rewriting(self.manifest, staging)
            problem = rewriting.check_documents(lines, analyse=depth == DEEP, jobs=jobs)
            self.documents = rewriting.documents
            if problem:
                self.report("documents", f"{self.manifest.files['documents'].path}, {problem}")
                return
            try:
                if depth == STRUCTURE:
                    if self.faults:
                        return  # the index is not what the manifest says
                    rewriting.take_index(Store(self.directory, self.manifest))
                rebuilt = rewriting.finish()
            except CacheInvalid as error:
                self.report("index", str(error))
                return
        self._compare(json.loads(rebuilt))
        self.check_manifest(rebuilt)

    def check_manifest(self, canonical: bytes) -> None:
        """The manifest's bytes, once what it says was found to be right."""
        if not self.faults and self._data != canonical:
            self.report("manifest", f"{MANIFEST}: not in the form that a build writes")

    def _compare(self, rebuilt: dict[str, Any]) -> None:
        """What the manifest says against what the documents lead to."""
        actual = json.loads(self._data)
        if actual["files"]["index"] != rebuilt["files"]["index"]:
            self.report("index", "the index is not the one that follows from the documents")
        for name in rebuilt:
            if name != "files" and actual.get(name) != rebuilt[name]:
                self.report(
                    "totals", f"{name}: the manifest says {actual.get(name)}, the documents {rebuilt[name]}"
                )
        if list(actual) != list(rebuilt):
            self.report("manifest", "the manifest has other fields than this format")


class _Format1Check(_Check):
    """The check of a format 1 cache, which has nothing that was analysed."""

    def run(self, depth: str, jobs: int | None) -> None:
        """Find the faults."""
        entries = self.manifest.entries
        try:
            documents = Format1Store(self.directory, self.manifest).all_documents()
            self.documents = len(documents)
            for document, (_, _, file) in zip(documents, entries, strict=True):
                self._check_form(document, file)
        except FileNotFoundError as error:
            self.report("documents", f"{error.filename}: listed in the manifest, but not there")
        except CacheInvalid as error:
            self.report("documents", str(error))
        version = format1_version(self.manifest.build_config, [(id_, version) for id_, version, _ in entries])
        if version != self.manifest.cache_version:
            self.report(
                "totals", f"cache_version: the manifest says {self.manifest.cache_version}, not {version}"
            )
        self._check_index({id_: file for id_, _, file in entries})
        self.check_orphans({DOCUMENTS, INDEX})
        expected = {file for _, _, file in entries}
        expected |= {f"{DOCUMENTS}/{path.name}" for path in leftovers(Path(self.directory))}
        for path in sorted(Path(self.directory, DOCUMENTS).glob("*")):
            if f"documents/{path.name}" not in expected:
                self.report("orphans", f"{'documents/' + path.name!a}: named by no manifest")
        self.check_manifest(self._canonical())

    def _canonical(self) -> bytes:
        """The manifest in the form that a build writes; only the time of the build is taken as it is."""
        return pretty_json(
            {
                "cache_version": self.manifest.cache_version,
                "build_config": self.manifest.build_config,
                "created_at": str(json.loads(self._data).get("created_at", "")),
                "document_count": self.manifest.document_count,
                "documents": [
                    {"id": id_, "version": version, "file": file}
                    for id_, version, file in self.manifest.entries
                ],
            }
        )

    def _check_form(self, document: Document, file: str) -> None:
        """A document's file: the compact form of its five fields; its source is its id in another case."""
        fields = {
            name: getattr(document, name) for name in ("id", "version", "source", "content", "metadata")
        }
        try:
            expected = canonical(fields)
        except UnicodeEncodeError:
            expected = b""  # metadata that no build writes
        if read_regular(f"{self.directory}/{file}") != expected:
            self.report("documents", f"{file}: not in the compact form of a document file")
        elif document.source.lower() != document.id:
            self.report("documents", f"{file}: the source {document.source!a} is not that of {document.id!a}")

    def _check_index(self, expected: dict[str, str]) -> None:
        try:
            actual = read_regular(f"{self.directory}/{INDEX}", largest=largest_manifest(self.directory))
        except FileNotFoundError:
            self.report("index", f"{INDEX}: not there")
        except CacheInvalid as error:
            self.report("index", str(error))
        else:
            if actual != pretty_json(expected):
                self.report("index", f"{INDEX}: does not list the documents of the manifest as a build does")
