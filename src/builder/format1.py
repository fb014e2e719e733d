"""Writing a format 1 cache, the layout of the Context Engine's v0. Source: `docs/cache-format.md`."""

from __future__ import annotations

import hashlib
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..cache.documents import version_of
from ..cache.format1 import bytes_as_tokens
from ..cache.publish import DOCUMENTS, INDEX, Staging, holds
from ..errors import UsageError
from ..jsonio import canonical, pretty
from ..safeio import exists
from .compile import GivenText
from .report import BuildReport, Notice, Skipped, SourceError
from .sources.decode import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .compile import Source
    from .config import BuildConfig, Conditions
    from .inputs import Inputs

ManifestEntry = dict[str, str]
"""A document in the manifest: `id`, `version`, `file`."""


def write_format1(
    inputs: Inputs, cache_dir: Path, config: BuildConfig, conditions: Conditions
) -> BuildReport:
    """Write a format 1 cache at `cache_dir`. Errors as in `build`."""
    skipped, warnings = inputs.skipped, inputs.warnings
    contents: dict[str, str] = {}
    for source in inputs.texts:
        content = _content(source, config, skipped, warnings)
        if source.id in contents:
            raise SourceError(f"two documents have the id {source.id!a}: rename a source")
        if content is not None:
            contents[source.id] = content
    conditions.check(skipped)
    conditions.check_all(len(contents), skipped)
    entries = _entries(contents)
    version = format1_version(config.identity, [(entry["id"], entry["version"]) for entry in entries])
    fields = {"cache_version": version, "build_config": config.identity, "created_at": _created_at()}
    with Staging(cache_dir) as staging:
        if staging.warning:
            warnings.append(Notice("", staging.warning))
        _publish(staging, fields, {entry["file"]: (entry, contents[entry["id"]]) for entry in entries})
    return BuildReport(
        documents=len(entries),
        sources=len(entries),
        tokens=sum(map(bytes_as_tokens, contents.values())),
        words=sum(len(content.lower().split()) for content in contents.values()),
        cache_version=version,
        skipped=tuple(sorted(skipped)),
        warnings=tuple(warnings),
    )


def _content(
    source: Source, config: BuildConfig, skipped: list[Skipped], warnings: list[Notice]
) -> str | None:
    """The text of a source; None, noted in `skipped`, when there is none."""
    if isinstance(source, GivenText):
        return source.content
    read = read_text(source, max_file_bytes=config.rules.max_file_bytes)
    if isinstance(read, Skipped):
        skipped.append(read)
        return None
    if read.encoding != "utf-8":
        warnings.append(Notice(source.id, f"decoded as {read.encoding}, by its byte-order mark"))
    return read.text


def _entries(contents: dict[str, str]) -> list[ManifestEntry]:
    """The manifest's documents. Raises `SourceError` when two have one file name, so one content."""
    entries = []
    ids: dict[str, str] = {}
    for id_, content in sorted(contents.items(), key=lambda item: item[0].encode("utf-8")):
        version = version_of(content)
        file = f"{DOCUMENTS}/{version.removeprefix('sha256:')[:12]}.json"
        if file in ids:
            raise SourceError(
                f"{ids[file]!a} and {id_!a} have the same content, which format 1 cannot hold: exclude one"
            )
        ids[file] = id_
        entries.append({"id": id_, "version": version, "file": file})
    return entries


def format1_version(identity: dict[str, Any], documents: Iterable[tuple[str, str]]) -> str:
    """The `cache_version`: SHA-256 of the configuration and each `id:version`, without separators."""
    listed = "".join(f"{id_}:{version}" for id_, version in documents)
    return f"sha256:{hashlib.sha256(canonical(identity) + listed.encode('utf-8')).hexdigest()}"


def _publish(
    staging: Staging, fields: dict[str, Any], documents: dict[str, tuple[ManifestEntry, str]]
) -> None:
    """Replace the cache in steps that each leave a whole one; `documents` by file.

    Where the cache in place gives a file's name to other bytes, as when a document was renamed,
    a cache without these names comes between: the same documents, some under passing names.
    """
    data = {file: _document(*document) for file, document in documents.items()}
    paths = {file: _write(staging, file, data[file]) for file in data}
    with staging.publish_lock():
        taken = {file for file in data if _is_taken(staging.directory / file, data[file])}
        if taken:
            passing = {file: _passing_name(staging.directory, data, file) for file in sorted(taken)}
            placed = {file: path for file, path in paths.items() if file not in taken}
            placed |= {name: _write(staging, name, data[file]) for file, name in passing.items()}
            entries = [entry | {"file": passing.get(file, file)} for file, (entry, _) in documents.items()]
            _move_in(staging, placed, fields, entries)
            paths = {file: paths[file] for file in taken}
        _move_in(staging, paths, fields, [entry for entry, _ in documents.values()])
        staging.remove_others({*data, INDEX})


def _move_in(
    staging: Staging, files: dict[str, Path], fields: dict[str, Any], entries: list[ManifestEntry]
) -> None:
    """Put document files, the index and the manifest of `entries` in place."""
    index = pretty_json({entry["id"]: entry["file"] for entry in entries})
    manifest = fields | {"document_count": len(entries), "documents": entries}
    staging.move_in(files | {INDEX: _write(staging, INDEX, index)}, pretty_json(manifest))


def _is_taken(path: Path, data: bytes) -> bool:
    """Whether there is a file with other bytes."""
    try:
        return not holds(path, data)
    except FileNotFoundError:
        return False


def _passing_name(directory: Path, data: dict[str, bytes], file: str) -> str:
    """A name of the form of documents that neither this cache nor the one in place has."""
    digest = hashlib.sha256(data[file])
    while True:
        name = f"{DOCUMENTS}/{digest.hexdigest()[:12]}.json"
        if name not in data and not exists(directory / name):
            return name
        digest.update(b"+")


def _document(entry: ManifestEntry, content: str) -> bytes:
    fields = {
        "id": entry["id"],
        "version": entry["version"],
        "source": entry["id"],
        "content": content,
        "metadata": {},
    }
    return canonical(fields)


def _write(staging: Staging, name: str, data: bytes) -> Path:
    path = staging.scratch / name.replace("/", "-")
    path.write_bytes(data)
    return path


def pretty_json(value: object) -> bytes:
    """The indented JSON of manifest and index."""
    return pretty(value)[:-1].encode("utf-8")


def _created_at() -> str:
    """The time of the build in RFC 3339, from `SOURCE_DATE_EPOCH` where that is set."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is not None and not epoch.isdecimal():
        raise UsageError(f"SOURCE_DATE_EPOCH: {epoch!a} is not a number of seconds")
    try:
        moment = datetime.now(UTC) if epoch is None else datetime.fromtimestamp(int(epoch), UTC)
    except (OverflowError, ValueError, OSError):
        raise UsageError("SOURCE_DATE_EPOCH: lies after the year 9999") from None
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
