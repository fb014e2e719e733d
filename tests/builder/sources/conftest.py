"""Folders of real files to walk."""

from __future__ import annotations

from collections.abc import Callable
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
