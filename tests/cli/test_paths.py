"""Where caches lie (C4, C6)."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from ctxcache.cli.paths import cache_names, find_cache, project_caches
from ctxcache.errors import CacheMissing, IoError
from ctxcache.project.project import find_configuration

Ctx = Callable[..., CompletedProcess[str]]


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


@pytest.mark.skipif(os.name == "nt", reason="no permission keeps a directory from being read there")
@pytest.mark.parametrize("shut", [".ctx/caches", "ctx.toml", "pyproject.toml"])
@pytest.mark.parametrize("line", [
    ("why", "--query", "roll back", "--budget", "9"),
    ("resolve", "--query", "roll back", "--budget", "9", "--cache", "handbok"),
    ("show", "page.md", "--cache", "handbok"),
    ("diff", "handbok", "handbook"),
    ("completion", "--names", "caches"),
    ("tui", "handbok"),
])  # fmt: skip
def test_a_project_that_cannot_be_read_does_not_pass_for_one_without_caches(
    ctx: Ctx, unprivileged: Path, shut: str, line: tuple[str, ...]
) -> None:
    """Whether the system does not show the directory of caches or the configuration."""
    (unprivileged / ".ctx/caches/handbook").mkdir(parents=True)
    (unprivileged / ("pyproject.toml" if shut == "pyproject.toml" else "ctx.toml")).touch()
    (unprivileged / shut).chmod(0o111)  # its entries can be opened by those who know their names
    ran = ctx(*line)
    assert (ran.returncode, ran.stdout) == (6, "")
    assert ran.stderr.startswith("error: ") and ran.stderr.endswith(f"{shut}: Permission denied\n")
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("mark", ["ctx.toml", "pyproject.toml", ".git"])
def test_the_nearest_mark_makes_the_project(project: Path, mark: str) -> None:
    assert project_caches() == "../../.ctx/caches"
    (project / "src" / mark).touch()
    assert project_caches() == "../.ctx/caches"


def test_a_bare_name_is_looked_up_in_the_project(project: Path) -> None:
    assert find_cache("docs", None) == "../../.ctx/caches/docs"


def test_a_cache_that_lies_here_comes_first(project: Path) -> None:
    Path("docs").mkdir()
    Path("docs/manifest.json").touch()
    assert find_cache("docs", None) == "docs"


def test_the_folder_that_a_cache_was_built_from_does_not_hide_it(project: Path) -> None:
    """`ctx build docs`, then `ctx resolve -c docs`: the first thing that anyone tries."""
    Path("docs").mkdir()
    Path("docs/page.md").touch()
    assert find_cache("docs", None) == "../../.ctx/caches/docs"


@pytest.mark.parametrize(
    ("file", "table"), [("ctx.toml", "caches.docs"), ("pyproject.toml", "tool.ctx.caches.docs")]
)
def test_a_cache_lies_where_the_configuration_says(project: Path, file: str, table: str) -> None:
    """An older one, built before it was put elsewhere, would give the answers of that time."""
    (project / "documents").mkdir()
    (project / "ctx.toml").unlink()
    (project / file).write_text(f'[{table}]\nsources = "documents"\ncache = "made/docs"\n')
    with pytest.raises(CacheMissing, match="docs: not built yet"):
        find_cache("docs", None)
    (project / "made/docs").mkdir(parents=True)
    assert find_cache("docs", None) == "../../made/docs"
    (project / file).write_text(f'[{table}]\nsources = "documents"\n')
    assert find_cache("docs", None) == "../../.ctx/caches/docs"
    (project / file).write_text("[caches.docs\n")
    assert find_cache("docs", None) == "../../.ctx/caches/docs"


@pytest.mark.parametrize("name", ["./docs", "a/docs", "unknown", "nul\0", ".", ".."])
def test_any_other_name_stays_the_path_that_it_is(project: Path, name: str) -> None:
    assert find_cache(name, None) == name


def test_with_a_cache_root_nothing_else_is_looked_at(project: Path) -> None:
    root = str(project / ".ctx" / "caches")
    assert find_cache("docs", root) == f"{root}/docs"
    Path("here").mkdir()
    for name in ("here", "..", "../caches/docs", str(project), "/", "nul\0"):
        with pytest.raises(CacheMissing):
            find_cache(name, root)


def test_a_mark_that_the_system_does_not_tell_of_is_not_passed_by(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project of a folder above would be taken for this one."""
    look = os.stat

    def look_or_fail(path: Any, **options: Any) -> os.stat_result:
        if os.fspath(path) == str(project / "ctx.toml"):
            raise OSError(errno.EIO, os.strerror(errno.EIO), os.fspath(path))
        return look(path, **options)

    monkeypatch.setattr(os, "stat", look_or_fail)
    with pytest.raises(OSError, match=r"ctx\.toml"):
        project_caches()
    with pytest.raises(IoError, match=r"ctx\.toml"):
        find_configuration()


def test_a_file_where_caches_would_lie_holds_none(project: Path) -> None:
    (project / ".ctx/caches/docs").rmdir()
    (project / ".ctx/caches").rmdir()
    (project / ".ctx/caches").touch()
    assert cache_names() == []
