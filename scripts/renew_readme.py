"""Renew what the README shows: each `$ ctx …` in it is run, in order, in a project of its own.

A block that ends in a line `…` shows the beginning of the output and keeps its length.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).parents[1]
README = REPO / "README.md"
BLOCK = re.compile(r"^\$ ctx (.*)\n((?s:.*?))^```$", re.MULTILINE)


def renew(text: str, project: Path) -> str:
    """Return `text` with the blocks as they are printed now, running the commands in `project`."""
    return BLOCK.sub(lambda block: f"$ ctx {block[1]}\n{_printed(block[1], block[2], project)}```", text)


def _printed(line: str, before: str, project: Path) -> str:
    command = [sys.executable, "-m", "ctxcache", *shlex.split(line)]
    ran = subprocess.run(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
    printed = ran.stdout.decode("utf-8")
    if not before.endswith("…\n"):
        return printed
    kept = before.count("\n") - 1
    return "".join(printed.splitlines(keepends=True)[:kept]) + "…\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "ctx.toml").touch()
        (Path(scratch) / "samples").symlink_to(REPO / "samples")
        README.write_text(renew(README.read_text("utf-8"), Path(scratch)), "utf-8")
