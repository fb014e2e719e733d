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

    from .forks import Forks

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
follow(lambda: load_project(file).select([]), update, tell, stop, configuration=file)
"""
"""What `ctx build --watch` does until the first rebuild is done."""
SCRATCH = """
import pathlib
from concurrent.futures import Executor, Future
import ctxcache

class Here(Executor):
    scratch = str(pathlib.Path("shared").resolve())

    def submit(self, work, *arguments):
        future = Future()
        try:
            future.set_result(work(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

config = ctxcache.BuildConfig(tokenizer="bytes4")
report = ctxcache.build("docs", "new", config=config, force=True, executor=Here())
print(report.cache_version)
"""
"""What `ctx build --scheduler ADDRESS --scratch shared` does, with workers in this process."""
LIBRARY = """
import ctxcache

cache = ctxcache.open_cache("cache")
print(cache.resolve("roll", 99).to_json(), cache.explain("roll", 99).to_json())
print(ctxcache.inspect_cache("cache").to_json())
print(ctxcache.verify("cache").to_json())
"""
"""What raises an error of this library and no other."""
JOBS = """
import sys
import ctxcache.builder.build
from ctxcache.cli.main import main

ctxcache.builder.build.BATCH_SOURCES = 1
words = "build docs --cache new --force --tokenizer bytes4 --jobs 2"
sys.exit(main(words.split()))
"""
"""`ctx build --jobs 2` with a document a batch, as there is one of a megabyte else."""
CONFIGURATION = (
    '# mine\n[caches.docs]\nsources = "docs"\ncache = "cache"\ntokenizer = "bytes4"\n\n# the end\n'
)
ENTRIES = {
    ".mcp.json": '{\n  // mine\n  "other": {"a": 1}\n}\n',
    "config.toml": "# mine\n[other]\na = 1  # one\n",
}
SECONDS = 120
"""A command that takes longer hangs; a second is usual."""

_LEFT = (".ctx/", ".git/", "home/.cache/", "shared/ctx-build-")
"""Records, what is not the program's, and postings that a killed build leaves under a name of its own."""
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
    proposes: bool = False
    """Whether it writes what is to be looked over, and says what it could not read for it."""
    starts_workers: bool = False
    """Whether faults befall the processes that it starts too."""
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


def shared(directory: Path) -> None:
    """A project with a folder that workers share."""
    (directory / "shared").mkdir()


def built_both(directory: Path) -> None:
    """A project with a cache of each format."""
    built(directory)
    ctx(directory, "build", "docs", "--cache", "old", "--profile", "v0")


def ignoring(directory: Path) -> None:
    """A work tree whose ignore file names a document."""
    subprocess.run(["git", "init", "-q"], cwd=directory, check=True, timeout=SECONDS)
    (directory / ".gitignore").write_text("c.md\n", "utf-8")


def killed(directory: Path) -> None:
    """A project with what killed builds and a removed cache have left."""
    built(directory)
    left = directory / "cache" / ".build-leftover"
    left.mkdir()
    (left / "lock").touch()
    (left / "lines").write_text("half\n", "utf-8")
    (directory / "cache" / "index-0123456789ab.bin").write_bytes(b"old")
    (directory / ".ctx" / "records" / "gone-0123456789ab.json").write_text("{}", "utf-8")


def judged(directory: Path) -> None:
    """A project with judged queries."""
    built(directory)
    (directory / "queries.jsonl").write_text('{"_id": "1", "text": "roll back a"}\n', "utf-8")
    (directory / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta.md\t1\n", "utf-8")


def undescribed(directory: Path) -> None:
    """Documents without a project."""
    (directory / "ctx.toml").unlink()


def committed(directory: Path) -> None:
    """A project under git, with a cache of documents that changed since."""
    commands = ("init", "-q"), ("add", "docs", "ctx.toml"), ("commit", "-q", "-m", "all")
    for arguments in commands:
        identity = ("-c", "user.name=Someone", "-c", "user.email=someone@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=directory, check=True, timeout=SECONDS)
    stale(directory)
    ctx(directory, "build")


def two(directory: Path) -> None:
    """A project with two caches that differ."""
    stale(directory)
    ctx(directory, "build", "docs", "--cache", "later", "--tokenizer", "bytes4")


def scoped(directory: Path) -> None:
    """A project with a context that is stale."""
    ctx(directory, "scope", "init", ".")
    (directory / "module.py").write_text("def roll():\n    pass\n", "utf-8")


OPERATIONS = {
    "build": Operation(command=(*CTX, "build", "docs", "--cache", "new", "--force", "--tokenizer", "bytes4")),
    "build-jobs": Operation(command=(*PYTHON, JOBS), starts_workers=True),
    "build-scratch": Operation(command=(*PYTHON, SCRATCH), prepare=shared),
    "build-v0": Operation(
        command=(*CTX, "build", "docs", "--cache", "old", "--profile", "v0"), in_place=True
    ),
    "to-v0": Operation(
        command=(*CTX, "build", "docs", "--cache", "cache", "--profile", "v0", "--force"),
        prepare=built,
        in_place=True,
    ),
    "rebuild": Operation(command=(*CTX, "build"), prepare=stale),
    "rebuild-v0": Operation(command=(*CTX, "build", "old"), prepare=stale_format1, in_place=True),
    "watch": Operation(command=(*PYTHON, WATCH), prepare=stale),
    "convert": Operation(command=(*CTX, "build"), prepare=page, starts_workers=True),
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
    "library": Operation(command=(*PYTHON, LIBRARY), reads_only=True, prepare=built),
    "build-ignored": Operation(
        command=(*CTX, "build", "docs", "--cache", "new", "--tokenizer", "bytes4"), prepare=ignoring
    ),
    "clean": Operation(command=(*CTX, "clean"), prepare=killed, one_by_one=True),
    "init": Operation(command=(*CTX, "init"), prepare=undescribed, once=True, proposes=True),
    "test": Operation(command=(*CTX, "test"), reads_only=True, prepare=failing_test),
    "ask": Operation(command=(*CTX, "ask", "roll", "-b", "99"), reads_only=True, prepare=built),
    "show": Operation(command=(*CTX, "show", "-c", "docs", "a.md"), reads_only=True, prepare=built),
    "inspect": Operation(command=(*CTX, "inspect", "-c", "docs"), reads_only=True, prepare=built),
    "diff": Operation(command=(*CTX, "diff", "cache", "later", "-q", "roll"), reads_only=True, prepare=two),
    "diff-revision": Operation(
        command=(*CTX, "diff", "docs@HEAD", "docs"), reads_only=True, prepare=committed
    ),
    "eval": Operation(
        command=(*CTX, "eval", "queries.jsonl", "-c", "docs", "--qrels", "qrels.tsv"),
        reads_only=True,
        prepare=judged,
    ),
    "doctor": Operation(command=(*CTX, "doctor"), reads_only=True, prepare=built),
    "resolve-v0": Operation(
        command=(*CTX, "resolve", "-c", "old", "-q", "roll", "-b", "99"),
        reads_only=True,
        prepare=built_both,
    ),
    "verify-v0": Operation(command=(*CTX, "verify", "-c", "old"), reads_only=True, prepare=built_both),
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

    def __init__(self, operation: Operation, scratch: Path, forks: Forks | None = None) -> None:
        """Commands are run by `forks`, if given, else in processes that begin from nothing."""
        self.operation = operation
        self._forks = forks
        self.before, self.root = scratch / "before", scratch / "root"
        self.directory, self._temporary = self.root / "work", self.root / "temporary"
        for old in (self.before, self.root):
            shutil.rmtree(old, ignore_errors=True)
        self.root.mkdir()
        make_project(self.before)
        operation.prepare(self.before)
        start = monotonic()
        self.clean = self.run()
        self.seconds = monotonic() - start
        self.after = whole(files(self.directory))

    def restore(self) -> None:
        """Bring about the state before the operation."""
        for old in (self.directory, self._temporary):
            shutil.rmtree(old, ignore_errors=True)
        shutil.copytree(self.before, self.directory)
        self._temporary.mkdir()

    def environment(self) -> dict[str, str]:
        """What the operation is run with: a home and temporary files of its own and a clock that stands."""
        environment = {
            **os.environ,
            "HOME": str(self.directory / "home"),
            "TMPDIR": str(self._temporary),
            "SOURCE_DATE_EPOCH": "1767225600",
        }
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "CODEX_HOME"):
            environment.pop(name, None)
        return environment

    def run(
        self, extra: dict[str, str] | None = None, *, restored: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run the operation to its end, with `extra` in its environment."""
        if restored:
            self.restore()
        return self._run(self.operation.command, self.environment() | (extra or {}))

    def _run(self, command: tuple[str, ...], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
        if self._forks is not None:
            return self._forks.run(command, self.directory, environment, SECONDS)
        return subprocess.run(
            command,
            cwd=self.directory,
            env=environment,
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
        if code == 0 and stderr != self.clean.stderr and (self.operation.proposes or self._is_valid("cache")):
            return ""  # a document was left out, and that was said
        return f"neither before nor after (exit code {code}): {differing(now, self.after)}"

    def wrong_next_run(self) -> str:
        """What is wrong after the operation is run once more; empty if nothing is."""
        is_done = whole(files(self.directory)) == self.after
        if self.operation.reads_only or (is_done and self.operation.once):
            return ""
        if self.operation.proposes and files(self.directory) != files(self.before):
            return ""  # what it wrote is to be looked over, and not replaced
        again = self.run(restored=False)
        if again.returncode != self.clean.returncode:
            return f"the next run fails: {again.stderr}"
        difference = differing(files(self.directory), self.after)
        return f"after the next run: {difference}" if difference else ""

    def _is_valid(self, cache: str) -> bool:
        return self._run((*CTX, "verify", "-c", cache), self.environment()).returncode == 0


def files(directory: Path) -> Files:
    """Every file below the directory but locks and what stays outside of caches (`_LEFT`)."""
    paths = (path for path in sorted(directory.rglob("*")) if path.is_file())
    names = {str(path.relative_to(directory)): path for path in paths}
    return {
        name: path.read_bytes()
        for name, path in names.items()
        if not name.startswith(_LEFT) and not name.endswith(".lock")
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
