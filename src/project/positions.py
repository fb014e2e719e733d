"""On which line of a TOML file a key stands.

The parser of the standard library keeps no positions. But a file cut after a statement is a
file too, and a key is in all the cuts from its own statement on: the place is found by
halving, with the one parser that also reads the values.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

Path = Sequence[str | int]


def line_of(text: str, path: Path) -> int:
    """The 1-based line of the statement that first defines `path`, or as much of it as there is."""
    lines = [f"{line}\n" for line in text.split("\n")]  # TOML knows no other line end
    while path and not _holds(_parsed(lines, len(lines))[0], path):
        path = path[:-1]
    if not path:
        return 1
    end = bisect_left(range(len(lines)), 1, key=lambda cut: int(_holds(_parsed(lines, cut)[0], path)))
    before = _parsed(lines, end - 1)[1]
    while not lines[before].strip() or lines[before].lstrip().startswith("#"):
        before += 1
    return before + 1


def lines_of_tables(text: str, path: Sequence[str], count: int) -> list[int]:
    """Where each of `count` tables `[[path]]` begins; in one pass if they are written in the usual way."""
    dot = r"[ \t]*\.[ \t]*"
    is_header = re.compile(rf"[ \t]*\[\[[ \t]*{dot.join(map(re.escape, path))}[ \t]*\]\]").match
    usual = [number for number, line in enumerate(text.split("\n"), start=1) if is_header(line)]
    if len(usual) == count:
        return usual
    return [line_of(text, (*path, number)) for number in range(count)]


def _parsed(lines: list[str], cut: int) -> tuple[dict[str, Any], int]:
    """The first `cut` lines, less those of a statement that is not finished, and how many these are."""
    while cut:
        try:
            return tomllib.loads("".join(lines[:cut])), cut
        except tomllib.TOMLDecodeError:
            cut -= 1
    return {}, 0


def _holds(value: Any, path: Path) -> bool:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True
