"""The tools against the contract: the bytes of the commands, errors by code, one generation an answer."""

from __future__ import annotations

import json
import os
import random
import threading
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

import ctxcache
from ctxcache.builder.config import BuildConfig
from ctxcache.cli import main
from ctxcache.cli.main import exit_code
from ctxcache.errors import OperationError

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Peer, Spawn

CALLS, REBUILDS = (10_000, 500) if os.environ.get("ENDURANCE") else (150, 20)  # `make clients` sets it
ERROR_SCHEMA = {
    "type": "object",
    "required": ["error"],
    "additionalProperties": False,
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "additionalProperties": False,
            "properties": {
                "code": {"enum": [failure.code for failure in OperationError.__subclasses__()]},
                "message": {"enum": [failure.message for failure in OperationError.__subclasses__()]},
            },
        }
    },
}
WORDS = [
    *("roll", "back", "a", "deployment", "tag", "Ärger", "部署", "🗃", "billing", "invoices", "month", "the"),
    *("-x", "--help", "C++", "\t", "\u2028", "\x00", "v2.10", "AND", '"', "\\"),
]
BUDGETS = [0, 1, 7, 50, 4000, 4000.0, 4000.5, -1, 2**53 - 1, 2**53, 10**30]
CACHES = [
    *("handbook", "older", "two words", "damaged", "no manifest", "notes.txt"),
    *("..", "../root", "missing", "out", "handbook/..", "./handbook", "/", "", "v1..v2", "\udc80", "\x00"),
]


@pytest.fixture(scope="module")
def peer(spawn: Spawn, root: Path) -> Peer:
    peer = spawn("--cache-root", root)
    peer.greet()
    return peer


@pytest.fixture(scope="module")
def schemas(peer: Peer) -> dict[str, Draft202012Validator]:
    """The output schema of each listed tool."""
    tools = peer.ask("tools/list")["result"]["tools"]
    return {tool["name"]: Draft202012Validator(tool["outputSchema"]) for tool in tools}


def code_of(result: dict[str, Any]) -> str:
    """The code of a result that is an error; `""` for a success."""
    if not result["isError"]:
        return ""
    error = json.loads(result["content"][0]["text"])
    Draft202012Validator(ERROR_SCHEMA).validate(error)
    code = error["error"]["code"]
    assert isinstance(code, str)
    return code


def ask_at_random(chance: random.Random, root: Path) -> tuple[str, dict[str, Any], list[str]]:
    """A tool, its arguments, and the command that must print the same."""
    cache = chance.choice([*CACHES[:3], *CACHES, str(root / "handbook")])
    kind = chance.choice(["resolve", "resolve", "resolve", "inspect_cache", "list_caches"])
    confined = ["--cache-root", str(root)]
    if kind == "list_caches":
        return kind, {"root": cache or "."}, ["list", *confined, "--", cache or "."]
    if kind == "inspect_cache":
        return kind, {"cache": cache}, ["inspect", *confined, f"--cache={cache}"]
    query = " ".join(chance.choices(WORDS, k=chance.randrange(6)))
    budget = chance.choice(BUDGETS)
    arguments = {"cache": cache, "query": query, "budget": budget}
    return (
        kind,
        arguments,
        ["resolve", *confined, f"--cache={cache}", f"--query={query}", f"--budget={budget}"],
    )


