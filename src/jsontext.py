"""The one serializer: JSON with the bytes that the contract fixes (rule C2).

Compact or indented by two spaces, non-ASCII unescaped, fields in the order given, one
trailing newline. `json.dumps` writes a small number as `1e-05`; a `Decimal6` or `Float32`
keeps the form that the contract wants.
"""

from __future__ import annotations

from json.encoder import encode_basestring as quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
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


def compact(value: Any) -> str:
    """One line without spaces, and a newline."""
    return _written(value, None) + "\n"


def pretty(value: Any) -> str:
    """The same indented by two spaces, and a newline."""
    return _written(value, "\n") + "\n"


def _written(value: Any, newline: str | None) -> str:
    """One value; `newline` is the line break with the indentation in force, None for compact."""
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Number):
        return value.text
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        colon = ":" if newline is None else ": "
        deeper = newline and newline + "  "
        return _joined(
            ("{", "}"), newline, [quoted(k) + colon + _written(v, deeper) for k, v in value.items()]
        )
    if isinstance(value, (list, tuple)):
        deeper = newline and newline + "  "
        return _joined(("[", "]"), newline, [_written(item, deeper) for item in value])
    raise TypeError(f"no JSON form for {type(value).__name__}")


def _joined(brackets: tuple[str, str], newline: str | None, items: list[str]) -> str:
    """Items between brackets, one a line when indented; an empty list stays on its line."""
    opening, closing = brackets
    if newline is None or not items:
        return opening + ",".join(items) + closing
    deeper = newline + "  "
    return opening + deeper + ("," + deeper).join(items) + newline + closing
