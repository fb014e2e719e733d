"""What a fresh machine installs."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from ctxcache.regex import FLOOR

REPO = Path(__file__).parents[2]
PROJECT = tomllib.loads((REPO / "pyproject.toml").read_text("utf-8"))


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    lines = (REPO / "constraints.txt").read_text("utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {normalized(name): version for name, version in pairs}


def test_everything_that_is_asked_for_is_pinned() -> None:
    """So that a machine set up next year gets what was tried."""
    groups = PROJECT["dependency-groups"].values()
    wanted = [item for group in groups for item in group if isinstance(item, str)]
    wanted += PROJECT["project"]["dependencies"]
    wanted += [item for extra in PROJECT["project"]["optional-dependencies"].values() for item in extra]
    names = {normalized(re.split(r"[^\w.-]", item)[0]) for item in wanted}
    assert names - pins().keys() == set()


def test_the_pins_are_plain_versions() -> None:
    """No addresses: they would hold on one machine only."""
    assert all(re.fullmatch(r"[\w.!+]+", version) for version in pins().values())


def test_the_floor_is_told_in_one_voice() -> None:
    """An interpreter below it builds other caches, so no page and no recipe may admit one."""
    assert PROJECT["project"]["requires-python"] == f">={FLOOR}"
    makefile = (REPO / "Makefile").read_text("utf-8")
    assert f"\nFLOOR := {FLOOR}\n" in makefile
    for page in ("README.md", "CONTRIBUTING.md", "constraints.txt"):
        assert re.search(
            rf"CPython (from )?{re.escape(FLOOR)} (or newer|on|to) ", (REPO / page).read_text("utf-8")
        )


def test_the_version_is_told_in_one_voice() -> None:
    import ctxcache

    assert PROJECT["project"]["version"] == ctxcache.__version__


def test_the_workflow_tries_every_python_that_the_package_names() -> None:
    workflow = (REPO / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    names = [name.rpartition(" ")[2] for name in PROJECT["project"]["classifiers"] if "Python :: 3" in name]
    assert f"python: {json.dumps(names)}\n" in workflow


def test_a_commit_is_checked_by_pinned_tools() -> None:
    """Hooks with versions of their own would disagree with `make lint` one day."""
    hooks = (REPO / ".pre-commit-config.yaml").read_text("utf-8")
    tools = re.findall(r"entry: \.venv/bin/(\S+)", hooks)
    assert set(tools) == {"ruff", "mypy", "codespell"}
    assert len(tools) == hooks.count("entry:")
    assert set(tools) <= pins().keys()
