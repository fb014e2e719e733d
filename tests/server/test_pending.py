"""The requests without an answer: how many may be open, and which one an id means."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse

from ctxcache.server.stdio.session import REQUEST_COST, Connection, PendingRequests

from .conftest import PATIENCE


def test_no_request_comes_in_while_those_open_fill_the_window() -> None:
    """A client that never reads its answers must not fill the memory."""

    async def turns() -> list[str]:
        pending, said = PendingRequests(window=2 * REQUEST_COST), []

        async def come_in() -> None:
            await pending.wait_for_room()
            said.append("in")

        numbers = [pending.add(id_, 0) for id_ in "abcd"]
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(come_in)
                for number in numbers[:3]:  # two are as many as fit: room comes with the third answer
                    for _ in range(5):
                        await checkpoint()
                    said.append("waited")
                    pending.remove(number)
        return said

    assert anyio.run(turns) == ["waited", "waited", "waited", "in"]


def test_one_request_may_always_come_in_whatever_its_size() -> None:
    pending = PendingRequests(window=10)
    anyio.run(pending.wait_for_room)
    assert pending.add(1, 10**9) == 1


@pytest.mark.parametrize("other", [True, 1.0, "1", None])
def test_an_id_means_a_request_of_its_own_type_alone(other: object) -> None:
    pending = PendingRequests(window=10**9)
    number = pending.add(1, 0)
    assert pending.number_of(1) == number
    assert pending.number_of(other) is None


def test_of_two_open_requests_with_one_id_the_latest_is_meant() -> None:
    pending = PendingRequests(window=10**9)
    first, second = pending.add("x", 0), pending.add("x", 0)
    assert pending.number_of("x") == second
    pending.remove(second)
    assert (pending.number_of("x"), pending.id_of(first), pending.id_of(second)) == (first, "x", None)


def test_an_answer_that_nobody_waits_for_any_more_is_not_written() -> None:
    """It would go out without the id that it had."""

    class Wire:
        def __init__(self) -> None:
            self.frames: list[bytes] = []

        async def send(self, frame: bytes) -> None:
            """Keep a frame."""
            self.frames.append(frame)

    wire: Any = Wire()

    def nothing() -> None:
        pass

    async def answer() -> None:
        scope = anyio.CancelScope()
        connection = Connection(wire, scope, max_line=99, after_first=nothing, at_end=nothing)
        first, second = connection.pending.add("a", 0), connection.pending.add("b", 0)
        connection.pending.remove(first)
        for number in (first, second):
            await connection.send(SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=number, result={})))

    anyio.run(answer)
    assert wire.frames == [b'{"jsonrpc":"2.0","id":"b","result":{}}\n']
