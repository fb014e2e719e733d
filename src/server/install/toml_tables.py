"""Adding and removing one table of a TOML file; not a byte of the rest changes.

A table is added behind everything else, so nothing of the file has to be written anew. What
was added can be removed again so that the file is what it was.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ...tomlio import key_parts, parse, statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def read(text: str) -> dict[str, Any]:
    """What a file holds. Raises `ValueError` naming the line at fault."""
    return parse(text)


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at `path`: a new table, or one key of a table. Raises `ValueError`."""
    container = read(text)
    for key in path[:-1]:
        container = container.get(key, {})
        if not isinstance(container, dict):
            raise ValueError(f"`{key}` is not a table")
    after = _append(text, path, value) if isinstance(value, dict) else _assign(text, path, value)
    try:
        read(after)
    except ValueError:  # the place is taken, or a table above it is written inline and takes no more
        raise ValueError(f"`{'.'.join(path)}` cannot be added to the tables that are there") from None
    return after


def remove(text: str, path: Sequence[str]) -> str:
    """The text without the table at `path` and its tables. Raises `ValueError`."""
    read(text)
    spans = [(start, end) for header, start, end in _tables(text) if header[: len(path)] == list(path)]
    for start, end in reversed(spans):
        before, after = text[: _above(text, start)], text[end:]
        if not after and not text.endswith("\n"):  # as it ended when the table was added
            before = before.removesuffix("\n").removesuffix("\r")
        text = before + after
    return text


def _append(text: str, path: Sequence[str], value: dict[str, Any]) -> str:
    """A table behind everything else, under a blank line; it ends as the file ended."""
    lines = [
        f"[{'.'.join(map(_key, path))}]",
        *(f"{_key(key)} = {_value(each)}" for key, each in value.items()),
    ]
    lines = ["", "", *lines] if text and not text.endswith("\n") else ([""] if text else []) + [*lines, ""]
    return text + _newline(text).join(lines)


def _assign(text: str, path: Sequence[str], value: Any) -> str:
    """One key of a table that stands under a header of its own."""
    for header, start, end in _tables(text):
        if header != list(path[:-1]):
            continue
        own = [each for each in statements(text) if start <= each.start < end]
        for each in own[1:]:
            key, _, _ = text[each.start : each.end].partition("=")
            if key_parts(key) == [path[-1]]:
                return f"{text[: each.start]}{_key(path[-1])} = {_value(value)}{text[each.end :]}"
        offset = own[-1].end
        return f"{text[:offset]}{_newline(text)}{_key(path[-1])} = {_value(value)}{text[offset:]}"
    raise ValueError(f"`{'.'.join(path[:-1])}` is not written as a table of its own")


def _tables(text: str) -> Iterator[tuple[list[str], int, int]]:
    """The name of each table with a header, and where its header and its last assignment stand.

    Comments behind the last assignment belong to what follows.
    """
    header: list[str] | None = None
    start = end = 0
    for each in statements(text):
        if each.is_header:
            if header is not None:
                yield header, start, end
            header, start = key_parts(text[each.start : each.end].strip("[]")), each.start
        end = each.line_end
    if header is not None:
        yield header, start, end


def _above(text: str, start: int) -> int:
    """The place of the blank line above a header, else that of the header."""
    match = re.search(r"(?:(?<=\n)|\A)\r?\n\Z", text[max(0, start - 3) : start])
    return start - len(match[0]) if match else start


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    """A string, a list of strings or a boolean. JSON's escapes are TOML's, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
