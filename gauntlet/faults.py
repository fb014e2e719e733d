"""Fail or kill every file system call in turn: `python -m gauntlet.faults [--at-most N] [OPERATION…]`.

A shim that is compiled on the spot makes the N-th call below a scratch directory fail with ENOSPC or EIO, or
kills the process there. After each trial: the files are those of before or those of after, whole; the program
said one line and ended with a code that fits; and the same command without a fault gives the files of after.
"""

from __future__ import annotations

import argparse
import errno
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHIM = Path(__file__).with_name("shim.c")
CTX = (sys.executable, "-P", "-m", "ctxcache")
SAVE = """
import pathlib
from ctxcache.project.project import load_project
from ctxcache.project.edits import add_test
from ctxcache.resolver.query_tests import QueryTest
test = QueryTest(cache="docs", query="roll", expect=["a.md"], forbid=[])
add_test(load_project(pathlib.Path("ctx.toml").resolve()), test)
"""
CONFIGURATION = (
    '# mine\n[caches.docs]\nsources = "docs"\ncache = "cache"\ntokenizer = "bytes4"\n\n# the end\n'
)
ENTRIES = {
    ".mcp.json": '{\n  // mine\n  "other": {"a": 1}\n}\n',
    "config.toml": "# mine\n[other]\na = 1  # one\n",
}
ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "KILL": 0}
KINDS = {"ENOSPC": "w", "EIO": "rwd", "KILL": "wd"}
"""Which calls each may befall: reading ends on a full disk as ever, and so does deleting."""
EXIT_CODES = range(1, 10)

SCRATCH = re.compile(r"(^|/)(\.build-|\.[^/]+\.[0-9a-f]{16}\.new$)")
DATA_FILE = re.compile(r"/(documents|index)-[0-9a-f]{12}\.")

Files = dict[str, bytes]


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A command that is run under faults."""

    command: tuple[str, ...]
    reads_only: bool = False
    in_place: bool = False
    """Whether files are replaced one by one, as in format 1: between them the cache must be refused."""
    once: bool = False
    """Whether a second run is refused when the first succeeded."""
    prepare: Callable[[Path], None] = lambda directory: None
    """Brings about the state before it."""


def ctx(directory: Path, *arguments: str) -> None:
    """Run a command that must succeed."""
    subprocess.run([*CTX, *arguments], cwd=directory, check=True, capture_output=True)


def built(directory: Path) -> None:
    """A project whose cache is fresh."""
    ctx(directory, "build")


def stale(directory: Path) -> None:
    """A project with a cache, one of whose documents has changed, one has gone, and one is new."""
    built(directory)
    (directory / "docs" / "a.md").write_text("# A\n\nroll forward\n", "utf-8")
    (directory / "docs" / "b.md").unlink()
    (directory / "docs" / "d.md").write_text("# D\n\nnew\n", "utf-8")


def stale_format1(directory: Path) -> None:
    """The same in format 1."""
    with (directory / "ctx.toml").open("a", encoding="utf-8") as file:
        file.write('\n[caches.old]\nsources = "docs"\ncache = "old"\nprofile = "v0"\n')
    stale(directory)


OPERATIONS = {
    "build": Operation(command=(*CTX, "build", "docs", "--cache", "new", "--force", "--tokenizer", "bytes4")),
    "rebuild": Operation(command=(*CTX, "build"), prepare=stale),
    "rebuild-v0": Operation(command=(*CTX, "build", "old"), prepare=stale_format1, in_place=True),
    "save-test": Operation(command=(sys.executable, "-P", "-c", SAVE), prepare=built, once=True),
    "install-json": Operation(command=(*CTX, "install", "claude-code")),
    "install-toml": Operation(command=(*CTX, "install", "codex")),
    "resolve": Operation(
        command=(*CTX, "resolve", "-c", "docs", "-q", "roll", "-b", "99"), reads_only=True, prepare=built
    ),
    "why": Operation(command=(*CTX, "why", "-c", "docs", "-q", "roll"), reads_only=True, prepare=built),
    "verify": Operation(command=(*CTX, "verify", "-c", "docs"), reads_only=True, prepare=built),
    "list": Operation(command=(*CTX, "list", "."), reads_only=True, prepare=built),
    "status": Operation(command=(*CTX, "status"), reads_only=True, prepare=built),
}


def compiled(scratch: Path) -> Path | None:
    """The shim; None where there is no compiler, or no Linux."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        return None
    library = scratch / "shim.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SHIM, "-ldl"], check=True)
    return library


