"""The session of one client: hands its messages to the SDK's server, and writes the server's answers.

Clients may use an id twice. Each request therefore gets a number of our own, under which the SDK knows it.
"""

from __future__ import annotations

from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

import anyio
from anyio import to_thread
from mcp.shared.inbound import InboundLadderRejection, classify_inbound_request
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types import (
    INVALID_REQUEST,
    UNSUPPORTED_PROTOCOL_VERSION,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from .frames import LineSplitter, RefusedFrame, decode, encode, is_long

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from mcp.server.lowlevel import Server
    from mcp_types import JSONRPCMessage, RequestId

    from .transport import StdioTransport

REQUEST_COST = 16 * 1024  # bytes of memory that a request takes besides its own text, roughly


class PendingRequests:
    """The requests without an answer, by our numbers. For one event loop, not for threads."""

    def __init__(self, *, window: int) -> None:
        """`window` is the number of bytes of pending requests above which no more are read."""
        self._window = window
        self._requests: dict[int, tuple[RequestId, int]] = {}
        """The client's id and the cost in bytes of each."""
        self._cost = 0
        self._last = 0
        self._removed: anyio.Event | None = None
        """Set when the next request is removed; None while nobody waits for that."""

    def add(self, id_: RequestId, size: int) -> int:
        """Add a request of `size` bytes with the client's id; returns our number of it."""
        self._last += 1
        cost = size + REQUEST_COST
        self._requests[self._last] = id_, cost
        self._cost += cost
        return self._last

    def remove(self, number: int) -> None:
        """Remove a request that is answered or needs no answer any more, if it is still there."""
        if number in self._requests:
            self._cost -= self._requests.pop(number)[1]
            if self._removed is not None:
                self._removed.set()
                self._removed = None

    def id_of(self, number: int) -> RequestId | None:
        """The client's id of a pending request; None if there is none with this number."""
        return self._requests[number][0] if number in self._requests else None

    def number_of(self, id_: object) -> int | None:
        """Our number of the latest pending request with an id of the client; `1` and `"1"` differ."""
        for number, (other, _) in reversed(self._requests.items()):
            if type(other) is type(id_) and other == id_:
                return number
        return None

    async def wait_for_room(self) -> None:
        """Wait until the window has room for a request; without pending ones it always has."""
        while self._requests and self._cost >= self._window:
            await self._wait_for_removal()

    async def wait_until_empty(self) -> None:
        """Wait until no request is pending."""
        while self._requests:
            await self._wait_for_removal()

    async def _wait_for_removal(self) -> None:
        if self._removed is None:
            self._removed = anyio.Event()
        await self._removed.wait()


DRAIN = 1.5  # seconds that pending requests have after the end of the input
END = 2.0  # seconds after the end of the input until the server ends
WINDOW = 16 << 20  # bytes of pending requests


async def serve(
    server: Server[Any],
    transport: StdioTransport,
    *,
    max_line: int,
    after_first: Callable[[], object] = lambda: None,
    at_end: Callable[[], object] = lambda: None,
) -> None:
    """Serve a client until it closes its side or is gone.

    `max_line` is the most bytes of a message. `after_first` runs in a thread after the first answer: it
    loads what makes later calls faster. `at_end` is called at the end of the input; it ends requests that
    are never answered otherwise.
    """
    with anyio.CancelScope() as scope:
        connection = Connection(transport, scope, max_line=max_line, after_first=after_first, at_end=at_end)
        # Without options the SDK asks the server for its present instructions at each handshake.
        await server.run(connection, connection, None)  # type: ignore[arg-type]  # as `serve_dual_era_loop` takes it
        with suppress(OSError):
            await transport.flush()


def require_known_version(request: JSONRPCRequest) -> None:
    """Raise `RefusedFrame` for a request in a protocol version that the server does not support.

    The SDK would decide by the first request which protocol the client speaks, and refuse a later handshake.
    """
    if request.method == "initialize":
        return
    route = classify_inbound_request({"method": request.method, "params": request.params})
    if isinstance(route, InboundLadderRejection) and route.code == UNSUPPORTED_PROTOCOL_VERSION:
        raise RefusedFrame(route.code, route.message, request.id, route.data)


class Connection:
    """The two streams of the SDK's server, one to read from and one to write to, in one object.

    The server asks for each message, and no line is read before that. A task that reads and passes messages
    on would cost two turns of the event loop.
    """

    def __init__(
        self,
        transport: StdioTransport,
        scope: anyio.CancelScope,
        *,
        max_line: int,
        after_first: Callable[[], object],
        at_end: Callable[[], object],
    ) -> None:
        """`scope` contains all that serves this client; the end of the input sets its deadline."""
        self.pending = PendingRequests(window=WINDOW)
        self._transport = transport
        self._scope = scope
        self._splitter = LineSplitter(max_line)
        self._after_first: Callable[[], object] | None = after_first
        self._at_end = at_end
        self._lines: Iterator[bytes | None] = iter(())
        self._ended = False
        self._has_version = False
        """Whether a request in a supported protocol version has arrived."""

    async def receive(self) -> SessionMessage | Exception:
        """The next message. Raises `anyio.EndOfStream` after the last one, once all are answered."""
        while True:
            for line in self._lines:
                try:
                    message = await self._message(line)
                except RefusedFrame as refused:
                    await self._write(refused.answer())
                else:
                    if message:
                        return message
            await self._read()

    async def _read(self) -> None:
        """Read more lines. Raises `anyio.EndOfStream` at the end of the input."""
        if self._ended:
            self._at_end()
            with anyio.move_on_after(DRAIN):
                await self.pending.wait_until_empty()
            raise anyio.EndOfStream  # the server answers what is pending with `connection closed`
        if chunk := await self._transport.receive():
            self._lines = self._splitter.feed(chunk)
        else:
            self._lines, self._ended = self._splitter.finish(), True
            self._scope.deadline = anyio.current_time() + END

    async def _message(self, line: bytes | None) -> SessionMessage | None:
        """The message in a line; None for a blank line and for a response. Raises `RefusedFrame`."""
        if line is None:
            raise RefusedFrame(INVALID_REQUEST, "Invalid request: the message is too long")
        if not line.strip():
            return None
        message = decode(line)
        if isinstance(message, JSONRPCRequest):
            if not self._has_version:
                require_known_version(message)
                self._has_version = True
            await self.pending.wait_for_room()
            return self._with_number(message, len(line))
        return SessionMessage(self._with_request_number(message)) if message else None

    def _with_number(self, request: JSONRPCRequest, size: int) -> SessionMessage:
        """The request with our number as its id; it is pending until it is answered or the SDK drops it."""
        number = self.pending.add(request.id, size)

        async def unanswered() -> None:
            self.pending.remove(number)

        request.id = number
        return SessionMessage(request, ServerMessageMetadata(on_request_unanswered=unanswered))

    def _with_request_number(self, message: JSONRPCNotification) -> JSONRPCNotification:
        """The notification; in a cancellation, our number replaces the client's id of the request."""
        if message.method == "notifications/cancelled" and message.params is not None:
            number = self.pending.number_of(message.params.get("requestId"))
            message.params = {**message.params, "requestId": number if number is not None else -1}
        return message

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def send(self, item: SessionMessage) -> None:
        """Write a message of the server; an answer to a request that is no longer pending is dropped."""
        message = item.message
        if isinstance(message, JSONRPCNotification) and message.params is not None:  # `null` is not valid
            message.params = self._with_client_id(message.params)
        if not isinstance(message, JSONRPCResponse | JSONRPCError) or not isinstance(message.id, int):
            return await self._write(message)
        if isinstance(message, JSONRPCResponse):
            message.result = self._with_client_id(message.result)
        number, message.id = message.id, self.pending.id_of(message.id)
        if message.id is None:
            return None
        try:
            return await self._write(message)
        finally:
            self.pending.remove(number)
            if self._after_first is not None:
                Thread(target=self._after_first, daemon=True).start()
                self._after_first = None

    def _with_client_id(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields; where their metadata name a subscription, the client's id replaces our number."""
        meta = fields.get("_meta")
        if not isinstance(meta, dict) or SUBSCRIPTION_ID_META_KEY not in meta:
            return fields
        id_ = self.pending.id_of(meta[SUBSCRIPTION_ID_META_KEY])
        return {**fields, "_meta": {**meta, SUBSCRIPTION_ID_META_KEY: id_}}

    async def _write(self, message: JSONRPCMessage) -> None:
        """Write one message as a frame; a long one is encoded in a thread, so that a `ping` does not wait."""
        frame = await to_thread.run_sync(encode, message) if is_long(message) else encode(message)
        try:
            await self._transport.send(frame)
        except OSError:
            self._scope.cancel()
            raise anyio.BrokenResourceError from None

    async def aclose(self) -> None:
        """Close nothing: the transport lasts as long as the process."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close nothing, as `aclose`."""
