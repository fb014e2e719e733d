"""Commands that are run under faults or killed, and what a directory holds before and after them.

Whatever befalls a command, the files must be those of before it or those of after it, whole; it must say so
in one line; and the same command, run again, must give the files of after.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CTX = (sys.executable, "-P", "-m", "ctxcache")
PYTHON = (sys.executable, "-P", "-c")
SAVE_TEST = """
import pathlib
from ctxcache.project.project import load_project
from ctxcache.project.edits import add_test
from ctxcache.resolver.query_tests import QueryTest
test = QueryTest(cache="docs", query="roll", expect=["a.md"], forbid=[])
add_test(load_project(pathlib.Path("ctx.toml").resolve()), test)
"""
WATCH = """
import pathlib, threading
from ctxcache.cli.update import _Narrator
from ctxcache.project.project import load_project
from ctxcache.project.watch import follow

def update(caches):
    narrator.update(caches)
    stop.set()

def tell(error):
    narrator.tell(error)
    stop.set()

file, stop, narrator = pathlib.Path("ctx.toml").resolve(), threading.Event(), _Narrator(None, force=False)
follow(lambda: load_project(file).chosen([]), update, tell, stop, configuration=file)
"""
"""What `ctx build --watch` does until the first rebuild is done."""
CONFIGURATION = (
    '# mine\n[caches.docs]\nsources = "docs"\ncache = "cache"\ntokenizer = "bytes4"\n\n# the end\n'
)
ENTRIES = {
    ".mcp.json": '{\n  // mine\n  "other": {"a": 1}\n}\n',
    "config.toml": "# mine\n[other]\na = 1  # one\n",
}
SECONDS = 120
"""A command that takes longer hangs; a second is usual."""

_SCRATCH = re.compile(r"(^|/)(\.build-|\.[^/]+\.[0-9a-f]{16}\.new(/|$))")
_DATA_FILE = re.compile(r"/(documents[-/]|index-)[0-9a-f]{12}\.")

Files = dict[str, bytes]


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A command that is run under faults."""

    command: tuple[str, ...]
    reads_only: bool = False
    in_place: bool = False
    """Whether files are replaced one by one, as in format 1: between them the cache must be refused."""
    one_by_one: bool = False
    """Whether each file is of before or of after by itself."""
    once: bool = False
    """Whether a second run is refused when the first succeeded."""
    prepare: Callable[[Path], None] = lambda directory: None
    """Brings about the state before it."""


def ctx(directory: Path, *arguments: str) -> None:
    """Run a command that must succeed."""
    subprocess.run([*CTX, *arguments], cwd=directory, check=True, capture_output=True, timeout=SECONDS)


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


def failing_test(directory: Path) -> None:
    """A project with a test that does not pass."""
    with (directory / "ctx.toml").open("a", encoding="utf-8") as file:
        file.write(
            '\n[[tests]]\ncache = "docs"\nquery = "roll back a"\nexpect = ["c.md"]\nat_most_rank = 1\n'
        )
    built(directory)


def page(directory: Path) -> None:
    """A project with a document that is converted."""
    text = "<html><body><h1>Page</h1><p>How to roll back.</p></body></html>\n"
    (directory / "docs" / "page.html").write_text(text, "utf-8")


def packed(directory: Path) -> None:
    """A project whose cache lies in one file."""
    built(directory)
    ctx(directory, "pack", "-c", "cache", "-o", "docs.ctx.tar")


def installed(directory: Path) -> None:
    """A project whose client starts the server."""
    ctx(directory, "install", "claude-code")


def scoped(directory: Path) -> None:
    """A project with a context that is stale."""
    ctx(directory, "scope", "init", ".")
    (directory / "module.py").write_text("def roll():\n    pass\n", "utf-8")


OPERATIONS = {
    "build": Operation(command=(*CTX, "build", "docs", "--cache", "new", "--force", "--tokenizer", "bytes4")),
    "rebuild": Operation(command=(*CTX, "build"), prepare=stale),
    "rebuild-v0": Operation(command=(*CTX, "build", "old"), prepare=stale_format1, in_place=True),
    "watch": Operation(command=(*PYTHON, WATCH), prepare=stale),
    "convert": Operation(command=(*CTX, "build"), prepare=page),
    "save-test": Operation(command=(*PYTHON, SAVE_TEST), prepare=built, once=True),
    "update-tests": Operation(command=(*CTX, "test", "--update"), prepare=failing_test),
    "install-json": Operation(command=(*CTX, "install", "claude-code")),
    "install-toml": Operation(command=(*CTX, "install", "codex")),
    "uninstall": Operation(command=(*CTX, "install", "claude-code", "--remove"), prepare=installed),
    "pack": Operation(command=(*CTX, "pack", "-c", "cache", "-o", "docs.ctx.tar"), prepare=built),
    "unpack": Operation(command=(*CTX, "unpack", "docs.ctx.tar", "-c", "out"), prepare=packed, once=True),
    "scope-init": Operation(command=(*CTX, "scope", "init", "."), one_by_one=True),
    "scope-rehash": Operation(command=(*CTX, "scope", "rehash", "."), prepare=scoped, one_by_one=True),
    "scope-status": Operation(command=(*CTX, "scope", "status", "."), reads_only=True, prepare=scoped),
    "scope-validate": Operation(
        command=(*CTX, "scope", "validate", ".", "--strict"), reads_only=True, prepare=scoped
    ),
    "resolve": Operation(
        command=(*CTX, "resolve", "-c", "docs", "-q", "roll", "-b", "99"), reads_only=True, prepare=built
    ),
    "why": Operation(command=(*CTX, "why", "-c", "docs", "-q", "roll"), reads_only=True, prepare=built),
    "verify": Operation(command=(*CTX, "verify", "-c", "docs"), reads_only=True, prepare=built),
    "list": Operation(command=(*CTX, "list", "."), reads_only=True, prepare=built),
    "status": Operation(command=(*CTX, "status"), reads_only=True, prepare=built),
}


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


