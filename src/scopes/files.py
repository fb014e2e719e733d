"""Writing one small file so that a reader sees the old or the new content, never half of one."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path


def write_atomically(path: str, data: bytes) -> None:
    """Replace or create a file. The permissions of an existing file stay; a link keeps pointing to it."""
    target = Path(path).resolve()
    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        with contextlib.suppress(FileNotFoundError):
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