def test_a_call_has_the_bytes_of_the_command(
    peer: Peer,
    schemas: dict[str, Draft202012Validator],
    root: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """Rules C1, C8 and C12, for calls and commands that are right and wrong in all ways."""
    chance = random.Random(1)
    failures = {failure.code: failure for failure in OperationError.__subclasses__()}
    for _ in range(CALLS):
        kind, arguments, command = ask_at_random(chance, root)
        result = peer.call(f"context.{kind}", **arguments)["result"]
        capfdbinary.readouterr()
        exited = main(command)
        printed = capfdbinary.readouterr().out.decode()
        code = code_of(result)
        if code:
            assert (exited, printed) == (exit_code(failures[code]), ""), command
            assert "structuredContent" not in result
            continue
        assert (exited, printed) == (0, result["content"][0]["text"]), command
        assert json.loads(printed) == result["structuredContent"]
        schemas[f"context.{kind}"].validate(result["structuredContent"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "cache_missing"),
        ({"cache": 5, "query": 5, "budget": "x"}, "cache_missing"),
        ({"cache": "", "query": 5}, "cache_missing"),
        ({"cache": "\0", "budget": 4}, "invalid_query"),
        ({"cache": "..", "query": "\ud800", "budget": -1}, "invalid_query"),
        ({"cache": "..", "query": "x" * 100_001, "budget": -1}, "invalid_query"),
        ({"cache": "..", "query": "x" * 100_000, "budget": None}, "invalid_budget"),
        ({"cache": "..", "query": "x"}, "invalid_budget"),
        ({"cache": "..", "query": "x", "budget": 1}, "cache_missing"),
        ({"cache": "damaged", "query": "x", "budget": 1}, "cache_invalid"),
        ({"cache": "no manifest", "query": "", "budget": 0}, "cache_invalid"),
    ],
)
def test_the_first_wrong_argument_decides(peer: Peer, arguments: dict[str, Any], code: str) -> None:
    """Rule C3: the name, the query, the budget, then the cache itself."""
    assert code_of(peer.call("context_resolve", **arguments)["result"]) == code


@pytest.mark.parametrize(
    ("budget", "is_right"),
    [
        *(
            ("4000", True),
            ("4000.0", True),
            ("4e3", True),
            ("0", True),
            ("-0", True),
            ("9007199254740991", True),
        ),
        *(('"4000"', False), ("4000.5", False), ("true", False), ("-1", False), ("9007199254740992", False)),
        *(
            ("null", False),
            ("1e400", False),
            ("-1e400", False),
            ("1e19", False),
            ("[4000]", False),
            ("{}", False),
        ),
    ],
)
def test_a_budget_is_a_whole_number_from_zero(peer: Peer, budget: str, is_right: bool) -> None:
    call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"context.resolve","arguments":'
    peer.send(f'{call}{{"cache":"handbook","query":"deployment","budget":{budget}}}}}}}\n'.encode())
    assert code_of(peer.receive()["result"]) == ("" if is_right else "invalid_budget")


def test_the_text_alone_may_be_asked_for(spawn: Spawn, root: Path) -> None:
    """For clients that show a model both forms; then no output schema promises the other."""
    peer = spawn("--cache-root", root, "--no-structured-content", "--tool-names", "underscore")
    peer.greet()
    tools = peer.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == [
        "context_resolve",
        "context_list_caches",
        "context_inspect_cache",
        "context_read_document",
    ]
    assert all("outputSchema" not in tool for tool in tools)
    assert set(peer.call("context_list_caches")["result"]) == {"content", "isError"}


def test_every_answer_comes_from_one_generation(spawn: Spawn, tmp_path: Path) -> None:
    """Rebuilds under a loop of calls: no answer mixes two, none goes back, the last rebuild is seen."""
    sources, cache = tmp_path / "sources", tmp_path / "root" / "cache"
    sources.mkdir()

    def rebuild(generation: int) -> None:
        for name in "abc":
            (sources / f"{name}.md").write_text(f"generation {generation}\n" + "word " * generation)
        ctxcache.build(sources, cache, config=BuildConfig(tokenizer="bytes4"), force=True, jobs=1)

    rebuild(0)
    peer = spawn("--cache-root", tmp_path / "root")
    peer.greet()
    seen, built = [generations(peer)], [0]

    def build() -> None:
        """As often as is asked for, and until some were seen: the first call of a server may take long."""
        while built[-1] < REBUILDS or len(set(seen)) < 3:
            rebuild(built[-1] + 1)
            built.append(built[-1] + 1)

    builder = threading.Thread(target=build, daemon=True)
    builder.start()
    while builder.is_alive():
        seen.append(generations(peer))
    builder.join()
    seen.append(generations(peer))
    assert seen == sorted(seen)
    assert seen[-1] == built[-1]


def generations(peer: Peer) -> int:
    """The one generation that all three documents of an answer come from."""
    result = peer.call("context.resolve", cache="cache", query="generation", budget=4000)["result"]
    documents = result["structuredContent"]["documents"]
    found = {int(document["content"].split()[1]) for document in documents}
    assert (len(documents), len(found)) == (3, 1)
    return found.pop()