class Trial:
    """An operation with its states before and after, and one directory to run it in again and again."""

    def __init__(self, operation: Operation, scratch: Path) -> None:
        self.operation = operation
        self.before, self.directory = scratch / "before", scratch / "work"
        for old in (self.before, self.directory):
            shutil.rmtree(old, ignore_errors=True)
        make_project(self.before)
        operation.prepare(self.before)
        start = monotonic()
        self.clean = self.run()
        self.seconds = monotonic() - start
        self.after = whole(files(self.directory))

    def restore(self) -> None:
        """Bring about the state before the operation."""
        shutil.rmtree(self.directory, ignore_errors=True)
        shutil.copytree(self.before, self.directory)

    def environment(self) -> dict[str, str]:
        """What the operation is run with: a home of its own and a clock that stands."""
        environment = {**os.environ, "HOME": str(self.directory / "home"), "SOURCE_DATE_EPOCH": "1767225600"}
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "CODEX_HOME"):
            environment.pop(name, None)
        return environment

    def run(
        self, extra: dict[str, str] | None = None, *, restored: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run the operation to its end, with `extra` in its environment."""
        if restored:
            self.restore()
        return subprocess.run(
            self.operation.command,
            cwd=self.directory,
            env=self.environment() | (extra or {}),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def wrong_files(self, code: int, stderr: str) -> str:
        """What is wrong with the files that a run left; empty if nothing is."""
        before, now = whole(files(self.before)), whole(files(self.directory))
        if now == self.after or (now == before and code != 0):
            return ""
        mixed = {name: data for name, data in now.items() if self.after.get(name) != data}
        if self.operation.one_by_one and mixed.items() <= before.items() and code != 0:
            return ""
        if self.operation.in_place and not self._is_valid("old"):
            return ""  # half replaced, and known to be
        if code == 0 and stderr != self.clean.stderr and self._is_valid("cache"):
            return ""  # a document was left out, and that was said
        return f"neither before nor after (exit code {code}): {differing(now, self.after)}"

    def wrong_next_run(self) -> str:
        """What is wrong after the operation is run once more; empty if nothing is."""
        is_done = whole(files(self.directory)) == self.after
        if self.operation.reads_only or (is_done and self.operation.once):
            return ""
        again = self.run(restored=False)
        if again.returncode != self.clean.returncode:
            return f"the next run fails: {again.stderr}"
        difference = differing(files(self.directory), self.after)
        return f"after the next run: {difference}" if difference else ""

    def _is_valid(self, cache: str) -> bool:
        verify = [*CTX, "verify", "-c", cache]
        ran = subprocess.run(verify, cwd=self.directory, capture_output=True, timeout=SECONDS, check=False)
        return ran.returncode == 0


def files(directory: Path) -> Files:
    """Every file below the directory but locks and the records of builds, which only make the next faster."""
    paths = (path for path in sorted(directory.rglob("*")) if path.is_file())
    names = {str(path.relative_to(directory)): path for path in paths}
    return {
        name: path.read_bytes()
        for name, path in names.items()
        if not name.startswith((".ctx/", "home/.cache/")) and not name.endswith(".lock")
    }


def whole(state: Files) -> Files:
    """The files without what an unfinished run leaves to be cleared by the next.

    That is: scratch folders, new files that were not renamed yet, data files that no manifest names, and
    attributes beside which there is no manifest yet.
    """
    manifests = b"".join(
        data for name, data in state.items() if name.endswith("manifest.json") and not _SCRATCH.search(name)
    )
    return {
        name: data
        for name, data in state.items()
        if not _SCRATCH.search(name)
        and (not _DATA_FILE.search(name) or name.rpartition("/")[2].encode() in manifests)
        and (not name.endswith("/.gitattributes") or f"{name.rpartition('/')[0]}/manifest.json" in state)
    }


def differing(one: Files, other: Files) -> str:
    """The names under which two states differ."""
    return ", ".join(sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name)))
