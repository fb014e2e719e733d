"""Send the server random lines: `python -m gauntlet.frames [LINES] [--seed N]`.

Good requests, notifications and answers, and the same with bytes changed, cut and doubled; half of them to a
server that was greeted, half to one in the version without a handshake. Each line must be answered as often
as it asks for it, once or never, under its own id, and the server must end with 0 when nothing more comes.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

CACHES = Path(__file__).parents[1] / "sample_caches"
LIMIT = 20_000  # bytes of a line
PATIENCE = 120  # seconds for 1,000 lines, before the server is ended and what is missing is told
META = "io.modelcontextprotocol/"
MODERN = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "frames", "version": "1"},
}
FIRST: dict[str, dict[str, Any]] = {"initialize": HELLO, "server/discover": {"_meta": MODERN}}
"""The first request of each era."""
METHODS = (
    *("ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list", "logging/setLevel"),
    *("resources/read", "completion/complete", "nothing/here", "", "\ud800", "server/discover", "initialize"),
)
NOTIFICATIONS = ("notifications/initialized", "notifications/cancelled", "notifications/nothing", "ping")
TOOLS = (
    *("context.resolve", "context_resolve", "context.list_caches", "context.inspect_cache"),
    *("context.read_document", "query_context", ""),
)
VALUES: tuple[Any, ...] = (
    *(
        "handbook",
        "handbook-v0",
        "damaged",
        "nothing",
        "..",
        "roll back a deployment",
        "on call",
        "",
        "\ud800",
    ),
    *("x" * 3000, 0, 1, 300, 4000, -1, 1.5, 10**30, True, None, [], {}, [[[]]], {"a": {"b": [None]}}),
)
ARGUMENTS = ("cache", "query", "budget", "id", "root", "scope", "budjet", "\u2028")
IDS: tuple[Any, ...] = (0, -1, 10**20, "", "7", "\ud800", "\u2028", "é部署", True, None, 1.5, 1.0, [1], {})
"""Ids beside those that count up; the last six are none."""


def lines(count: int, seed: int, era: str) -> Iterator[bytes]:
    """Random lines."""
    for number in range(seed, seed + count):
        chance = random.Random(number)
        line = json.dumps(message(chance, number, era), ensure_ascii=chance.random() < 0.8)
        data = line.encode("utf-8", "surrogatepass")
        for _ in range(chance.choice((0, 0, 0, 1, 1, 3))):
            data = changed(chance, data)
        yield data.replace(b"\n", b" ") + b"\n"


def message(chance: random.Random, number: int, era: str) -> dict[str, Any]:
    """A message, mostly a good one."""
    params: Any = {name: chance.choice(VALUES) for name in chance.sample(ARGUMENTS, chance.randint(0, 3))}
    method = chance.choice(METHODS)
    if chance.random() < 0.4:
        good = {"cache": "handbook", "query": "deployment", "budget": 300}
        arguments = good if chance.random() < 0.5 else params
        method, params = "tools/call", {"name": chance.choice(TOOLS), "arguments": arguments}
    if chance.random() < 0.1:
        params = chance.choice(VALUES)
    if era == "server/discover" and isinstance(params, dict) and chance.random() < 0.9:
        params = {**params, "_meta": MODERN}
    found = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    kind = chance.random()
    if kind < 0.15:
        found["id"] = chance.choice(IDS)
    elif kind < 0.25:
        found.pop("id")
        found["method"] = chance.choice(NOTIFICATIONS)
        found["params"] = {"requestId": "nobody's"} if chance.random() < 0.5 else params
    elif kind < 0.30:
        found = {"jsonrpc": "2.0", "id": number, chance.choice(("result", "error")): params}
    elif kind < 0.35:
        found.pop(chance.choice(list(found)))
    return found


def changed(chance: random.Random, data: bytes) -> bytes:
    """The bytes with one fault."""
    place = chance.randrange(len(data) + 1)
    inserted = chance.choice((b'"', b"}", b"[" * 2000, b"\\ud800", b"\xff", b"NaN", b" " * LIMIT))
    kinds = (
        lambda: data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :],
        lambda: data[:place],
        lambda: data[:place] + data[place + chance.randint(1, 9) :],
        lambda: data + data,
        lambda: data[:place] + inserted + data[place:],
    )
    return chance.choice(kinds)()[: 3 * LIMIT]


def asked(line: bytes) -> list[str]:
    """The ids under which a line must be answered, as JSON: one or none, by the rules of JSON-RPC."""
    if len(line) > LIMIT:
        return ["null"]
    if not line.strip():
        return []
    try:
        found = json.loads(line.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError):
        return ["null"]
    if not isinstance(found, dict):
        return ["null"]
    has_id = type(found.get("id")) in (int, str)
    if "id" in found and not has_id:
        return ["null"]
    is_answer = "method" not in found and has_id and ("result" in found or "error" in found)
    is_sound = found.get("jsonrpc") == "2.0" and (
        is_answer or (isinstance(found.get("method"), str) and isinstance(found.get("params"), dict | None))
    )
    if is_sound and (is_answer or not has_id):
        return []
    return [json.dumps(found["id"]) if has_id else "null"]


def refuse(name: str) -> None:
    """`NaN` is not JSON."""
    raise ValueError(name)


def wrong(count: int, seed: int, era: str) -> list[str]:
    """What is wrong with the answers to so many lines."""
    sent = list(lines(count, seed, era))
    missing = Counter(id_ for line in sent for id_ in asked(line[:-1]))
    command = [sys.executable, "-P", "-m", "ctxcache", "serve", "--cache-root", str(CACHES)]
    command += ["--max-message-bytes", str(LIMIT)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None and process.stdout is not None
        end = Timer(PATIENCE * (1 + count / 1000), process.kill)
        end.start()
        first = {"jsonrpc": "2.0", "id": "first", "method": era, "params": FIRST[era]}
        process.stdin.write(json.dumps(first).encode() + b"\n")
        process.stdin.flush()
        faults = [] if b'"result"' in process.stdout.readline() else [f"{era} is refused"]
        writer = Thread(target=write, args=(process, sent), daemon=True)
        writer.start()
        left = missing.total()
        while left and (line := process.stdout.readline()):
            answer = json.loads(line)
            if "id" in answer:  # else it is told that a cache was read anew
                missing[json.dumps(answer["id"])] -= 1
                left -= 1
        with suppress(OSError):
            process.stdin.close()
        rest = [line for line in process.stdout if b'"method"' not in line]
        faults += [f"one answer too many: {line[:80]!r}" for line in rest]
        code = process.wait()
        end.cancel()
    faults += [f"exit code {code}"] if code else []
    return faults + [f"id {id_[:40]}: {number} answers missing" for id_, number in missing.items() if number]


def write(process: subprocess.Popen[bytes], sent: list[bytes]) -> None:
    """Write everything, as fast as it is read."""
    assert process.stdin is not None
    with suppress(OSError):  # a server that has ended: answers will be missing
        for line in sent:
            process.stdin.write(line)
        process.stdin.flush()


def main() -> None:
    """Send them; exit code 1 if an answer is missing, or one too many."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    half = options.count // len(FIRST)
    faults = [fault for era in FIRST for fault in wrong(half, options.seed, era)]
    for fault in faults[:50]:
        print(fault)
    print(f"{half * len(FIRST)} lines, {len(faults)} wrong")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
