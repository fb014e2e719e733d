"""The stories in the pages of `docs/`, told again word for word."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
PAGES = [Path(f"docs/{name}.md") for name in ("authoring", "from-context-engine", "from-dotcontext")]
SCRIPT = Path("scripts/renew_stories.py")


@pytest.mark.skipif(shutil.which("git") is None, reason="the stories need git")
def test_the_stories_show_what_the_program_prints(tmp_path: Path) -> None:
    """`make samples` renews them."""
    for name in (*PAGES, SCRIPT):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(REPO / name, tmp_path / name)
    (tmp_path / "samples").symlink_to(REPO / "samples")
    subprocess.run([sys.executable, str(tmp_path / SCRIPT)], check=True)
    for page in PAGES:
        assert (tmp_path / page).read_text("utf-8") == (REPO / page).read_text("utf-8")
