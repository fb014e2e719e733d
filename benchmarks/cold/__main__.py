"""How soon a command answers: `python -m benchmarks.cold [--documents N]`.

Each command is run as a process of its own, many times; beside its wall and CPU time
stands the ratio to `python -c pass`, and what it imports that `python -c pass` does not.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.compile import GivenText

PARAGRAPH = "How to deploy the service, step by step, and how to roll it back when something went wrong. "
HEAVY = (
    "numpy",
    "pydantic",
    "tiktoken",
    "textual",
    "mcp",
    "yaml",
    "hashlib",
    "typing",
    "pathlib",
    "json",
    "re",
)


def main() -> None:
    """Measure each command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cold", description=__doc__)
    parser.add_argument(
        "--documents", type=int, default=1000, help="of the cache that is asked (default: 1000)"
    )
    parser.add_argument("--runs", type=int, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        texts = [
            GivenText(f"{n:05}.md", f"Page {n}", f"{PARAGRAPH}word{n} " * 5) for n in range(options.documents)
        ]
        ctxcache.build(texts, root / "docs", config=BuildConfig(split="none", tokenizer="bytes4"))
        commands = {
            "python -c pass": ["-c", "pass"],
            "ctx --version": ["-m", "ctxcache", "--version"],
            "ctx list": ["-m", "ctxcache", "list", folder],
            "ctx inspect": ["-m", "ctxcache", "inspect", "-c", f"{folder}/docs"],
            "ctx resolve": [
                "-m",
                "ctxcache",
                "resolve",
                "-c",
                f"{folder}/docs",
                "-q",
                "roll back",
                "-b",
                "4000",
            ],
            "ctx why": ["-m", "ctxcache", "why", "-c", f"{folder}/docs", "-q", "roll back", "-b", "4000"],
        }
        print(f"CPython {platform.python_version()}, {options.documents:,} documents, {options.runs} runs")
        print(f"{'command':>16}  {'wall ms':>8}  {'CPU ms':>7}  {'ratio':>6}  imports")
        floor = 0.0
        for name, arguments in commands.items():
            wall, cpu = timed(arguments, options.runs)
            floor = floor or wall
            print(
                f"{name:>16}  {wall:8.1f}  {cpu:7.1f}  {wall / floor:6.2f}  {', '.join(imported(arguments))}"
            )


def timed(arguments: list[str], runs: int) -> tuple[float, float]:
    """Median wall and CPU milliseconds of a process."""
    walls, cpus = [], []
    for _ in range(runs + 2):
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
        subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
        walls.append(1000 * (perf_counter() - began))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return median(walls[2:]), median(cpus[2:])  # the first two fill the caches of the system


def imported(arguments: list[str]) -> list[str]:
    """The modules of note that a process loads."""
    environment = os.environ | {"PYTHONPROFILEIMPORTTIME": "1"}
    process = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment)
    names = (line.rpartition("|")[2].strip() for line in process.stderr.splitlines())
    loaded = {name.partition(".")[0] for name in names}
    return [name for name in HEAVY if name in loaded]


if __name__ == "__main__":
    main()
