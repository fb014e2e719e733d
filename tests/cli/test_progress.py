"""The progress bar: on a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

PROGRAM = """
from ctxcache.cli.progress import Bar
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
