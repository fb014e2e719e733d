"""What tests of several parts need."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


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
