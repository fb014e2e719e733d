"""Writing `.context.yaml`: a whole new file, or two values of an existing one.

A new file has strings in double quotes, one line each. An existing one is not
dumped again: the characters of the values are replaced where they stand, so
that comments, order, quoting and line ends stay as they were written.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ..yamlio import YamlError, parse_events, resolve_plain

_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def dump(fields: dict[str, Any]) -> str:
    """A context as YAML: strings double-quoted, one line each, in the order given."""
    lines: list[str] = []
    for name, value in fields.items():
        _field(lines, name, value, "")
    return "\n".join(lines) + "\n"


def _field(lines: list[str], name: str, value: Any, indent: str) -> None:
    """One key with its value, a list or a mapping below it."""
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
    """One list item; the first key of a mapping stands beside its dash."""
    if not isinstance(item, dict) or not item:
        lines.append(f"{indent}- {_scalar(item)}")
        return
    start = len(lines)
    for key, child in item.items():
        _field(lines, key, child, indent + "  ")
    lines[start] = f"{indent}- {lines[start].removeprefix(indent + '  ')}"


def _scalar(value: Any) -> str:
    """JSON is YAML, but for characters that YAML wants escaped."""
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def replace_values(text: str, values: dict[str, str]) -> str:
    """`text` with other strings as the values of these top-level keys. `YamlError` if one has no scalar."""
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
    """Where the scalar values of the top-level keys stand: start, end, quoting style."""
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
    """A string of harmless characters in the quoting that its place had, if it stays a string there."""
    if style is None and resolve_plain(value) == value:
        return value
    return f"'{value}'" if style == "'" else f'"{value}"'
