"""The server under clients of other makers: the TypeScript SDK's, the Inspector's command line, `mcpb`.

`make clients` runs this after it has installed them into `node_modules`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import ctxcache

HERE = Path(__file__).parent
TOOLS = HERE / "node_modules" / ".bin"
NODE = [str(TOOLS / "node")]  # the pinned one: the Inspector asks for a newer Node than many machines have
QUESTION = {"cache": "handbook", "query": "how do we roll back a deployment", "budget": 600}
ERAS = ("legacy", "auto", "modern")
PATIENCE = 600  # seconds for one program
LOAD = 2000  # calls
CONCURRENCY = 10


def main() -> None:
    """Run all of them; the first that fails ends the program."""
    with tempfile.TemporaryDirectory() as folder:
        caches = Path(folder) / "caches"
        sources = HERE.parent / "samples" / "handbook"
        ctxcache.build(sources, caches / "handbook")
        home = {**os.environ, "HOME": folder}
        run(NODE, "typescript.mjs", sys.executable, caches, "handbook", sources, env=home)
        inspect(caches, home)
        run(NODE, TOOLS / "mcpb", "validate", HERE.parent / "mcpb" / "manifest.json", env=home)


def inspect(caches: Path, home: dict[str, str]) -> None:
    """List strictly, call in each era, call under load."""
    serve = [sys.executable, "-m", "ctxcache", "serve", "--cache-root", caches, "--project", HERE.parent]
    inspector = [*NODE, TOOLS / "mcp-inspector", "--cli", "--quiet"]
    call = [
        "--method",
        "tools/call",
        "--tool-name",
        "context.resolve",
        "--tool-args-json",
        json.dumps(QUESTION),
    ]
    answers = set()
    for era in ERAS:
        run(inspector, "--protocol-era", era, "--strict", "--method", "tools/list", *serve, env=home)
        said = run(inspector, "--protocol-era", era, "--format", "json", *call, *serve, env=home)
        answers.add(json.loads(said)["result"]["content"][0]["text"])
        print(f"Inspector, {era}: strict list, call")
    assert len(answers) == 1, "one answer in every era"
    load = ["--load", "--load-requests", LOAD, "--load-concurrency", CONCURRENCY]
    report = json.loads(run(inspector, "--format", "json", *load, *call, *serve, env=home))
    report = report.get("result", report)
    print(
        f"Inspector, {LOAD} calls, {CONCURRENCY} at a time: {report['errors']} errors, {report['latencyMs']}"
    )
    assert (report["ok"], report["errors"], report["toolErrors"]) == (LOAD, 0, 0)


def run(program: list[str | Path], *arguments: object, env: dict[str, str]) -> str:
    """The output of a program that succeeds; its errors are shown as they come."""
    command = [*map(str, program), *map(str, arguments)]
    output = subprocess.run(
        command, cwd=HERE, env=env, stdout=subprocess.PIPE, text=True, check=True, timeout=PATIENCE
    ).stdout
    if program is NODE:
        print(output, end="")
    return output


if __name__ == "__main__":
    main()
