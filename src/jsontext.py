"""The one serializer: JSON with the bytes that the contract fixes (rule C2).

Compact or indented by two spaces, non-ASCII unescaped, fields in the order given, one
trailing newline. `json.dumps` writes a small number as `1e-05`; a `Decimal6` or `Float32`
keeps the form that the contract wants.
"""

from __future__ import annotations

from json.encoder import encode_basestring as quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Number(float):
    """A float that knows how it is written."""

    text: str

    def __new__(cls, text: str) -> Number:
        """`text` is the JSON form, which Python reads too."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def millionths(value: int) -> Number:
    """A share in millionths as a number with one to six decimals: `0.25`, `1.0`, `0.000001`."""
    whole, rest = divmod(value, 10**6)
    return Number(f"{whole}.{rest:06d}".rstrip("0") + ("0" if not rest else ""))


_RARE = bytes(point for point in range(0x20) if point not in b"\n\t\r")


def escaped(text: str) -> bytes:
    """A text as it stands between the quotes of a JSON string, in half of the time that `json` takes.

    `UnicodeEncodeError` for a lone surrogate.
    """
    data = text.encode("utf-8")
    if len(data.translate(None, _RARE)) < len(data):
        return quoted(text)[1:-1].encode("utf-8")
    data = data.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return data.replace(b"\t", b"\\t").replace(b"\r", b"\\r")


def compact(value: Any) -> str:
    """One line without spaces, and a newline."""
    return _compact(value) + "\n"


def pretty(value: Any) -> str:
    """The same indented by two spaces, and a newline."""
    return _pretty(value, "\n") + "\n"


_SCALARS: dict[type, Callable[[Any], str]] = {
    str: quoted,
    int: int.__repr__,
    Number: lambda number: str(number.text),
    bool: lambda value: "true" if value else "false",
    type(None): lambda _: "null",
}


def _compact(value: Any) -> str:
    write = _SCALARS.get(type(value))
    if write:
        return write(value)
    if isinstance(value, dict):
        return "{" + ",".join([f"{quoted(name)}:{_compact(item)}" for name, item in value.items()]) + "}"
    return "[" + ",".join([_compact(item) for item in value]) + "]"


def _pretty(value: Any, newline: str) -> str:
    """`newline` is the line break with the indentation in force; what is empty stays on its line."""
    write = _SCALARS.get(type(value))
    if write:
        return write(value)
    deeper = newline + "  "
    if isinstance(value, dict):
        items = [f"{quoted(name)}: {_pretty(item, deeper)}" for name, item in value.items()]
        opening, closing = "{", "}"
    else:
        items = [_pretty(item, deeper) for item in value]
        opening, closing = "[", "]"
    if not items:
        return opening + closing
    return opening + deeper + ("," + deeper).join(items) + newline + closing
