r"""JSON-RPC messages as lines: strict in what is read, ASCII in what is written.

Frames are ASCII because raw U+2028, U+2029 and U+0085 break clients that split lines,
and because a lone surrogate has no UTF-8 form: decoded, the text is what it was.
"""

from __future__ import annotations

import json
from typing import Any

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


class RefusedFrame(Exception):
    """A line that is no message; it is answered with an error, and the next line is read."""

    def __init__(self, code: int, message: str, id_: RequestId | None = None) -> None:
        """`id_` is that of the message if it has a usable one."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = id_

    def answer(self) -> JSONRPCError:
        """The answer to the line."""
        error = ErrorData(code=self.code, message=self.message)
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
        fields: dict[str, Any] = {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    elif isinstance(message, JSONRPCError):
        fields = {"jsonrpc": "2.0", "id": message.id, "error": _wire_error(message.error)}
    else:
        fields = message.model_dump(by_alias=True, exclude_unset=True)
    return json.dumps(fields, separators=(",", ":")).encode("ascii") + b"\n"


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise RefusedFrame(PARSE_ERROR, "Parse error: the line is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise RefusedFrame(INVALID_REQUEST, "Invalid request: a message is one JSON object")
    return value


def _refuse_constant(name: str) -> None:
    """`NaN` and the infinities are Python's, not JSON's."""
    raise ValueError(name)


def _wire_error(error: ErrorData) -> dict[str, Any]:
    """An error as it may be seen: code 0 is how the SDK wraps the text of an exception."""
    if error.code == 0:
        error = ErrorData(code=INTERNAL_ERROR, message="Internal error")
    return error.model_dump(exclude_unset=True)