def make_project(directory: Path) -> None:
    """A project of three documents, with the files that clients keep."""
    (directory / "docs").mkdir(parents=True)
    for name in "abc":
        text = f"# {name.upper()}\n\nHow to roll back {name}.\n"
        (directory / "docs" / f"{name}.md").write_text(text, "utf-8")
    (directory / "ctx.toml").write_text(CONFIGURATION, "utf-8")
    (directory / ".mcp.json").write_text(ENTRIES[".mcp.json"], "utf-8")
    (directory / "home" / ".codex").mkdir(parents=True)
    (directory / "home" / ".codex" / "config.toml").write_text(ENTRIES["config.toml"], "utf-8")


def files(directory: Path) -> Files:
    """Every file below the directory but locks and the records of builds, which only make the next faster."""
    paths = (path for path in sorted(directory.rglob("*")) if path.is_file())
    names = {str(path.relative_to(directory)): path for path in paths}
    return {
        name: path.read_bytes()
        for name, path in names.items()
        if not name.startswith((".ctx/", "home/.cache/")) and not name.endswith(".lock")
    }


class Gauntlet:
    """One operation, its states before and after, and the trials of it."""

    def __init__(self, operation: Operation, shim: Path, scratch: Path) -> None:
        self.operation = operation
        self.shim = shim
        self.before, self.directory, self.count = scratch / "before", scratch / "work", scratch / "count"
        for old in (self.before, self.directory):
            shutil.rmtree(old, ignore_errors=True)
        make_project(self.before)
        operation.prepare(self.before)
        self.clean = self.run({})
        self.after = whole(files(self.directory))

    def run(self, fault: dict[str, str], *, fresh: bool = True) -> subprocess.CompletedProcess[str]:
        """Run the operation, with the shim where a fault is asked for."""
        if fresh:
            shutil.rmtree(self.directory, ignore_errors=True)
            shutil.copytree(self.before, self.directory)
        environment = {**os.environ, "HOME": str(self.directory / "home"), "SOURCE_DATE_EPOCH": "1767225600"}
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "CODEX_HOME"):
            environment.pop(name, None)
        if fault:
            environment |= {"LD_PRELOAD": str(self.shim), "FAULT_ROOT": str(self.directory), **fault}
        command = self.operation.command
        return subprocess.run(
            command, cwd=self.directory, env=environment, capture_output=True, text=True, check=False
        )

    def calls(self, kind: str) -> int:
        """How many calls of a kind the operation makes."""
        fault = {"FAULT_KIND": kind, "FAULT_AT": "0", "FAULT_ERROR": "0", "FAULT_STAYS": "0"}
        self.run(fault | {"FAULT_COUNT": str(self.count)})
        return int(self.count.read_text())

    def trials(self) -> Iterator[tuple[str, str, int]]:
        """Every (error, kind of call, number of call)."""
        counts = {kind: self.calls(kind) for kind in ("r" if self.operation.reads_only else "rwd")}
        for error, kinds in KINDS.items():
            for kind in kinds:
                yield from ((error, kind, number) for number in range(1, counts.get(kind, 0) + 1))

    def judge(self, error: str, kind: str, number: int) -> str:
        """What is wrong after a trial; empty if nothing is."""
        fault = {"FAULT_KIND": kind, "FAULT_AT": str(number), "FAULT_ERROR": str(ERRORS[error])}
        ran = self.run(fault | {"FAULT_STAYS": str(int(error == "ENOSPC"))})
        wrong = self._said(ran, error) or self._left(files(self.directory), ran.returncode, ran.stderr)
        done = whole(files(self.directory)) == self.after
        if not wrong and not self.operation.reads_only and not (done and self.operation.once):
            again = self.run({}, fresh=False)
            wrong = "" if again.returncode == 0 else f"the next run fails: {again.stderr}"
            if not wrong and (difference := differing(files(self.directory), self.after)):
                wrong = f"after the next run: {difference}"
        return wrong

    def _said(self, ran: subprocess.CompletedProcess[str], error: str) -> str:
        """Whether the code and the words fit."""
        if error == "KILL":
            return "" if ran.returncode in (-9, 0) else f"exit code {ran.returncode}"
        if self.operation.command[2] == "-c":  # the library: an exception, in Python's own words
            return "" if ran.returncode == 0 or "ctxcache.errors." in ran.stderr else ran.stderr[-300:]
        if ran.returncode == 0:
            same = ran.stdout == self.clean.stdout
            return "" if same or ran.stderr != self.clean.stderr else f"another answer: {ran.stdout[:200]!r}"
        lines = ran.stderr.splitlines()
        if ran.returncode in EXIT_CODES and ("Traceback" in ran.stderr or "internal error" in ran.stderr):
            return ran.stderr[-300:]
        if ran.returncode == 8 or (ran.returncode == 5 and ran.stdout):  # standard output says what is wrong
            return ""
        if ran.returncode not in EXIT_CODES or sum(line.startswith("error: ") for line in lines) != 1:
            return f"exit code {ran.returncode}: {ran.stderr[-300:]!r}"
        return f"an error, and output: {ran.stdout[:200]!r}" if ran.stdout else ""

    def _left(self, now: Files, code: int, said: str) -> str:
        """Whether the files are those of before or of after."""
        before, finished = whole(files(self.before)), whole(now)
        if finished == self.after or (finished == before and code != 0):
            return ""
        if code == 0 and said != self.clean.stderr:  # a document was left out, and that was said
            return ""
        if (
            self.operation.in_place
            and subprocess.run(
                [*CTX, "verify", "-c", "old"], cwd=self.directory, capture_output=True, check=False
            ).returncode
        ):
            return ""  # half replaced, and known to be
        return f"neither before nor after (exit code {code}): {differing(finished, self.after)}"


