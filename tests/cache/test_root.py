"""The cache root: which names mean a cache, and which lead nowhere (rules C4, C6)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ctxcache.cache.catalog import CacheRoot
from ctxcache.errors import CacheMissing, IoError


@pytest.fixture
def root(tmp_path: Path) -> CacheRoot:
    """A root with caches under odd but legitimate names, beside a directory that is none of its own."""
    for name in ("handbook", "v1..v2", "two words", "🗃", "teams/ops"):
        (tmp_path / "root" / name).mkdir(parents=True)
    (tmp_path / "root2").mkdir()
    (tmp_path / "root" / "notes.txt").write_text("a file")
    return CacheRoot(tmp_path / "root")


@pytest.mark.parametrize(
    "name", ["handbook", "v1..v2", "two words", "🗃", "teams/ops", "./handbook", "handbook/"]
)
def test_a_name_below_the_root_is_found(root: CacheRoot, name: str) -> None:
    assert root.locate(name) == os.path.realpath(f"{root.path}/{name}")


@pytest.mark.parametrize(
    "name",
    [
        *(None, True, 7, 1.5, ["handbook"], {}),
        *(
            "",
            "\0",
            "handbook\0",
            "..",
            "../root2",
            "handbook/../handbook",
            "missing",
            "notes.txt",
            "notes.txt/x",
        ),
        *("\udc80", "\ud800", "x" * 300, "x/" * 4000),
    ],
)
def test_anything_else_is_missing(root: CacheRoot, name: object) -> None:
    with pytest.raises(CacheMissing):
        root.locate(name)


def test_an_absolute_path_is_taken_inside_the_root_only(root: CacheRoot, tmp_path: Path) -> None:
    """A sibling whose name begins like the root's is outside: components are compared, not letters."""
    assert root.locate(f"{root.path}/handbook") == root.locate("handbook")
    for outside in (tmp_path / "root2", tmp_path, Path("/")):
        with pytest.raises(CacheMissing):
            root.locate(str(outside))


def test_a_link_may_stay_inside_and_not_leave(root: CacheRoot, tmp_path: Path) -> None:
    inside = Path(root.path)
    (inside / "current").symlink_to("handbook")
    (inside / "out").symlink_to(tmp_path / "root2")
    (inside / "loop").symlink_to("loop")
    (inside / "dangling").symlink_to("nothing")
    assert root.locate("current") == root.locate("handbook")
    for name in ("out", "loop", "dangling", "out/.."):
        with pytest.raises(CacheMissing):
            root.locate(name)


def test_a_root_may_itself_be_a_link(root: CacheRoot, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root.path)
    linked = CacheRoot(tmp_path / "link")
    assert linked.locate("handbook") == root.locate("handbook")
    assert linked.locate(str(tmp_path / "link" / "handbook")) == root.locate("handbook")


def test_a_missing_root_holds_no_cache(tmp_path: Path) -> None:
    with pytest.raises(CacheMissing):
        CacheRoot(tmp_path / "nothing").locate("handbook")


def test_the_home_directory_may_be_written_short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert CacheRoot("~/caches").path == str(tmp_path / "caches")


def test_a_listed_root_says_where_it_is_below(root: CacheRoot) -> None:
    """So that the names of its listing are ones that `locate` accepts."""
    assert root.locate_root(".")[1] == ""
    assert root.locate_root("teams/")[1] == "teams"
    assert root.locate_root("teams/ops")[1] == "teams/ops"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_what_the_system_hides_is_an_io_error(root: CacheRoot) -> None:
    teams = Path(root.path) / "teams"
    teams.chmod(0)
    try:
        with pytest.raises(IoError):
            root.locate("teams/ops")
    finally:
        teams.chmod(stat.S_IRWXU)
