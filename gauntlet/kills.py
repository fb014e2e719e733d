"""Kill `ctx build --watch` while it rebuilds: `python -m gauntlet.kills [TRIALS] [--seed N]`.

After each kill the cache is that of before the change or that of after it, whole; what the unfinished build
left is no fault, and the next `ctx build` clears it away. `gauntlet.faults` kills the other commands.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import ctxcache
from ctxcache import BuildConfig

CTX = (sys.executable, "-m", "ctxcache")
LONGEST = 1.0
"""Seconds after a change within which the process is killed; a rebuild takes a few tenths."""


def contents(cache: Path) -> dict[str, bytes]:
    """The files of a cache directory."""
    return {str(path.relative_to(cache)): path.read_bytes() for path in cache.rglob("*") if path.is_file()}


def expected(docs: Path, scratch: Path) -> dict[str, bytes]:
    """What a build from nothing makes of the documents."""
    shutil.rmtree(scratch, ignore_errors=True)
    ctxcache.build(docs, scratch, config=BuildConfig(tokenizer="bytes4"))
    return contents(scratch)


def kill_a_watch(project: Path, change: str, delay: float) -> None:
    """Start a watch, wait until it watches, change a document, and kill it after so many seconds."""
    with subprocess.Popen(
        [*CTX, "build", "--watch"],
        cwd=project,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        process_group=0,
    ) as watch:
        assert watch.stderr is not None
        for line in watch.stderr:
            if b"watching" in line:
                break
        (project / "docs" / "changing.md").write_text(change, "utf-8")
        with contextlib.suppress(subprocess.TimeoutExpired):
            watch.wait(delay)
        os.killpg(watch.pid, signal.SIGKILL)


def trial(project: Path, scratch: Path, number: int) -> str:
    """One kill; what is wrong after it, empty if nothing is."""
    chance = random.Random(number)
    docs, cache = project / "docs", project / "cache"
    subprocess.run([*CTX, "build"], cwd=project, check=True, capture_output=True)
    before = contents(cache)
    kill_a_watch(
        project, f"# Change {number}\n\n" + "word " * chance.randrange(3000), LONGEST * chance.random()
    )
    after = expected(docs, scratch)
    manifest = (cache / "manifest.json").read_bytes()
    whole = [state for state in (before, after) if state["manifest.json"] == manifest]
    left = contents(cache)
    if not whole or any(left.get(name) != data for name, data in whole[0].items()):
        return f"trial {number}: neither the cache of before nor that of after"
    ran = subprocess.run(
        [*CTX, "verify", "-c", "cache"], cwd=project, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        return f"trial {number}: `verify` says {ran.stdout}{ran.stderr}"
    subprocess.run([*CTX, "build"], cwd=project, check=True, capture_output=True)
    if (final := contents(cache)) != after:
        return f"trial {number}: after the next build: {sorted(final.keys() ^ after.keys())}"
    return ""


def main() -> int:
    """Run the trials and print what was wrong; 1 if anything was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", type=int, nargs="?", default=20)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first trial")
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        project = Path(name) / "project"
        (project / "docs").mkdir(parents=True)
        for number in range(20):
            (project / "docs" / f"{number}.md").write_text(f"# Page {number}\n\nHow to roll back.\n", "utf-8")
        configuration = '[caches.docs]\nsources = "docs"\ncache = "cache"\ntokenizer = "bytes4"\n'
        (project / "ctx.toml").write_text(configuration, "utf-8")
        for number in range(options.seed, options.seed + options.trials):
            if verdict := trial(project, Path(name) / "expected", number):
                wrong += 1
                print(verdict, flush=True)
    print(f"{options.trials} kills of a watch, {wrong} wrong")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
