"""JSON-RPC messages as lines: none too long is held, reading is strict, writing is ASCII."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from ...jsonio import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator


class LineSplitter:
    """Bytes in, lines out; in place of a line above the limit comes None."""

    def __init__(self, limit: int) -> None:
        """`limit` is the longest line in bytes, its end not counted."""
        self._limit = limit
        self._buffer = bytearray()
        self._is_too_long = False

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """The lines that end in `data`; the rest is held until its end comes."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._hold(piece)
            yield self._take()
        self._hold(rest)

    def finish(self) -> Iterator[bytes | None]:
        """The last line, when the input ended without a line end."""
        if self._buffer or self._is_too_long:
            yield self._take()

    def _hold(self, piece: bytes) -> None:
        if self._is_too_long or len(self._buffer) + len(piece) > self._limit:
            self._is_too_long = True
            self._buffer.clear()
        else:
            self._buffer += piece

    def _take(self) -> bytes | None:
        line = None if self._is_too_long else bytes(self._buffer)
        self._is_too_long = False
        self._buffer.clear()
        return line


SPELLED: dict[str, Any] = {}
"""A result's object where it is what the text beside it spells (rule C12)."""
LONG = 1 << 16  # characters: 0.3 ms; and what a pipe holds
_ASCII = json.JSONEncoder(separators=(",", ":"))
_INDENTATION = re.compile(r"\n *")
_BEYOND = re.compile(r"[^\x00-\x7f]+")


class RefusedFrame(Exception):
    """A line that is no message; it is answered with an error, and the next line is read."""

    def __init__(self, code: int, message: str, id_: RequestId | None = None, data: Any = None) -> None:
        """`id_` is that of the message if it has a usable one; `data` says more."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = id_
        self.data = data

    def answer(self) -> JSONRPCError:
        """The answer to the line."""
        error = ErrorData(code=self.code, message=self.message)
        if self.data is not None:
            error.data = self.data
        return JSONRPCError(jsonrpc="2.0", id=self.id, error=error)


def decode(line: bytes) -> JSONRPCRequest | JSONRPCNotification | None:
    """The request or notification that a line holds, None for a response: nothing was asked.

    Raises `RefusedFrame`. The SDK would read a request with an unusable id as a
    notification and leave it without an answer.
    """
    message = _object(line)
    id_ = message.get("id")
    has_id = type(id_) in (int, str)
    if "id" in message and not has_id:
        raise RefusedFrame(INVALID_REQUEST, "Invalid request: the id must be a string or a whole number")
    if message.get("jsonrpc") != "2.0":
        raise RefusedFrame(INVALID_REQUEST, 'Invalid request: jsonrpc must be "2.0"', id_)
    if "method" not in message and has_id and ("result" in message or "error" in message):
        return None
    method, params = message.get("method"), message.get("params")
    if not isinstance(method, str):
        raise RefusedFrame(INVALID_REQUEST, "Invalid request: the method must be a string", id_)
    if not isinstance(params, dict | None):
        raise RefusedFrame(INVALID_REQUEST, "Invalid request: params must be an object", id_)
    # Nothing is left to validate, and validation would refuse a lone surrogate in the method.
    if has_id:
        return JSONRPCRequest.model_construct(jsonrpc="2.0", id=id_, method=method, params=params)
    return JSONRPCNotification.model_construct(jsonrpc="2.0", method=method, params=params)


def encode(message: JSONRPCMessage) -> bytes:
    """A message as one line of ASCII."""
    if isinstance(message, JSONRPCResponse):
        return _response(message.id, message.result)
    if isinstance(message, JSONRPCError):
        return _line({"jsonrpc": "2.0", "id": message.id, "error": _wire_error(message.error)})
    return _line(message.model_dump(by_alias=True, exclude_unset=True))


def is_long(message: JSONRPCMessage) -> bool:
    """Whether making a frame of a message takes so long that others should not wait for it."""
    return isinstance(message, JSONRPCResponse) and sum(map(len, _texts(message.result))) > LONG


def _response(id_: RequestId, result: dict[str, Any]) -> bytes:
    """An answer. In place of `SPELLED` goes the text itself, not read, copied and written once more."""
    if result.get("structuredContent") != SPELLED:
        return _line({"jsonrpc": "2.0", "id": id_, "result": result})
    [block], [text] = result["content"], _texts(result)
    kind = {name: value for name, value in block.items() if name != "text"}
    rest = {name: value for name, value in result.items() if name not in ("content", "structuredContent")}
    parts = (
        b'{"jsonrpc":"2.0","id":' + _json(id_),
        b',"result":{"content":[' + _json(kind)[:-1],
        b',"text":"' + _escaped(text),
        b'"}],"structuredContent":' + _one_line(text),
        *(b"," + _json(name) + b":" + _json(value) for name, value in rest.items()),
        b"}}\n",
    )
    return b"".join(parts)


def _texts(result: dict[str, Any]) -> list[str]:
    """The texts of a tool's result, none of another's."""
    return [block["text"] for block in result.get("content", ()) if "text" in block]


def _line(fields: dict[str, Any]) -> bytes:
    return _json(fields) + b"\n"


def _json(value: Any) -> bytes:
    return _ASCII.encode(value).encode("ascii")


def _escaped(text: str) -> bytes:
    """A text as it stands between quotes, in ASCII."""
    return escaped(text) if text.isascii() else _json(text)[1:-1]


def _one_line(text: str) -> bytes:
    """A JSON text as ASCII on one line: its line breaks stand between tokens, other letters in strings."""
    text = text.removesuffix("\n")
    if "\n" in text:
        text = _INDENTATION.sub("", text)
    return (text if text.isascii() else _BEYOND.sub(_spelled, text)).encode("ascii")


def _spelled(letters: re.Match[str]) -> str:
    """Letters beyond ASCII as JSON escapes them."""
    return json.dumps(letters[0])[1:-1]


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = _STRICT.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise RefusedFrame(PARSE_ERROR, "Parse error: the line is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise RefusedFrame(INVALID_REQUEST, "Invalid request: a message is one JSON object")
    return value


def _refuse_constant(name: str) -> None:
    """`NaN` and the infinities are Python's, not JSON's."""
    raise ValueError(name)


_STRICT = json.JSONDecoder(parse_constant=_refuse_constant)


def _wire_error(error: ErrorData) -> dict[str, Any]:
    """An error as it may be seen: code 0 is how the SDK wraps the text of an exception."""
    if error.code == 0:
        error = ErrorData(code=INTERNAL_ERROR, message="Internal error")
    return error.model_dump(exclude_unset=True)
