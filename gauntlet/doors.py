"""Ask every door the same random queries: `python -m gauntlet.doors [QUERIES] [--seed N]`.

The library, `ctx resolve`, the server and the inspector must give the same bytes, errors included; what the
inspector shows as chosen must be what is in them. One process a door answers all queries.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ctxcache
from ctxcache.errors import OperationError

if TYPE_CHECKING:
    from collections.abc import Iterator

REPO = Path(__file__).parents[1]
CACHES = REPO / "sample_caches"
NAMES = ("handbook", "handbook-v0", "project-docs")
SPICES = (
    *("also:", "\n", "\t", "-", "--cache", '"', "'", "\\", "\x1b[31m", "\u202e", "日本", "é", "e\u0301", "?"),
    *("C++", "v2.10.1", "deply", "rolback", "the", "how do I", "0x7fff1234", "at a.b(c.js:1:2)\n"),
    *("/usr/lib/a", "\ufffd"),
)
BUDGETS = (0, 1, 50, 200, 1000, 4000, 10**6, 2**53 - 1)

Question = dict[str, Any]


def questions(count: int, seed: int) -> list[Question]:
    """Words of the samples, joined, cut, misspelt and spiced."""
    text = "".join(path.read_text("utf-8") for path in sorted((REPO / "samples").rglob("*.md")))
    words = sorted(set(re.findall(r"[\w./-]{2,}", text)))
    asked = []
    for number in range(seed, seed + count):
        chance = random.Random(number)
        parts = chance.choices(words, k=chance.randint(0, 9))
        for _ in range(chance.choice((0, 0, 1, 2, 3))):
            parts.insert(chance.randint(0, len(parts)), chance.choice(SPICES))
        query = chance.choice((" ", " ", " ", "\n", ", ")).join(parts)
        budget = chance.choice((chance.choice(BUDGETS), chance.randrange(5000)))
        asked.append({"cache": chance.choice(NAMES), "query": query, "budget": budget})
    return asked


def library(asked: list[Question]) -> Iterator[bytes]:
    """`ctxcache.resolve`."""
    for each in asked:
        try:
            result = ctxcache.resolve(CACHES / each["cache"], each["query"], each["budget"])
            yield result.to_json().encode()
        except OperationError as error:
            yield error.code.encode()


def command(asked: list[Question]) -> Iterator[bytes]:
    """`ctx resolve`, whose exit code stands for the kind of an error."""
    from ctxcache.cli.main import ExitCode, main

    kinds = {int(code): code.name.lower().encode() for code in ExitCode}
    shown = os.dup(1)
    try:
        for each in asked:
            with tempfile.TemporaryFile() as out:
                os.dup2(out.fileno(), 1)
                options = [f"--query={each['query']}", f"--budget={each['budget']}"]
                code = main(["resolve", "--cache", str(CACHES / each["cache"]), *options])
                os.dup2(shown, 1)
                out.seek(0)
                yield out.read() if code == 0 else kinds[code]
    finally:
        os.dup2(shown, 1)


def server(asked: list[Question]) -> Iterator[bytes]:
    """`ctx serve`, one call after the other."""
    serve = [sys.executable, "-P", "-m", "ctxcache", "serve", "--cache-root", str(CACHES)]
    with subprocess.Popen(serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "doors", "version": "1"},
        }
        calls = [("initialize", hello)]
        calls += [("tools/call", {"name": "context.resolve", "arguments": each}) for each in asked]
        for number, (method, parameters) in enumerate(calls):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            process.stdin.write(json.dumps(message).encode() + b"\n")
            if number == 0:
                process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            while answer.get("id") != number:  # what the server tells of its own accord
                answer = json.loads(process.stdout.readline())
            if number:
                text = answer["result"]["content"][0]["text"]
                failed = answer["result"].get("isError")
                yield (json.loads(text)["error"]["code"] if failed else text).encode()
        process.stdin.close()


def inspector(asked: list[Question]) -> Iterator[bytes]:
    """What the inspector shows: the exact text, once its list of the chosen was compared with that."""
    from ctxcache.tui.result import answer
    from ctxcache.tui.screens.texts import exchange
    from ctxcache.tui.session import Question as Asked

    caches = {name: ctxcache.open_cache(CACHES / name) for name in NAMES}
    for each in asked:
        question, cache = Asked(query=each["query"], budget=each["budget"]), caches[each["cache"]]
        try:
            text = exchange(each["cache"], cache, question)[0]["text"]
            shown = answer(cache, question)
        except OperationError as error:
            yield error.code.encode()
            continue
        documents = json.loads(text)["documents"]
        same = shown.chosen_names(len(documents) + 1)[0] == [document["id"] for document in documents]
        same = same and shown.explained.tokens_used == json.loads(text)["selection"]["tokens_used"]
        yield text.encode() if same else b"shows other documents than it sends"


DOORS = {"library": library, "command": command, "server": server, "inspector": inspector}


def digests(door: str, asked: list[Question]) -> list[str]:
    """The digest of each answer of a door, in a process of its own."""
    code = "import json, sys; from gauntlet import doors; doors.answer_all(sys.argv[1])"
    ran = subprocess.run(
        [sys.executable, "-c", code, door],
        cwd=REPO,
        input=json.dumps(asked).encode(),
        capture_output=True,
        check=True,
    )
    return ran.stdout.decode().split()


def answer_all(door: str) -> None:
    """In that process: a digest a line for each question on standard input."""
    asked = json.load(sys.stdin)
    for answer in DOORS[door](asked):
        print(sha256(answer).hexdigest(), flush=True)


def main() -> int:
    """Ask, compare, and print where doors differ; 1 if they do anywhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("queries", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first query")
    options = parser.parse_args()
    asked = questions(options.queries, options.seed)
    answers = {door: digests(door, asked) for door in DOORS}
    differing = 0
    for number, (each, *given) in enumerate(zip(asked, *answers.values(), strict=True)):
        if len(set(given)) > 1:
            differing += 1
            print(f"query {options.seed + number}: {each!r}: {dict(zip(DOORS, given, strict=True))}")
    total = sha256("".join(answers["library"]).encode()).hexdigest()[:16]
    print(f"{len(asked)} queries by {len(DOORS)} doors (digest {total}), {differing} differ")
    return min(differing, 1)


if __name__ == "__main__":
    sys.exit(main())
