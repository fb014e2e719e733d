"""What a project's CI runs: the action's steps and the hooks' commands, in a shell, on a small project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

REPO = Path(__file__).parents[2]
ACTION = yaml.safe_load((REPO / "action.yml").read_text())
HOOKS = yaml.safe_load((REPO / ".pre-commit-hooks.yaml").read_text())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a cache that is described, not built yet, and one test."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/pager.md").write_text("# Pager\n\nThe pager wakes you.\n")
    (tmp_path / "ctx.toml").write_text(
        '[caches.handbook]\nsources = "docs"\n\n'
        '[[tests]]\ncache = "handbook"\nquery = "pager"\nexpect = ["pager.md"]\n'
    )
    return tmp_path


def run(command: str, project: Path, **environment: str) -> int:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    surroundings = {**os.environ, "PATH": path, **environment}
    return subprocess.run(
        ["bash", "-e", "-c", command], cwd=project, env=surroundings, check=False
    ).returncode


def steps(project: Path, build: str) -> list[int]:
    """The exit codes of the action's steps, the installation left out."""
    values = {"CTX_BUILD": build, "CTX_JUNIT": "out.xml", "CTX_HTML": "out page.html"}
    return [run(step["run"], project, **values) for step in ACTION["runs"]["steps"][1:]]


def test_the_action_builds_and_tests(project: Path) -> None:
    assert steps(project, "true") == [0, 0]
    assert "<testsuite" in (project / "out.xml").read_text()
    assert "<h1>" in (project / "out page.html").read_text()
    assert steps(project, "false") == [0, 0]


def test_the_action_and_the_hooks_fail_on_a_stale_cache(project: Path) -> None:
    commands = [hook["entry"] for hook in HOOKS]
    steps(project, "true")
    assert [run(command, project) for command in commands] == [0, 0]
    (project / "docs/pager.md").write_text("# Pager\n\nThe pager wakes nobody.\n")
    assert steps(project, "false") == [8, 8]
    assert [run(command, project) for command in commands] == [8, 8]
    assert run("ctx test", project) == 0  # told, and not strict
    assert run("ctx test --strict --build", project) == 0
    assert run("ctx status", project) == 0
    (project / "docs").rename(project / "gone")  # no build would mend that
    assert [run(f"ctx test{option}", project) for option in ("", " --strict")] == [0, 8]
