"""Renew what pages show: the `console` blocks of each are run, in order, in a folder of its own.

A line that begins with `$ ` is a command for bash, `> ` continues it, all else is what it printed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).parents[1]
PAGES = [REPO / "docs" / f"{name}.md" for name in ("authoring", "from-context-engine", "from-dotcontext")]
BLOCK = re.compile(r"(?<=^```console\n)(?s:.*?)(?=^```$)", re.MULTILINE)
COMMAND = re.compile(r"^\$ (.*\n(?:> .*\n)*)", re.MULTILINE)
ENVIRONMENT = {
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **{
        f"GIT_{who}_{what}": "author@example.org"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    },
}


def renew(text: str, scratch: Path) -> str:
    """Return `text` with its blocks as they are printed now, run in a folder of `scratch`."""
    (scratch / "samples").symlink_to(REPO / "samples")
    folder = scratch / "story"
    folder.mkdir()
    return BLOCK.sub(lambda block: "".join(_told(block[0], folder)), text)


def _told(block: str, folder: Path) -> list[str]:
    """The commands of a block, each with what it prints."""
    lines = []
    for command in COMMAND.findall(block):
        ran = subprocess.run(
            ["bash", "-c", command.replace("\n> ", "\n")],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ | ENVIRONMENT,
            check=False,
        )
        lines.append(f"$ {command}{ran.stdout.decode('utf-8')}")
    return lines


if __name__ == "__main__":
    for page in PAGES:
        with tempfile.TemporaryDirectory() as scratch:
            page.write_text(renew(page.read_text("utf-8"), Path(scratch)), "utf-8")
