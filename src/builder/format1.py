"""Writing a format 1 cache, the layout of the Context Engine's v0. Source: `docs/cache-format.md`."""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..cache.documents import version_of
from ..cache.legacy import bytes_as_tokens
from ..cache.manifest import compact_json
from ..cache.publish import Staging
from ..errors import UsageError
from .compiling import GivenText, Source
from .report import BuildReport, Notice, Skipped, SourceError
from .sources import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from .config import BuildConfig


def write_format1(
    sources: Sequence[Source],
    place: Path,
    config: BuildConfig,
    skipped: list[Skipped],
    warnings: list[Notice],
    *,
    strict: bool,
) -> BuildReport:
    """Write `sources` as a format 1 cache at `place`. Errors as in `build`."""
    contents = {}
    for source in sources:
        content = _content(source, config, skipped, warnings)
        if content is not None:
            contents[source.id] = content
    faults = [item for item in skipped if item.fault]
    if strict and faults:
        raise UsageError(f"--strict: {faults[0]}")
    entries = _entries(contents)
    version = format1_version(config.identity, [(entry["id"], entry["version"]) for entry in entries])
    with Staging(place) as staging:
        files: dict[str, Path] = {}
        for entry in entries:
            files[entry["file"]] = _write(staging, entry["file"], _document(entry, contents[entry["id"]]))
        index = {entry["id"]: entry["file"] for entry in entries}
        files["index.json"] = _write(staging, "index.json", _pretty(index))
        manifest = {
            "cache_version": version,
            "build_config": config.identity,
            "created_at": _created_at(),
            "document_count": len(entries),
            "documents": entries,
        }
        staging.publish(files, _pretty(manifest))
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


def _entries(contents: dict[str, str]) -> list[dict[str, str]]:
    """The manifest's documents. Raises `SourceError` when two have one file name, so one content."""
    entries = []
    named: dict[str, str] = {}
    for id_, content in sorted(contents.items(), key=lambda item: item[0].encode("utf-8")):
        version = version_of(content)
        file = f"documents/{version.removeprefix('sha256:')[:12]}.json"
        if file in named:
            raise SourceError(
                f"{named[file]!a} and {id_!a} have the same content, which format 1 cannot hold: exclude one"
            )
        named[file] = id_
        entries.append({"id": id_, "version": version, "file": file})
    return entries


def format1_version(identity: dict[str, Any], documents: Iterable[tuple[str, str]]) -> str:
    """The `cache_version`: SHA-256 of the configuration and each `id:version`, without separators."""
    listed = "".join(f"{id_}:{version}" for id_, version in documents)
    return f"sha256:{hashlib.sha256(compact_json(identity) + listed.encode('utf-8')).hexdigest()}"


def _document(entry: dict[str, str], content: str) -> bytes:
    fields = {
        "id": entry["id"],
        "version": entry["version"],
        "source": entry["id"],
        "content": content,
        "metadata": {},
    }
    return compact_json(fields)


def _write(staging: Staging, name: str, data: bytes) -> Path:
    path = staging.scratch / name.replace("/", "-")
    path.write_bytes(data)
    return path


def _pretty(value: object) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8")


def _created_at() -> str:
    """The time of the build in RFC 3339, from `SOURCE_DATE_EPOCH` where that is set."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is not None and not epoch.isdecimal():
        raise UsageError(f"SOURCE_DATE_EPOCH: {epoch!a} is not a number of seconds")
    moment = datetime.now(UTC) if epoch is None else datetime.fromtimestamp(int(epoch), UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
