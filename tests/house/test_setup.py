"""What a fresh machine installs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from ctxcache.regex import FLOOR

HOUSE = Path(__file__).parents[2]
PROJECT = tomllib.loads((HOUSE / "pyproject.toml").read_text("utf-8"))


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    lines = (HOUSE / "constraints.txt").read_text("utf-8").splitlines()
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
    makefile = (HOUSE / "Makefile").read_text("utf-8")
    assert f"\nFLOOR := {FLOOR}\n" in makefile
    for page in ("README.md", "CONTRIBUTING.md", "constraints.txt"):
        assert re.search(
            rf"CPython (from )?{re.escape(FLOOR)} (or newer|on|to) ", (HOUSE / page).read_text("utf-8")
        )


def test_the_version_is_told_in_one_voice() -> None:
    import ctxcache

    assert PROJECT["project"]["version"] == ctxcache.__version__
