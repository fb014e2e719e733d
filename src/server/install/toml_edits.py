"""Changing one table of a TOML file; comments, order and layout of the rest stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tomlkit import TOMLDocument


def read(text: str) -> dict[str, Any]:
    """What a file holds. Raises `ValueError` naming the line at fault."""
    return _parsed(text).unwrap()


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at `path`; tables on the way are made. Raises `ValueError`."""
    document = _parsed(text)
    table: Any = document
    for key in path[:-1]:
        if key not in table:
            table[key] = tomlkit.table(is_super_table=True)
        table = table[key]
        if not isinstance(table, dict):
            raise ValueError(f"`{key}` is not a table")
    if isinstance(value, dict):
        value = _inline_table(value) if isinstance(table, InlineTable) else _table(value)
    table[path[-1]] = value
    return _dumped(document, text)


def remove(text: str, path: Sequence[str]) -> str:
    """The text without the table at `path`, nor what is empty around it then. Raises `ValueError`."""
    document = _parsed(text)
    tables: list[Any] = [document]
    for key in path:
        if not isinstance(tables[-1], dict) or key not in tables[-1]:
            return text
        tables.append(tables[-1][key])
    for table, key in zip(reversed(tables[:-1]), reversed(path), strict=True):
        del table[key]
        if table:
            break
    return _dumped(document, text)


def _parsed(text: str) -> TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise ValueError(str(error)) from None


def _table(value: dict[str, Any]) -> Any:
    """A table with a blank line behind it for what may follow."""
    table = tomlkit.table()
    table.update(value)
    table.add(tomlkit.nl())
    return table


def _inline_table(value: dict[str, Any]) -> Any:
    """The same for a container that is written on one line."""
    table = tomlkit.inline_table()
    table.update(value)
    return table


def _dumped(document: TOMLDocument, before: str) -> str:
    """The text of a document with the line ends that it had, and one at its end."""
    text = tomlkit.dumps(document).replace("\r\n", "\n").rstrip("\n")
    text = text + "\n" if text else ""
    return text.replace("\n", "\r\n") if "\r\n" in before else text
