"""One client on the wire: its lines to the SDK's server, the server's messages to its lines.

Three promises that the SDK does not make: every request read is answered once, also when
the input ends right behind it; a line that is no message costs nothing but an error; and
what a client sends without reading the answers is not held in memory.
"""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING, Any

import anyio
from anyio import to_thread
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import INVALID_REQUEST, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from .frames import RefusedFrame, decode, encode, is_long
from .ledger import Ledger
from .lines import LineSplitter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    from anyio.abc import TaskGroup
    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.server.lowlevel import Server
    from mcp_types import JSONRPCMessage

    from .wire import Wire

    Inbox = MemoryObjectSendStream[SessionMessage | Exception]

DRAIN = 1.5  # seconds after the end of input for requests in flight
END = 2.0  # seconds after the end of input for everything
WINDOW = 16 << 20  # bytes of unanswered requests; more are not read until some are answered


async def serve(server: Server[Any], wire: Wire, *, max_line: int, then: Callable[[], object]) -> None:
    """Serve the client on the wire until it closes its side or is gone.

    `max_line` is the longest message in bytes. `then` runs in a thread behind the first
    answer: what later calls are faster with, and what no client should wait for.
    """
    inbox, received = anyio.create_memory_object_stream[SessionMessage | Exception]()
    async with anyio.create_task_group() as tasks:
        ledger = Ledger(window=WINDOW)
        outbox = Outbox(wire, ledger, tasks, then)
        tasks.start_soon(server.run, received, outbox, server.create_initialization_options())
        await Reader(wire, ledger, inbox, outbox).run(max_line)
        tasks.cancel_scope.deadline = anyio.current_time() + END
        with anyio.move_on_after(DRAIN):
            await ledger.all_answered()
        inbox.close()  # the server says to whoever still waits that the connection is closed


class Reader:
    """Lines from the wire, judged and passed on."""

    def __init__(self, wire: Wire, ledger: Ledger, inbox: Inbox, outbox: Outbox) -> None:
        self._wire = wire
        self._ledger = ledger
        self._inbox = inbox
        self._outbox = outbox

    async def run(self, max_line: int) -> None:
        """Read to the end of the input, never further ahead than the server takes."""
        lines = LineSplitter(max_line)
        while chunk := await self._wire.receive():
            await self._accept(lines.feed(chunk))
        await self._accept(lines.finish())

    async def _accept(self, lines: Iterable[bytes | None]) -> None:
        for line in lines:
            try:
                await self._take(line)
            except RefusedFrame as refused:
                await self._outbox.write(refused.answer())

    async def _take(self, line: bytes | None) -> None:
        if line is None:
            raise RefusedFrame(INVALID_REQUEST, "Invalid request: the message is too long")
        if not line.strip():
            return
        message = decode(line)
        if isinstance(message, JSONRPCRequest):
            await self._ledger.room()
            await self._pass_request(message, len(line))
        elif isinstance(message, JSONRPCNotification):
            await self._inbox.send(SessionMessage(self._renumbered(message)))

    async def _pass_request(self, request: JSONRPCRequest, size: int) -> None:
        """Hand a request over under a number of ours; the SDK says if it will stay without an answer."""
        number = self._ledger.open(request.id, size)

        async def unanswered() -> None:
            self._ledger.close(number)

        request.id = number
        await self._inbox.send(
            SessionMessage(request, ServerMessageMetadata(on_request_unanswered=unanswered))
        )

    def _renumbered(self, message: JSONRPCNotification) -> JSONRPCNotification:
        """A cancellation names a request by the client's id; the server knows our number."""
        if message.method == "notifications/cancelled" and message.params is not None:
            number = self._ledger.number_of(message.params.get("requestId"))
            message.params = {**message.params, "requestId": number if number is not None else -1}
        return message


class Outbox:
    """What the SDK writes to: messages become frames, numbers become the client's ids again."""

    def __init__(self, wire: Wire, ledger: Ledger, tasks: TaskGroup, then: Callable[[], object]) -> None:
        """`tasks` is all that serves this client; it is cancelled when the client is gone."""
        self._then: Callable[[], object] | None = then
        self._wire = wire
        self._ledger = ledger
        self._tasks = tasks

    async def send(self, item: SessionMessage) -> None:
        """Write what the server says; an answer that nobody waits for any more is dropped."""
        message = item.message
        if not isinstance(message, JSONRPCResponse | JSONRPCError) or not isinstance(message.id, int):
            return await self.write(message)
        number, message.id = message.id, self._ledger.id_of(message.id)
        if message.id is None:
            return None
        try:
            return await self.write(message)
        finally:
            self._ledger.close(number)
            if self._then is not None:
                Thread(target=self._then, daemon=True).start()
                self._then = None

    async def write(self, message: JSONRPCMessage) -> None:
        """Write one message as a frame; a long one is made in a thread, for a `ping` must not wait."""
        frame = await to_thread.run_sync(encode, message) if is_long(message) else encode(message)
        try:
            await self._wire.send(frame)
        except OSError:
            self._tasks.cancel_scope.cancel()
            raise anyio.BrokenResourceError from None

    async def aclose(self) -> None:
        """Nothing to close: the wire lasts as long as the process."""

    async def __aenter__(self) -> Outbox:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
