"""One client: its lines to the SDK's server, messages to its lines, each request answered once."""

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

REQUEST_COST = 16 * 1024  # bytes that a request costs in memory besides its own text, roughly


class PendingRequests:
    """Open requests by our number. For one event loop, not for threads."""

    def __init__(self, *, window: int) -> None:
        """`window` is how many bytes of requests may be open before no more are read."""
        self._window = window
        self._open: dict[int, tuple[RequestId, int]] = {}
        """The client's id and the cost of each."""
        self._cost = 0
        self._last = 0
        self._changed: anyio.Event | None = None  # set and gone at the next answer, if somebody waits for one

    def open(self, id_: RequestId, size: int) -> int:
        """Enter a request of `size` bytes; returns our number for it."""
        self._last += 1
        cost = size + REQUEST_COST
        self._open[self._last] = id_, cost
        self._cost += cost
        return self._last

    def close(self, number: int) -> None:
        """Strike out a request that is answered, or needs no answer any more."""
        if number in self._open:
            self._cost -= self._open.pop(number)[1]
            if self._changed is not None:
                self._changed.set()
                self._changed = None

    def id_of(self, number: int) -> RequestId | None:
        """The client's id of an open request."""
        return self._open[number][0] if number in self._open else None

    def number_of(self, id_: object) -> int | None:
        """Our number of the latest open request with this id, of the same type."""
        for number, (other, _) in reversed(self._open.items()):
            if type(other) is type(id_) and other == id_:
                return number
        return None

    async def room(self) -> None:
        """Wait until another request may come in; one may always, whatever its size."""
        while self._open and self._cost >= self._window:
            await self._answer()

    async def all_answered(self) -> None:
        """Wait until nothing is open."""
        while self._open:
            await self._answer()

    async def _answer(self) -> None:
        """Wait until a request is struck out."""
        if self._changed is None:
            self._changed = anyio.Event()
        await self._changed.wait()


DRAIN = 1.5  # seconds after the end of input for requests in flight
END = 2.0  # seconds after the end of input for everything
WINDOW = 16 << 20  # bytes of unanswered requests; more are not read until some are answered


async def serve(
    server: Server[Any],
    wire: StdioTransport,
    *,
    max_line: int,
    after_first: Callable[[], object] = lambda: None,
    at_end: Callable[[], object] = lambda: None,
) -> None:
    """Serve the client on the wire until it closes its side or is gone.

    `max_line` is the longest message in bytes. `after_first` runs in a thread behind the first
    answer: what later calls are faster with, and what no client should wait for. `at_end`
    is called at the end of the input, and ends requests that would never be answered.
    """
    with anyio.CancelScope() as serving:
        connection = Connection(wire, serving, max_line=max_line, after_first=after_first, at_end=at_end)
        # Without options the SDK asks the server at each handshake, for what it holds then.
        await server.run(connection, connection, None)  # type: ignore[arg-type]  # as `serve_dual_era_loop` takes it
        with suppress(OSError):
            await wire.settle()


def require_known_version(request: JSONRPCRequest) -> None:
    """Raise `RefusedFrame` for a request in a version of the protocol that is not served.

    The SDK would take the first request for a decision, and refuse a handshake ever after.
    """
    if request.method == "initialize":
        return
    route = classify_inbound_request({"method": request.method, "params": request.params})
    if isinstance(route, InboundLadderRejection) and route.code == UNSUPPORTED_PROTOCOL_VERSION:
        raise RefusedFrame(route.code, route.message, request.id, route.data)


class Connection:
    """One client, as the stream that the SDK's server reads from and as the one that it writes to.

    The server asks for each message here, so that no line is read ahead of that. A task that reads and
    passes on would cost two turns of the event loop.
    """

    def __init__(
        self,
        wire: StdioTransport,
        serving: anyio.CancelScope,
        *,
        max_line: int,
        after_first: Callable[[], object],
        at_end: Callable[[], object],
    ) -> None:
        """`serving` is all that serves this client; it has a deadline from the end of the input on."""
        self.pending = PendingRequests(window=WINDOW)
        self._wire = wire
        self._serving = serving
        self._splitter = LineSplitter(max_line)
        self._after_first: Callable[[], object] | None = after_first
        self._at_end = at_end
        self._lines: Iterator[bytes | None] = iter(())
        self._ended = False
        self._is_open = False  # until a request has decided the protocol's era

    async def receive(self) -> SessionMessage | Exception:
        """The next message. Raises `anyio.EndOfStream` behind the last one, once all are answered."""
        while True:
            for line in self._lines:
                try:
                    message = await self._taken(line)
                except RefusedFrame as refused:
                    await self._write(refused.answer())
                else:
                    if message:
                        return message
            await self._read()

    async def _read(self) -> None:
        """Read more lines. Raises `anyio.EndOfStream` where none will come."""
        if self._ended:
            self._at_end()
            with anyio.move_on_after(DRAIN):
                await self.pending.all_answered()
            raise anyio.EndOfStream  # the server says to whoever still waits that the connection is closed
        if chunk := await self._wire.receive():
            self._lines = self._splitter.feed(chunk)
        else:
            self._lines, self._ended = self._splitter.finish(), True
            self._serving.deadline = anyio.current_time() + END

    async def _taken(self, line: bytes | None) -> SessionMessage | None:
        """The message of a line, None if it asks for nothing. Raises `RefusedFrame`."""
        if line is None:
            raise RefusedFrame(INVALID_REQUEST, "Invalid request: the message is too long")
        if not line.strip():
            return None
        message = decode(line)
        if isinstance(message, JSONRPCRequest):
            if not self._is_open:
                require_known_version(message)
                self._is_open = True
            await self.pending.room()
            return self._numbered(message, len(line))
        return SessionMessage(self._renumbered(message)) if message else None

    def _numbered(self, request: JSONRPCRequest, size: int) -> SessionMessage:
        """A request under a number of ours; the SDK says if it will stay without an answer."""
        number = self.pending.open(request.id, size)

        async def unanswered() -> None:
            self.pending.close(number)

        request.id = number
        return SessionMessage(request, ServerMessageMetadata(on_request_unanswered=unanswered))

    def _renumbered(self, message: JSONRPCNotification) -> JSONRPCNotification:
        """A cancellation names a request by the client's id; the server knows our number."""
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
        """Write what the server says; an answer that nobody waits for any more is dropped."""
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
            self.pending.close(number)
            if self._after_first is not None:
                Thread(target=self._after_first, daemon=True).start()
                self._after_first = None

    def _with_client_id(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Fields whose subscription, if they name one, has the client's id in place of our number."""
        meta = fields.get("_meta")
        if not isinstance(meta, dict) or SUBSCRIPTION_ID_META_KEY not in meta:
            return fields
        id_ = self.pending.id_of(meta[SUBSCRIPTION_ID_META_KEY])
        return {**fields, "_meta": {**meta, SUBSCRIPTION_ID_META_KEY: id_}}

    async def _write(self, message: JSONRPCMessage) -> None:
        """Write one message as a frame; a long one is made in a thread, for a `ping` must not wait."""
        frame = await to_thread.run_sync(encode, message) if is_long(message) else encode(message)
        try:
            await self._wire.send(frame)
        except OSError:
            self._serving.cancel()
            raise anyio.BrokenResourceError from None

    async def aclose(self) -> None:
        """Nothing to close: the wire lasts as long as the process."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """As `aclose`."""
