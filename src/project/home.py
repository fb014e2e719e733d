"""The folder `.ctx` of a project: its caches, and what this machine remembers of builds."""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOME = ".ctx"
CACHES = f"{HOME}/caches"
RECORDS = f"{HOME}/records"

_IGNORE = "# Caches and records of builds, which `ctx build` makes again.\n*\n"


def record_file(root: Path, name: str, place: Path, sources: Path) -> Path:
    """Where this machine remembers the build of `sources` at `place`; safe to delete."""
    paths = os.fsencode("\0".join(map(os.path.realpath, (place, sources))))
    return root / RECORDS / f"{name}-{hashlib.sha256(paths).hexdigest()[:12]}.json"


@contextmanager
def ignored_home(root: Path) -> Iterator[None]:
    """Give the folder a `.gitignore` of its own where it comes to be within this context.

    One that is there stays as it is: its caches may be committed.
    """
    home = root / HOME
    is_new = not os.path.lexists(home)
    yield
    if is_new:  # elsewhere there is still no such folder
        with suppress(OSError), (home / ".gitignore").open("x", encoding="utf-8", newline="\n") as file:
            file.write(_IGNORE)
