"""Where caches lie (C4, C6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxcache.cli.places import confined, find_cache, project_caches
from ctxcache.errors import CacheMissing


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one cache, seen from a folder deep inside."""
    project = tmp_path / "project"
    (project / ".ctx" / "caches" / "docs").mkdir(parents=True)
    (project / "ctx.toml").touch()
    deep = project / "src" / "deep"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    return project


@pytest.mark.parametrize("mark", ["ctx.toml", "pyproject.toml", ".git"])
def test_the_nearest_mark_makes_the_project(project: Path, mark: str) -> None:
    assert project_caches() == f"{project}/.ctx/caches"
    (project / "src" / mark).touch()
    assert project_caches() == f"{project}/src/.ctx/caches"


def test_a_bare_name_is_looked_up_in_the_project(project: Path) -> None:
    assert find_cache("docs", None) == f"{project}/.ctx/caches/docs"


def test_a_path_that_exists_comes_first(project: Path) -> None:
    Path("docs").mkdir()
    assert find_cache("docs", None) == "docs"


@pytest.mark.parametrize("name", ["./docs", "a/docs", "unknown", "nul\0"])
def test_any_other_name_stays_the_path_that_it_is(project: Path, name: str) -> None:
    assert find_cache(name, None) == name


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A cache root with a cache in it, a secret beside it, and links of both kinds."""
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "v1..v2").mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "root-twin").mkdir()
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "in").symlink_to(root / "docs")
    return root


@pytest.mark.parametrize("name", ["docs", "./docs", "docs/", "v1..v2", "missing"])
def test_a_name_inside_the_root_is_found_there(root: Path, name: str) -> None:
    assert confined(name, str(root)) == str(root / name)


def test_an_absolute_path_and_a_link_that_stay_inside_are_fine(root: Path) -> None:
    assert confined(str(root / "docs"), str(root)) == str(root / "docs")
    assert confined("in", str(root)) == str(root / "docs")


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "../secret",
        "docs/../docs",
        "docs\\..\\docs",
        "out",
        "/",
        "nul\0",
        "{root}-twin",
        "{root}/../secret",
    ],
)
def test_whatever_lies_or_leads_outside_is_missing(root: Path, name: str) -> None:
    """A sibling whose name begins like the root's is outside: components are compared, not text."""
    with pytest.raises(CacheMissing):
        confined(name.format(root=root), str(root))
