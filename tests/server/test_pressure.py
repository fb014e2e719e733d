"""A client that asks and never reads the answers: the server stops reading it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import anyio
from mcp.server.lowlevel import Server

from ctxcache.server.stdio import session

if TYPE_CHECKING:
    from ctxcache.server.stdio.transport import StdioTransport

SIZE = 1 << 20  # bytes of each request, about
FITTING = session.WINDOW // SIZE
OFFERED = 4 * FITTING
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class DeafClient:
    """A wire that offers large requests without end, and takes no answer but the first."""

    def __init__(self) -> None:
        self.requests_read = 0
        self.answers: list[bytes] = []
        self.is_listening = anyio.Event()
        self._first = True

    async def receive(self) -> bytes:
        """The next request, as long as there is one."""
        if self._first:
            self._first = False
            return self._line("initialize", HELLO)
        if self.requests_read == OFFERED:
            await anyio.sleep_forever()
        self.requests_read += 1
        return self._line("ping", {"padding": "x" * SIZE})

    async def send(self, frame: bytes) -> None:
        """Take the answer to the handshake, and all others once the client listens."""
        if self.answers:
            await self.is_listening.wait()
        self.answers.append(frame)

    async def settle(self) -> None:
        """Nothing is owed."""

    def _line(self, method: str, params: object) -> bytes:
        message = {"jsonrpc": "2.0", "id": self.requests_read, "method": method, "params": params}
        return json.dumps(message).encode() + b"\n"


async def served(client: DeafClient) -> tuple[int, int]:
    """How many requests were read until nothing moved: from a client that is deaf, then one that listens."""
    async with anyio.create_task_group() as tasks:
        wire: StdioTransport = client  # type: ignore[assignment]  # what a session uses of a wire

        async def serve() -> None:
            await session.serve(Server("test"), wire, max_line=2 * SIZE)

        tasks.start_soon(serve)
        await anyio.wait_all_tasks_blocked()
        deaf = client.requests_read
        client.is_listening.set()
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    return deaf, client.requests_read


def test_a_client_that_never_reads_is_read_no_further_than_the_window() -> None:
    client = DeafClient()
    deaf, listening = anyio.run(served, client)
    assert FITTING // 2 <= deaf <= FITTING + 1
    assert listening == OFFERED
    assert len(client.answers) == 1 + OFFERED
