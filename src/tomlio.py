"""TOML that others wrote: parsed within limits, and where its statements stand."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, NamedTuple

from .safeio import decode_text, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

MOST_PARTS = 200
"""Of a dotted key: `tomllib` takes time that grows with their square."""

_TEXT = (
    r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*+"{3,5}|'
    r"'''(?:[^']|'(?!''))*+'{3,5}|"
    r'"(?:[^"\\\n]|\\.)*+"|'
    r"'[^'\n]*+'"
)
_TOKEN = re.compile(
    rf"(?P<text>{_TEXT})"
    r"|(?P<comment>\#[^\n]*+)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<end>\n)|[^\"'\#\[\]{}\n]++"
)
_KEY_TOKEN = re.compile(rf"(?:{_TEXT}|\#[^\n]*+)|(?P<dot>\.)|(?P<end>[,=\n\[\]{{}}])|[^\"'\#.,=\n\[\]{{}}]++")


class Statement(NamedTuple):
    """A header or an assignment and where it stands, without what follows it on its line."""

    start: int
    end: int
    line_end: int
    """Behind its line, the line end included."""
    is_header: bool


def parse(text: str, *, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """What a text says. Raises `ValueError` in one line, a `tomllib.TOMLDecodeError` where it is no TOML."""
    _require_short_keys(text)
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError:  # Python's limit for the digits of a whole number
        raise ValueError("a number has too many digits") from None


def read_table(file: Path, keys: Iterable[str], *, limit: int = 1 << 20) -> object:
    """The value that `keys` lead to in a file, None where there is none. Raises `OSError`, `ValueError`."""
    value: object = parse(decode_text(read_bytes(file, limit=limit)))
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def own_words(kind: str, message: str) -> str:
    """What a model of pydantic says of a value, in the words of this program and of TOML."""
    if kind == "extra_forbidden":
        return "there is no such key"
    if kind in ("dict_type", "model_type"):
        return "must be a table"
    message = message.removeprefix("Value error, ").replace("Input should be", "must be")
    return message[:1].lower() + message[1:]


def _require_short_keys(text: str) -> None:
    """Raise `ValueError` for a key of too many parts."""
    parts = 0
    for token in _KEY_TOKEN.finditer(text):
        if token["dot"] is not None:
            parts += 1
            if parts > MOST_PARTS:
                line = text.count("\n", 0, token.start()) + 1
                raise ValueError(f"a key has more than {MOST_PARTS} parts (at line {line}, column 1)")
        elif token["end"] is not None:
            parts = 0


def statements(text: str) -> Iterator[Statement]:
    """The headers and assignments of a text that parses, in order."""
    start, end, depth = None, 0, 0
    for token in _TOKEN.finditer(text):
        if token["end"] is not None and depth == 0:
            if start is not None:
                yield Statement(start, end, token.end(), text[start] == "[")
            start = None
            continue
        depth += (token["open"] is not None) - (token["close"] is not None)
        if token["comment"] is None and (solid := token[0].strip()):
            if start is None:
                start = token.start() + token[0].index(solid[0])
            end = token.start() + len(token[0].rstrip())
    if start is not None:
        yield Statement(start, end, len(text), text[start] == "[")


def line_numbers(text: str, offsets: Iterable[int]) -> Iterator[int]:
    """The 1-based line of each of some ascending offsets."""
    line, before = 1, 0
    for offset in offsets:
        line += text.count("\n", before, offset)
        before = offset
        yield line


def key_parts(text: str) -> list[str]:
    """A dotted key as its parts."""
    data: Any = tomllib.loads(f"{text} = 0")
    parts = []
    while isinstance(data, dict):
        [(part, data)] = data.items()
        parts.append(part)
    return parts
