"""Lines that no good client sends: each costs an error at most, and the next one is served."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Peer, Spawn

PARSE, REQUEST, METHOD, PARAMS = -32700, -32600, -32601, -32602
LIMIT = 100_000  # bytes of a message


@pytest.fixture(scope="module")
def peer(spawn: Spawn, root: Path) -> Peer:
    """One server that all hostile lines go to."""
    peer = spawn("--cache-root", root, "--max-message-bytes", str(LIMIT))
    peer.greet()
    return peer


def request(id_: str = "1", method: str = '"ping"', rest: str = "") -> bytes:
    return f'{{"jsonrpc":"2.0","id":{id_},"method":{method}{rest}}}\n'.encode()


def call(arguments: str, name: str = "context.resolve") -> bytes:
    return request("1", '"tools/call"', f',"params":{{"name":"{name}","arguments":{arguments}}}')


REFUSED = {
    "not JSON": (b"hello\n", None, PARSE),
    "half of a message": (b'{"jsonrpc":"2.0","id":1,\n', None, PARSE),
    "invalid UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}\n', None, PARSE),
    "UTF-16": ('{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16-le") + b"\n", None, PARSE),
    "NaN": (request(rest=',"params":{"x":NaN}'), None, PARSE),
    "infinity": (request(rest=',"params":{"x":-Infinity}'), None, PARSE),
    "a number too long to convert": (request("9" * 5000), None, PARSE),
    "nested beyond reason": (b"[" * 90_000 + b"\n", None, PARSE),
    "a text": (b'"ping"\n', None, REQUEST),
    "null": (b"null\n", None, REQUEST),
    "a batch": (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', None, REQUEST),
    "an empty batch": (b"[]\n", None, REQUEST),
    "an empty object": (b"{}\n", None, REQUEST),
    "id null": (request("null"), None, REQUEST),
    "id a fraction": (request("1.5"), None, REQUEST),
    "id a whole float": (request("1.0"), None, REQUEST),
    "id a boolean": (request("true"), None, REQUEST),
    "id a list": (request("[1]"), None, REQUEST),
    "another version": (b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n', 1, REQUEST),
    "no version": (b'{"id":1,"method":"ping"}\n', 1, REQUEST),
    "no method": (b'{"jsonrpc":"2.0","id":1}\n', 1, REQUEST),
    "method a number": (request(method="5"), 1, REQUEST),
    "params a list": (request(rest=',"params":[1]'), 1, REQUEST),
    "params of a notification a text": (b'{"jsonrpc":"2.0","method":"x","params":"y"}\n', None, REQUEST),
    "a message above the limit": (request(rest=f',"params":{{"x":"{"x" * LIMIT}"}}'), None, REQUEST),
    "an unknown method": (request(method='"nothing/here"'), 1, METHOD),
    "a method of lone surrogates": (request(method='"\\ud800"'), 1, METHOD),
    "a method that is not served": (request(method='"prompts/list"'), 1, METHOD),
    "a cursor": (request(method='"tools/list"', rest=',"params":{"cursor":"2"}'), 1, PARAMS),
    "a call of nothing": (request(method='"tools/call"'), 1, PARAMS),
    "arguments a list": (call("[]"), 1, PARAMS),
    "an unknown tool": (call("{}", "context.solve"), 1, PARAMS),
    "an unknown argument": (call('{"budjet":1}'), 1, PARAMS),
    "an argument of lone surrogates": (call('{"\\udc00":1}'), 1, PARAMS),
    "a name of a million letters": (call("{}", "x" * (LIMIT - 200)), 1, PARAMS),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_line_that_cannot_be_served_gets_one_error(peer: Peer, what: str) -> None:
    line, id_, code = REFUSED[what]
    peer.send(line, request('"next"'))
    answers = [peer.receive(), peer.receive()]
    refused = next(answer for answer in answers if answer["id"] != "next")
    assert (refused["id"], refused["error"]["code"]) == (id_, code)
    assert {"jsonrpc": "2.0", "id": "next", "result": {}} in answers


SERVED = {
    "a large id": (request("123456789012345678901234567890"), 123456789012345678901234567890),
    "a negative id": (request("-1"), -1),
    "an empty id": (request('""'), ""),
    "an id of lone surrogates": (request('"\\ud800"'), "\ud800"),
    "an id with a line separator": (request('"\\u2028"'), "\u2028"),
    "an id of a long text": (request(f'"{"x" * 90_000}"'), "x" * 90_000),
    "no params": (request(rest=',"params":null'), 1),
    "a carriage return": (request()[:-1] + b"\r\n", 1),
    "spaces around": (b"  \t" + request()[:-1] + b"  \n", 1),
    "a member twice": (b'{"id":7,"jsonrpc":"2.0","id":1,"method":"ping"}\n', 1),
    "a member too many": (request(rest=',"x":{"y":[null]}'), 1),
    "U+2028 raw": (request(rest=',"x":"\u2028\u0085"'), 1),
}


@pytest.mark.parametrize("what", SERVED)
def test_an_odd_request_is_answered_by_its_id(peer: Peer, what: str) -> None:
    line, id_ = SERVED[what]
    peer.send(line)
    assert peer.receive() == {"jsonrpc": "2.0", "id": id_, "result": {}}


QUIET = [
    b"\n",
    b"   \t\r\n",
    b'{"jsonrpc":"2.0","method":"notifications/nothing"}\n',
    b'{"jsonrpc":"2.0","method":"notifications/\\ud800","params":{}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled"}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{},"progress":"x"}}\n',
    b'{"jsonrpc":"2.0","id":1,"result":{}}\n',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}\n',
]


def test_what_asks_for_nothing_gets_nothing(peer: Peer) -> None:
    peer.send(*QUIET, request('"after"'))
    assert peer.receive()["id"] == "after"


def test_requests_with_one_id_are_answered_once_each(peer: Peer) -> None:
    peer.send(call("{}", "context.list_caches"), request(), request())
    answers = [peer.receive() for _ in range(3)]
    assert [answer["id"] for answer in answers] == [1, 1, 1]
    assert sum(answer["result"] == {} for answer in answers) == 2


def test_deep_values_are_of_the_wrong_type_like_others(peer: Peer) -> None:
    deep = "[" * 500 + "]" * 500
    peer.send(call(f'{{"cache":{deep},"query":{deep},"budget":{deep}}}'))
    assert json.loads(peer.receive()["result"]["content"][0]["text"])["error"]["code"] == "cache_missing"


def test_calls_before_the_handshake_are_refused_and_the_handshake_still_works(
    spawn: Spawn, root: Path
) -> None:
    peer = spawn("--cache-root", root)
    peer.send(b'{"jsonrpc":"2.0","method":"notifications/nothing"}\n' * 100)
    assert peer.call("context.list_caches")["error"]["code"] == PARAMS
    assert peer.ask("ping")["result"] == {}
    assert peer.greet()["protocolVersion"] == "2025-11-25"
    assert "result" in peer.call("context.list_caches")


def test_long_lines_are_not_held(spawn: Spawn, root: Path) -> None:
    """The memory of the server follows neither a line of 60 MB nor one that never ends."""
    peer = spawn("--cache-root", root)
    peer.greet()
    before = peer.peak_memory()
    peer.send(b"x" * 60_000_000 + b"\n")
    assert peer.receive()["error"]["code"] == REQUEST
    assert peer.peak_memory() - before < 40_000_000, "numpy, loaded meanwhile, is half of that"
    peer.send(b"x" * 10_000_000)
    peer.close_input()
    assert [answer["error"]["code"] for answer in peer.rest()] == [REQUEST]
    assert peer.leave() == 0
