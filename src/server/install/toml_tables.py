"""Adding and removing one table of a TOML file without changing a byte of the rest.

A table is added at the end of the file. Removing an added table restores the former text.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ...tomlio import key_parts, parse, statements
from .jsonc import line_end

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def read(text: str) -> dict[str, Any]:
    """The data of a text. Raises `ValueError` naming the line at fault."""
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
    except ValueError:  # the key exists, or a table above it is an inline table, which cannot be extended
        raise ValueError(f"`{'.'.join(path)}` cannot be added to the tables that are there") from None
    return after


def remove(text: str, path: Sequence[str]) -> str:
    """The text without the table at `path` and its subtables. Raises `ValueError`."""
    read(text)
    spans = [(start, end) for header, start, end in _tables(text) if header[: len(path)] == list(path)]
    for start, end in reversed(spans):
        before, after = text[: _above(text, start)], text[end:]
        if not after and not text.endswith("\n"):  # the file had no final line end before the table was added
            before = before.removesuffix("\n").removesuffix("\r")
        text = before + after
    return text


def _append(text: str, path: Sequence[str], value: dict[str, Any]) -> str:
    """The text with a table at its end, below a blank line; with a final line end only if it had one."""
    lines = [
        f"[{'.'.join(map(_key, path))}]",
        *(f"{_key(key)} = {_value(item)}" for key, item in value.items()),
    ]
    lines = ["", "", *lines] if text and not text.endswith("\n") else ([""] if text else []) + [*lines, ""]
    return text + line_end(text).join(lines)


def _assign(text: str, path: Sequence[str], value: Any) -> str:
    """The text with a key set in a table that has a header. Raises `ValueError` if there is no such table."""
    for header, start, end in _tables(text):
        if header != list(path[:-1]):
            continue
        assignment = f"{_key(path[-1])} = {_value(value)}"
        own = [statement for statement in statements(text) if start <= statement.start < end]
        for statement in own[1:]:
            key, _, _ = text[statement.start : statement.end].partition("=")
            if key_parts(key) == [path[-1]]:
                return f"{text[: statement.start]}{assignment}{text[statement.end :]}"
        offset = own[-1].end
        return f"{text[:offset]}{line_end(text)}{assignment}{text[offset:]}"
    raise ValueError(f"`{'.'.join(path[:-1])}` is not written as a table of its own")


def _tables(text: str) -> Iterator[tuple[list[str], int, int]]:
    """(name, start, end) of each table: the offsets of its header and after its last assignment.

    Comments below the last assignment belong to the next table.
    """
    header: list[str] | None = None
    start = end = 0
    for statement in statements(text):
        if statement.is_header:
            if header is not None:
                yield header, start, end
            header = key_parts(text[statement.start : statement.end].strip("[]"))
            start = statement.start
        end = statement.line_end
    if header is not None:
        yield header, start, end


def _above(text: str, start: int) -> int:
    """The offset of the blank line above a header, else that of the header."""
    match = re.search(r"(?:(?<=\n)|\A)\r?\n\Z", text[max(0, start - 3) : start])
    return start - len(match[0]) if match else start


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    """A string, a list of strings or a boolean as TOML, which is JSON with DEL escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
