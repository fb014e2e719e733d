"""The stories in `docs/authoring.md`, told again word for word."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
PAGE = Path("docs/authoring.md")


@pytest.mark.skipif(shutil.which("git") is None, reason="the stories need git")
def test_the_stories_show_what_the_program_prints(tmp_path: Path) -> None:
    """`make samples` renews them."""
    for name in (PAGE, Path("scripts/renew_stories.py")):
        (tmp_path / name).parent.mkdir()
        shutil.copy(REPO / name, tmp_path / name)
    (tmp_path / "samples").symlink_to(REPO / "samples")
    subprocess.run([sys.executable, str(tmp_path / "scripts/renew_stories.py")], check=True)
    assert (tmp_path / PAGE).read_text("utf-8") == (REPO / PAGE).read_text("utf-8")
