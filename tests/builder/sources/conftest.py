"""Folders of real files to walk."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Tree = Callable[..., Path]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Write files, given as path and content, into one folder, and return the folder."""
    root = tmp_path / "root"
    root.mkdir()

    def write(files: dict[str, str | bytes] | None = None) -> Path:
        for name, content in (files or {}).items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return write


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """Give a folder to a user whom permissions bind: root reads everything."""
    root = Path(tempfile.mkdtemp()).resolve()
    root.chmod(0o777)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield root
    finally:
        os.seteuid(user)
        for path in root.rglob("*"):
            if not path.is_symlink():
                path.chmod(0o777)
        shutil.rmtree(root)
