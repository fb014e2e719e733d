"""`import ctxcache`: what the package names, loaded when it is first used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import ctxcache


def test_every_public_name_has_its_home() -> None:
    """And `dir` shows it."""
    for name in ctxcache.__all__:
        assert getattr(ctxcache, name).__name__ == name
    assert set(ctxcache.__all__) < set(dir(ctxcache))


def test_a_notebook_gets_far_with_one_line(tmp_path: Path) -> None:
    """Build, open, resolve, compare: no other import."""
    ctxcache.build([ctxcache.GivenText("a.md", "Rolling back", "roll back a deployment")], tmp_path / "docs")
    cache = ctxcache.open_cache(tmp_path / "docs")
    assert '"id": "a.md"' in repr(cache.resolve("roll back a deployment", budget=4000))
    assert ctxcache.compare(cache.explain("roll", 100), cache.explain("deployment", 1)).to_json()


def test_importing_the_package_loads_none_of_its_parts() -> None:
    """A program that only asks for the version pays for nothing."""
    code = "import sys, ctxcache; print([m for m in sys.modules if m.startswith('ctxcache.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_a_name_that_a_class_had_before_goes_on_working() -> None:
    """Programs import it."""
    assert ctxcache.Explained is ctxcache.Explanation


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    """As in any module."""
    assert not hasattr(ctxcache, "absent")


def test_a_cache_that_is_open_at_the_end_of_a_program_says_nothing() -> None:
    """Its descriptor is closed when modules are gone already."""
    sample = Path(__file__).parents[1] / "sample_caches" / "handbook"
    program = "import sys; from ctxcache.cache import store; store.kept = store.open_store(sys.argv[1])"
    program += "; sys.kept = store"  # a module that is emptied from its top, `os` first
    ran = subprocess.run([sys.executable, "-c", program, sample], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
