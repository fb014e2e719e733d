"""The progress bar: on a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

PROGRAM = """
from ctxcache.cli.terminal import Bar
with Bar("building \\x1b]0;", patience=0) as bar:
    bar.show(1, 2)
"""


def test_a_terminal_sees_the_bar_and_then_an_empty_line() -> None:
    ours, theirs = pty.openpty()
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=theirs, check=True
    )
    os.close(theirs)
    seen = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert process.stdout == b""
    assert seen.startswith("\rbuilding \\x1b]0; ███████████████░░░░░░░░░░░░░░░  50 %") and seen.endswith(
        "\r\x1b[K"
    )


def test_nobody_else_sees_anything() -> None:
    process = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True)
    assert (process.stdout, process.stderr) == (b"", b"")


def test_what_takes_long_is_named_at_once() -> None:
    """The end of its name, so that the line is no longer than the terminal is wide."""
    name = "folder/" * 9 + "manual.pdf"
    program = f"""
from ctxcache.cli.terminal import Bar
with Bar("building x", patience=60) as bar:
    bar.show(1, 2)
    bar.show(1, 2, "{name}")
"""
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", program], stderr=theirs, check=True)
    os.close(theirs)
    seen = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert seen.startswith(f"\rbuilding x {'█' * 15}{'░' * 15}  50 % …{name[-29:]}\x1b[K")
