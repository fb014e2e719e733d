"""The programs of `gauntlet/`, small; `make gauntlet` runs them large."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]


def run(*arguments: str) -> str:
    """The last line of a program that found nothing wrong."""
    command = [sys.executable, "-m", *arguments]
    ran = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout.splitlines()[-1]


def test_no_damage_changes_an_answer_unseen() -> None:
    assert run("gauntlet.damage", "150") == "150 damages, 0 wrong"


def test_no_crafted_cache_deceives() -> None:
    assert run("gauntlet.crafted", "150") == "150 crafted caches, 0 wrong"


def test_a_killed_command_loses_nothing() -> None:
    operations = ("--operation", "rebuild", "--operation", "install-toml")
    assert run("gauntlet.kills", "4", *operations) == "4 kills, 0 wrong"


def test_no_damage_in_a_scratch_directory_gets_into_a_cache() -> None:
    assert run("gauntlet.scratch", "8") == "8 builds, 0 wrong"


def test_every_door_gives_the_same_bytes() -> None:
    """Random queries, errors among them, by the library, the command, the server and the inspector."""
    assert re.fullmatch(
        r"60 queries by 4 doors \(digest [0-9a-f]{16}\), 0 differ", run("gauntlet.doors", "60")
    )


def test_the_server_answers_every_line_as_often_as_it_asks() -> None:
    assert run("gauntlet.frames", "1000") == "1000 lines, 0 wrong"


@pytest.mark.skipif(shutil.which("cc") is None, reason="the shim is compiled on the spot")
@pytest.mark.skipif(sys.platform != "linux", reason="the shim replaces functions of glibc")
@pytest.mark.parametrize("operation", ["rebuild", "watch", "save-test", "unpack", "scope-rehash", "resolve"])
def test_a_refused_or_killed_call_loses_nothing(operation: str) -> None:
    assert run("gauntlet.faults", "--at-most", "2", operation).endswith(", 0 wrong")
