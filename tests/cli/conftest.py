"""The program under test: in this process where that is enough, as a process where not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from subprocess import PIPE, CompletedProcess, Popen
from typing import TYPE_CHECKING, Any

import pytest

import ctxcache
from ctxcache.cli import main

if TYPE_CHECKING:
    from pathlib import Path

Ctx = Callable[..., CompletedProcess[str]]
Start = Callable[..., Popen[bytes]]


@pytest.fixture
def ctx(capfdbinary: pytest.CaptureFixture[bytes]) -> Ctx:
    """Run `ctx` with these arguments in this process; its two descriptors are captured."""

    def run(*arguments: str) -> CompletedProcess[str]:
        capfdbinary.readouterr()
        try:
            code = main(arguments)
        except SystemExit as end:  # how argparse ends a command line that asks for help
            code = int(end.code or 0)
        out, err = capfdbinary.readouterr()
        return CompletedProcess(arguments, code, out.decode(), err.decode())

    return run


@pytest.fixture
def start() -> Start:
    """Start `ctx` with these arguments as a process; keywords go to `Popen`."""

    def run(*arguments: str | bytes, **options: Any) -> Popen[bytes]:
        channels = {"stdout": PIPE, "stderr": PIPE, **options}
        return Popen([sys.executable, "-m", "ctxcache", *arguments], **channels)

    return run


@pytest.fixture
def wide_root(tmp_path: Path) -> Path:
    """A cache root whose listing is larger than any pipe holds."""
    root = tmp_path / "wide"
    for number in range(1000):
        (root / f"{number:0200}").mkdir(parents=True)
    return root


@pytest.fixture(scope="session")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of four documents: one short and right, one long and right, one other, one with tricks."""
    docs = tmp_path_factory.mktemp("sources") / "docs"
    (docs / "deploy").mkdir(parents=True)
    texts = {
        "deploy/rollback.md": "# Roll back\n\nTo roll back a deployment, run `deploy rollback`.\n",
        "deploy/guide.md": "# Deployment\n\n" + "How a deployment goes, step by step, in all detail. " * 40,
        "oncall.md": "# On call\n\nWho answers the pager at night.\n",
        "Größe \u202e.md": "# Größe\n\n\x1b[31mRollback\x1b[0m in rot. items[/]\n",
    }
    for name, text in texts.items():
        (docs / name).write_text(text, "utf-8")
    return docs


@pytest.fixture(scope="session")
def cache(docs: Path) -> str:
    """A cache of `docs`."""
    place = docs.parent / "cache"
    ctxcache.build(docs, place, config=ctxcache.BuildConfig(tokenizer="bytes4", split="none"))
    return str(place)
