"""`ctx inspect`, `ctx list`, `ctx verify`: looking at caches from outside."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from subprocess import CompletedProcess
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.tui.catalog import read_catalog

if TYPE_CHECKING:
    from pathlib import Path

Ctx = Callable[..., CompletedProcess[str]]


def test_inspect_writes_what_the_library_serializes(ctx: Ctx, cache: str) -> None:
    inspection = ctxcache.inspect_cache(cache)
    assert ctx("inspect", "-c", cache).stdout == inspection.to_json()
    assert ctx("inspect", "-c", cache, "--format", "pretty").stdout == inspection.to_pretty()


def test_inspect_in_words(ctx: Ctx, cache: str, tmp_path: Path) -> None:
    shown = ctx("inspect", "-c", cache, "--format", "table").stdout
    assert "documents  4\n" in shown and "structure  valid\n" in shown
    empty = ctx("inspect", "-c", str(tmp_path), "--format", "table")
    assert empty.returncode == 0 and "not valid" in empty.stdout


@pytest.fixture
def root(tmp_path: Path, cache: str) -> Path:
    """A cache root with a cache, a folder that is none, and a folder of caches."""
    shutil.copytree(cache, tmp_path / "docs")
    shutil.copytree(cache, tmp_path / "team" / "docs")
    (tmp_path / "empty \x1b[2J").mkdir()
    return tmp_path


def test_list_writes_what_the_library_serializes(ctx: Ctx, root: Path) -> None:
    listing = ctxcache.list_caches(root)
    assert ctx("list", str(root)).stdout == listing.to_json()
    assert ctx("list", "--cache-root", str(root)).stdout == listing.to_json()
    assert ctx("list", str(root), "--format", "pretty").stdout == listing.to_pretty()


def test_list_below_the_root_gives_names_that_the_root_understands(ctx: Ctx, root: Path) -> None:
    """C6: what is listed can be handed to the other commands."""
    ran = ctx("list", "--cache-root", str(root), "team")
    assert ran.stdout == '{"caches":[{"path":"team/docs","has_manifest":true}]}\n'
    assert ctx("inspect", "--cache-root", str(root), "-c", "team/docs").returncode == 0
    assert ctx("list", "--cache-root", str(root), "..").returncode == 4


def test_list_in_words_spells_names_out(ctx: Ctx, root: Path) -> None:
    shown = ctx("list", str(root), "--format", "table").stdout
    assert (
        shown == "docs\nempty \\x1b[2J  no manifest: not a cache\nteam           no manifest: not a cache\n"
    )


def test_a_project_without_caches_is_told_how_to_make_one(
    ctx: Ctx, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ctx.toml").touch()
    monkeypatch.chdir(tmp_path)
    ran = ctx("list")
    assert ran.returncode == 4 and "`ctx build FOLDER` makes one" in ran.stderr


def test_verify_says_that_all_is_well(ctx: Ctx, cache: str) -> None:
    ran = ctx("verify", "-c", cache)
    assert (ran.returncode, ran.stdout) == (0, "valid · 4 documents checked\n")


def test_verify_says_how_deep_it_looked(ctx: Ctx, cache: str) -> None:
    told = {
        "--quick": "valid · files checked, not what is in them\n",
        "--deep": "valid · 4 documents checked and analysed again\n",
    }
    for option, words in told.items():
        ran = ctx("verify", "-c", cache, option, "--jobs", "1")
        assert (ran.returncode, ran.stdout) == (0, words)
    assert ctx("verify", "-c", cache, "--quick", "--deep").returncode == 1
    assert ctx("verify", "-c", cache, "--jobs", "0").returncode == 1


def test_verify_names_a_fault_and_ends_as_an_invalid_cache_does(ctx: Ctx, root: Path) -> None:
    (index,) = (root / "docs").glob("index-*.bin")
    data = bytearray(index.read_bytes())
    data[5000] ^= 1
    index.write_bytes(data)
    ran = ctx("verify", "-c", str(root / "docs"))
    assert ran.returncode == 5
    assert ran.stdout.startswith(f"files: {index.name}: ") and ran.stdout.endswith(
        "not valid · 4 documents checked; `ctx build SOURCES --cache DIR --force` makes it anew\n"
    )
    assert ctx("verify", "-c", str(root / "docs"), "--format", "json").stdout.startswith('{"valid":false,')
    assert ctx("verify", "-c", str(root / "gone")).returncode == 4


@pytest.mark.skipif(os.name == "nt", reason="no permission keeps a directory from being read there")
def test_a_directory_that_cannot_be_looked_into_is_told(ctx: Ctx, unprivileged: Path) -> None:
    """It is listed, as the specification has it, and no one takes it for a directory without a manifest."""
    (unprivileged / "shut").mkdir()
    (unprivileged / "shut" / "manifest.json").write_text("{}", "utf-8")
    (unprivileged / "shut").chmod(0)
    ran = ctx("list", str(unprivileged))
    assert (ran.returncode, ran.stdout) == (0, '{"caches":[{"path":"shut","has_manifest":false}]}\n')
    problem = "cannot be read (Permission denied)"
    assert ran.stderr == f"warning: shut: {problem}, so whether it is a cache is not known\n"
    assert ctx("list", str(unprivileged), "--format", "table").stdout == f"shut  {problem}\n"
    assert [cache.name for cache in read_catalog(str(unprivileged)).caches] == ["shut"]
