"""A project: a folder of documents and a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

CONFIGURATION = """\
[caches.handbook]
sources = "docs"
tokenizer = "bytes4"

[[tests]]
cache = "handbook"
query = "roll back a deployment"
expect = ["deploy/rollback.md"]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project's folder, which is the current directory: nothing is built yet."""
    root = tmp_path / "project"
    pages = {
        "ctx.toml": CONFIGURATION,
        "docs/index.md": "# Handbook\n\nStart here.\n",
        "docs/deploy/rollback.md": "# Roll back\n\nTo roll back a deployment, run `deploy rollback`.\n",
        "docs/deploy/guide.md": "# Deployment\n\n"
        + "".join(f"## Step {n}\n\n{'word ' * 300}\n\n" for n in range(5)),
        "docs/oncall.md": "# On call\n\nWho answers the pager at night.\n",
    }
    for name, text in pages.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    monkeypatch.chdir(root)
    return root
