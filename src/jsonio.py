"""JSON with the bytes that the contract fixes (rule C2), the same from every door (rule C1).

Compact or indented by two spaces, non-ASCII unescaped, fields in the order given. `json` does it
but for small numbers, which it writes as `1e-05`: here they are `0.00001` from a millionth on, `1e-7` below.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from json.encoder import encode_basestring as quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_PRETTY = json.JSONEncoder(ensure_ascii=False, indent=2)
encoded = _COMPACT.encode
"""One line without spaces and without a newline, as `json` writes it."""
_SMALL_NUMBER = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|([0-9](?:\.[0-9]+)?)e-([0-9]+)')
"""A string, which is left as it is, or a number with a negative exponent."""
_RARE = bytes(point for point in range(0x20) if point not in b"\n\t\r")


class JsonResult(ABC):
    """What an operation returns: an object with one JSON form."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The object, fields in the order of its specification."""

    def to_json(self) -> str:
        """One line of compact JSON and a newline: the bytes of the contract."""
        return compact(self.to_dict())

    def to_pretty(self) -> str:
        """The same object, indented by two spaces."""
        return pretty(self.to_dict())

    def __repr__(self) -> str:
        return self.to_pretty().rstrip("\n")


def canonical(value: Any) -> bytes:
    """The form in which a value is stored and enters an identity: one line, no spaces, no newline."""
    return encoded(value).encode("utf-8")


def compact(value: Any) -> str:
    """One line without spaces, and a newline."""
    return _with_small_numbers(encoded(value)) + "\n"


def pretty(value: Any) -> str:
    """The same indented by two spaces, and a newline."""
    return _with_small_numbers(_PRETTY.encode(value)) + "\n"


def decimal(value: float) -> str:
    """The JSON of a number."""
    return _with_small_numbers(repr(value))


def millionths(value: int) -> float:
    """A share in millionths as the number that is written with one to six decimals."""
    return value / 10**6


def escaped(text: str) -> bytes:
    """A text as it stands between the quotes of a JSON string, in half of the time that `json` takes.

    `UnicodeEncodeError` for a lone surrogate.
    """
    data = text.encode("utf-8")
    if len(data.translate(None, _RARE)) < len(data):
        return quoted(text)[1:-1].encode("utf-8")
    data = data.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return data.replace(b"\t", b"\\t").replace(b"\r", b"\\r")


def _with_small_numbers(text: str) -> str:
    """JSON with its small numbers in the form of the contract."""
    return _SMALL_NUMBER.sub(_small_number, text) if "e-" in text else text


def _small_number(match: re.Match[str]) -> str:
    digits, exponent = match[1], int(match[2] or 0)
    if digits is None:
        return match[0]
    if exponent > 6:
        return f"{digits}e-{exponent}"
    return "0." + "0" * (exponent - 1) + digits.replace(".", "")
