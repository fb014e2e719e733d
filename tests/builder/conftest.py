"""A folder with one of everything, small."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Pages of several formats, one that splits, names that sort oddly, and one that is no text."""
    root = tmp_path / "docs"
    pages = {
        "index.md": "# Handbook\n\nStart here.\n",
        "deploy/rollback.md": "---\ntitle: Rolling back\nversion: 1.10\n---\n# Roll back\n\nctx --dry-run\n",
        "guide.md": "# Guide\n\n" + "".join(f"## Part {n}\n\n{'word ' * 150}\n\n" for n in range(6)),
        "guide.md#part-3-odd.md": "A name between the sections of another file.\n",
        "notes.rst": "Notes\n=====\n\nA note.\n",
        "zwei.txt": "Zwölf Boxkämpfer\r\njagen\r\n",
        "日本.md": "# 日本語\n\n配備\n",
        "empty.md": "",
        "twin.md": "",
    }
    for name, text in pages.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode("utf-8"))
    (root / "utf16.md").write_bytes("# Wide\n".encode("utf-16"))
    (root / "latin1.md").write_bytes("caf\xe9".encode("latin-1"))
    return root