def whole(state: Files) -> Files:
    """The files without what an unfinished run leaves to be cleared by the next.

    That is: scratch folders, new files that were not renamed yet, data files that no manifest names, and
    attributes beside which there is no manifest yet.
    """
    manifests = b"".join(
        data for name, data in state.items() if name.endswith("manifest.json") and not SCRATCH.search(name)
    )
    return {
        name: data
        for name, data in state.items()
        if not SCRATCH.search(name)
        and (not DATA_FILE.search(name) or name.rpartition("/")[2].encode() in manifests)
        and (not name.endswith("/.gitattributes") or f"{name.rpartition('/')[0]}/manifest.json" in state)
    }


def differing(one: Files, other: Files) -> str:
    """The names under which two states differ."""
    return ", ".join(sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name)))


def main() -> int:
    """Run the trials and print what was wrong; 1 if anything was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--at-most", type=int, default=10**9, help="trials of each operation, chosen at random"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("operations", nargs="*", metavar="OPERATION", help=", ".join(OPERATIONS))
    options = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name).resolve()
        shim = compiled(scratch)
        if shim is None:
            print("no C compiler on Linux here: nothing was tried")
            return 0
        for operation in options.operations or OPERATIONS:
            gauntlet = Gauntlet(OPERATIONS[operation], shim, scratch)
            trials = list(gauntlet.trials())
            chosen = random.Random(options.seed).sample(trials, min(options.at_most, len(trials)))
            wrong: Counter[str] = Counter()
            for error, kind, number in sorted(chosen):
                if verdict := gauntlet.judge(error, kind, number):
                    wrong[verdict] += 1
                    if wrong[verdict] == 1:
                        print(f"{operation} {error} at {kind}{number}: {verdict}", flush=True)
            faults += wrong.total()
            print(f"{operation}: {len(chosen)} trials of {len(trials)}, {wrong.total()} wrong", flush=True)
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main())
