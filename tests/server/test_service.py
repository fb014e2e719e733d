"""What is said of a cache root before anyone asks."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import ctxcache
from ctxcache.server.service import RootedCaches

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_root_without_caches_is_told_with_what_makes_one(tmp_path: Path) -> None:
    """Each call of an agent would say no more than `cache_missing`."""
    root = tmp_path / "our caches"
    makes_one = f"`ctx build FOLDER --cache {shlex.quote(str(root / 'NAME'))}` makes one"
    missing = f"there is no directory {root}: every cache is missing until {makes_one}"
    assert RootedCaches(root).problem() == missing
    root.mkdir()
    (root / "drafts").mkdir()
    assert RootedCaches(root).problem() == f"there is no cache in {root}; {makes_one}"


def test_a_cache_that_is_named_as_the_root_is_told_with_the_root(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nText.\n")
    ctxcache.build(tmp_path / "docs", tmp_path / "caches" / "docs")
    assert RootedCaches(tmp_path / "caches").problem() == ""
    said = RootedCaches(tmp_path / "caches" / "docs").problem()
    assert said.endswith(f"what is served lies in a cache root: serve {tmp_path / 'caches'}")


def test_a_root_that_cannot_be_read_is_not_called_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server starts all the same, and answers when the disk does."""

    def refused(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", refused)
    said = RootedCaches(tmp_path).problem()
    assert said == f"{tmp_path}: Permission denied: no cache is found until the system lets it be read"
