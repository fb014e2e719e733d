"""Write a commented ctx.toml for the folder at hand, from the documents that are in it.

Nothing else is written, and nothing that is there is replaced.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from ..errors import IoError, UsageError
from ..project.initial import initial_configuration
from ..project.project import NAME, PYPROJECT, is_configured
from .output import narrate
from .paths import require_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLE = "ctx init"


def add_arguments(parser: ArgumentParser) -> None:
    """FOLDER."""
    parser.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="the project (default: .)")


def run(options: Namespace) -> None:
    """Write the file, and say how to go on."""
    require_folder(options.folder)
    folder = Path(options.folder)
    file = folder / NAME
    if os.path.lexists(file):
        raise UsageError(f"{file}: is there already; `ctx status` says how its caches are")
    if is_configured(folder / PYPROJECT):
        raise UsageError(f"{folder / PYPROJECT}: configures caches already, in [tool.ctx]")
    text = initial_configuration(folder)
    try:
        with file.open("x", encoding="utf-8", newline="\n") as written:
            written.write(text)
    except OSError as error:
        raise IoError(f"{file}: {error.strerror}") from None
    there = "" if folder.resolve() == Path.cwd() else f"`cd {shlex.quote(str(folder))}` and "
    narrate(f"wrote {file}; look it over, then {there}`ctx build`. Caches go to .ctx/, which git ignores")
