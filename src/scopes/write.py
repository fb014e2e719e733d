"""Writing contexts: new files for scopes without one, new fingerprints in existing files; and their YAML.

A new file has strings in double quotes, one line each. An existing file is not dumped again: only the
characters of the values are replaced, so that comments, order, quoting and line ends stay as they were.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UsageError
from ..safeio import replace_bytes
from ..yamlio import YamlError, parse_events, resolve_plain
from .fingerprint import content_fingerprint, timestamp
from .generate.survey import Survey, context_fields, derive
from .model import CONTEXT_NAME, MAX_BYTES, ContextFile, parse_context, read_context
from .project import scan

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from .project import ScopeDirectory, ScopeProject


class WrittenContext(NamedTuple):
    """A context that was written."""

    scope: str
    summary: str


class InitReport(NamedTuple):
    """The outcome of an init."""

    written: tuple[WrittenContext, ...]
    kept: tuple[str, ...]
    """The scopes that had a context already."""
    skipped: int
    """The number of directories with sources below the threshold."""


def init(project: ScopeProject, *, full: bool = False, now: datetime) -> InitReport:
    """Write a context for each scope that has none, dated `now`; existing files stay as they are.

    Raises `OSError` if a directory cannot be listed, `UsageError` if the settings are wrong. If a scope's
    files cannot be read or its context not be written, the other contexts are written, and then the first
    such `OSError` is raised.
    """
    scanned = scan(project)
    scanned.require_whole()
    survey = Survey(project, scanned)
    written, failures = [], []
    for directory in scanned.eligible:
        if not directory.listing.has_context:
            try:
                summary = _write(survey, directory, full=full, now=now)
                written.append(WrittenContext(directory.scope, summary))
            except OSError as error:
                failures.append(error)
    if failures:
        raise failures[0]
    existing = tuple(directory.scope for directory in scanned.eligible if directory.listing.has_context)
    return InitReport(tuple(written), existing, scanned.skipped)


def _write(survey: Survey, directory: ScopeDirectory, *, full: bool, now: datetime) -> str:
    """Write the context of a scope; returns its summary."""
    fields = _fields(survey, directory, full=full, now=now)
    if len(dump(fields)) > MAX_BYTES // 2:  # it must stay readable, also in bytes
        fields = _fields(survey, directory, full=False, now=now)
    replace_bytes(Path(directory.path, CONTEXT_NAME), dump(fields).encode())
    summary: str = fields["summary"]
    return summary


def _fields(survey: Survey, directory: ScopeDirectory, *, full: bool, now: datetime) -> dict[str, Any]:
    """The fields of a new context, in the order of the model."""
    derived = derive(survey, directory.scope, full=full)
    files, hashes = directory.listing.files, survey.project.hashes
    fingerprint = content_fingerprint(directory.path, files, hashes)
    fields = context_fields(derived, scope=directory.scope, fingerprint=fingerprint, date=timestamp(now))
    return ContextFile.model_validate(fields).as_dict()


class RehashedContext(NamedTuple):
    """The outcome for one context."""

    scope: str
    old: str
    new: str
    """The present fingerprint by content."""
    written: bool
    """Whether the file was rewritten."""


def rehash(project: ScopeProject, scopes: Sequence[str] = (), *, now: datetime) -> list[RehashedContext]:
    """Write the present fingerprint by content and the date `now` into contexts.

    Without scopes, into every context whose fingerprint differs. No file is written if one of them cannot be
    edited: raises `ScopeError`, `UsageError` or `OSError` for the first of these.
    """
    if scopes:
        directories = [(scope, project.locate(scope)) for scope in scopes]
    else:
        scanned = scan(project)
        scanned.require_whole()
        directories = [(item.scope, item.path) for item in scanned.with_context]
    planned = [_plan(project, scope, path, always=bool(scopes), now=now) for scope, path in directories]
    for (_, path), (result, data) in zip(directories, planned, strict=True):
        if result.written:
            replace_bytes(Path(path, CONTEXT_NAME), data)
    return [result for result, _ in planned]


def _plan(
    project: ScopeProject, scope: str, path: str, *, always: bool, now: datetime
) -> tuple[RehashedContext, bytes]:
    """The outcome for a context, and the new bytes of its file."""
    data = read_context(path, scope, project.real_root)
    old = parse_context(data, scope).fingerprint
    new = content_fingerprint(path, project.listing(path).files, project.hashes)
    written = always or new != old
    if written:
        data = _rewritten(data, scope, {"fingerprint": new, "last_updated": timestamp(now)})
    return RehashedContext(scope, old, new, written), data


def _rewritten(data: bytes, scope: str, values: dict[str, str]) -> bytes:
    """The bytes with other values, after a check that all other fields are the same."""
    bom = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
    before = parse_context(data, scope)
    try:
        text = replace_values(data.removeprefix(bom).decode(), values)
        result = bom + text.encode()
        after = parse_context(result, scope)
    except YamlError as error:
        raise UsageError(f"{scope}/{CONTEXT_NAME}: {error}; write {_by_hand(values)} by hand") from None
    if after != before.model_copy(update=values):
        raise UsageError(
            f"{scope}/{CONTEXT_NAME}: too intricate to rewrite; write {_by_hand(values)} by hand"
        )
    return result


def _by_hand(values: dict[str, str]) -> str:
    return " and ".join(f'{key}: "{value}"' for key, value in values.items())


_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def dump(fields: dict[str, Any]) -> str:
    """A context as YAML, with double-quoted strings of one line, in the order of `fields`."""
    lines: list[str] = []
    for name, value in fields.items():
        _field(lines, name, value, "")
    return "\n".join(lines) + "\n"


def _field(lines: list[str], name: str, value: Any, indent: str) -> None:
    """Append the lines of a key; a list or mapping is written below it."""
    if isinstance(value, dict) and value:
        lines.append(f"{indent}{name}:")
        for key, child in value.items():
            _field(lines, key, child, indent + "  ")
    elif isinstance(value, list) and value:
        lines.append(f"{indent}{name}:")
        for item in value:
            _item(lines, item, indent + "  ")
    else:
        lines.append(f"{indent}{name}: {_scalar(value)}")


def _item(lines: list[str], item: Any, indent: str) -> None:
    """Append the lines of a list item; the first key of a mapping is written beside the dash."""
    if not isinstance(item, dict) or not item:
        lines.append(f"{indent}- {_scalar(item)}")
        return
    start = len(lines)
    for key, child in item.items():
        _field(lines, key, child, indent + "  ")
    lines[start] = f"{indent}- {lines[start].removeprefix(indent + '  ')}"


def _scalar(value: Any) -> str:
    """A value as JSON, which is YAML once some more characters are escaped."""
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def replace_values(text: str, values: dict[str, str]) -> str:
    """`text` with other strings as values of top-level keys. Raises `YamlError` if a value is no scalar."""
    spans = _scalar_spans(text)
    missing = [key for key in values if key not in spans]
    if missing:
        raise YamlError(f"{missing[0]} is not written as a plain value")
    for key, (start, end, style) in sorted(spans.items(), key=lambda item: item[1], reverse=True):
        if key in values:
            old = text[start:end]
            line_end = "\r\n" if old.endswith("\r\n") else "\n" if old.endswith("\n") else ""
            text = text[:start] + _styled(values[key], style) + line_end + text[end:]
    return text


def _scalar_spans(text: str) -> dict[str, tuple[int, int, str | None]]:
    """(start, end, quoting style) of the scalar values of the top-level keys, by key."""
    spans: dict[str, tuple[int, int, str | None]] = {}
    depth, key = 0, None
    for event in parse_events(text):
        kind = type(event).__name__
        if depth == 1 and kind in ("ScalarEvent", "AliasEvent"):
            if key is None:
                key = getattr(event, "value", "")
                continue
            if kind == "ScalarEvent" and not event.anchor and not event.tag:
                spans[key] = (event.start_mark.index, event.end_mark.index, event.style or None)
            key = None
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            depth += 1
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            depth -= 1
            key = None if depth == 1 else key
    return spans


def _styled(value: str, style: str | None) -> str:
    """A fingerprint or date in the quoting style of the old value; unquoted only if it is a string then."""
    if style is None and resolve_plain(value) == value:
        return value
    return f"'{value}'" if style == "'" else f'"{value}"'
