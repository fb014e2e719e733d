"""JSON-RPC messages as lines: of bounded length, decoded strictly, encoded in ASCII."""

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
    """Splits bytes into lines; a line above the limit becomes None, and is not kept in memory."""

    def __init__(self, limit: int) -> None:
        """`limit` is the most bytes of a line, without its line feed."""
        self._limit = limit
        self._buffer = bytearray()
        self._is_too_long = False

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """The lines that end in `data`; the rest is kept until its line feed arrives."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._hold(piece)
            yield self._take()
        self._hold(rest)

    def finish(self) -> Iterator[bytes | None]:
        """The last line, if the input ended without a line feed."""
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


AS_TEXT: dict[str, Any] = {}
"""Stands for structured content that equals the text of the result (rule C12); `encode` copies the text."""
LONG = 1 << 16  # characters, which take 0.3 ms to encode; also the size of a pipe
_ASCII = json.JSONEncoder(separators=(",", ":"))
_INDENTATION = re.compile(r"\n *")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")


class RefusedFrame(Exception):
    """A line that is no valid message; it is answered with an error, and the next line is read."""

    def __init__(self, code: int, message: str, id_: RequestId | None = None, data: Any = None) -> None:
        """`code`, `message`, `data` are those of the error; `id_` is that of the message if it is valid."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = id_
        self.data = data

    def answer(self) -> JSONRPCError:
        """The error that answers the line."""
        error = ErrorData(code=self.code, message=self.message)
        if self.data is not None:
            error.data = self.data
        return JSONRPCError(jsonrpc="2.0", id=self.id, error=error)


def decode(line: bytes) -> JSONRPCRequest | JSONRPCNotification | None:
    """The request or notification in a line; None for a response, since the server asks nothing.

    Raises `RefusedFrame`. The SDK would take a request with an invalid id for a notification, and never
    answer it.
    """
    message = _parsed(line)
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
    # All is validated already, and pydantic would refuse a lone surrogate in the method.
    if has_id:
        return JSONRPCRequest.model_construct(jsonrpc="2.0", id=id_, method=method, params=params)
    return JSONRPCNotification.model_construct(jsonrpc="2.0", method=method, params=params)


def encode(message: JSONRPCMessage) -> bytes:
    """A message as one line of ASCII."""
    if isinstance(message, JSONRPCResponse):
        return _response(message.id, message.result)
    if isinstance(message, JSONRPCError):
        return _line({"jsonrpc": "2.0", "id": message.id, "error": _public_error(message.error)})
    return _line(message.model_dump(by_alias=True, exclude_unset=True))


def is_long(message: JSONRPCMessage) -> bool:
    """Whether encoding a message takes so long that it must not block the event loop."""
    return isinstance(message, JSONRPCResponse) and sum(map(len, _texts(message.result))) > LONG


def _response(id_: RequestId, result: dict[str, Any]) -> bytes:
    """A response as a frame. `AS_TEXT` is replaced by the text, which is not parsed and encoded again."""
    if result.get("structuredContent") != AS_TEXT:
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
    """The texts of a tool's result; none for other results."""
    return [block["text"] for block in result.get("content", ()) if "text" in block]


def _line(fields: dict[str, Any]) -> bytes:
    return _json(fields) + b"\n"


def _json(value: Any) -> bytes:
    return _ASCII.encode(value).encode("ascii")


def _escaped(text: str) -> bytes:
    """A text as the inside of a JSON string, in ASCII."""
    return escaped(text) if text.isascii() else _json(text)[1:-1]


def _one_line(text: str) -> bytes:
    """A JSON text on one line of ASCII: line feeds stand between tokens only, non-ASCII in strings only."""
    text = text.removesuffix("\n")
    if "\n" in text:
        text = _INDENTATION.sub("", text)
    return (text if text.isascii() else _NON_ASCII.sub(_json_escape, text)).encode("ascii")


def _json_escape(characters: re.Match[str]) -> str:
    return json.dumps(characters[0])[1:-1]


def _parsed(line: bytes) -> dict[str, Any]:
    """The JSON object in a line. Raises `RefusedFrame`."""
    try:
        value = _STRICT.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise RefusedFrame(PARSE_ERROR, "Parse error: the line is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise RefusedFrame(INVALID_REQUEST, "Invalid request: a message is one JSON object")
    return value


def _refuse_constant(name: str) -> None:
    """Refuse `NaN` and the infinities, which Python reads and JSON does not have."""
    raise ValueError(name)


_STRICT = json.JSONDecoder(parse_constant=_refuse_constant)


def _public_error(error: ErrorData) -> dict[str, Any]:
    """An error without the text of an exception, which the SDK sends with the code 0."""
    if error.code == 0:
        error = ErrorData(code=INTERNAL_ERROR, message="Internal error")
    return error.model_dump(exclude_unset=True)
