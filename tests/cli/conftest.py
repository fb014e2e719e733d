"""The program under test: in this process where that is enough, as a process where not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from subprocess import PIPE, CompletedProcess, Popen
from typing import TYPE_CHECKING, Any

import pytest

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
