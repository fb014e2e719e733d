"""What builds that did not end leave behind, and file systems that lack what builds rely on."""

from __future__ import annotations

import errno
import json
import os
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.compile import GivenText
from ctxcache.cache.publish import remove_leftovers
from ctxcache.locks import LockFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONFIG = BuildConfig(tokenizer="bytes4")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A sound cache with the leftovers of a killed build and of a failed publish beside it."""
    ctxcache.build([GivenText("a.md", "A", "one page")], tmp_path / "cache", config=CONFIG)
    (tmp_path / "cache" / ".build-abcdefgh").mkdir()
    (tmp_path / "cache" / ".build-abcdefgh" / "lock").touch()
    (tmp_path / "cache" / ".build-abcdefgh" / "lines").write_bytes(b"half a line")
    (tmp_path / "cache" / "index-0123456789ab.bin").write_bytes(b"of a publish that failed")
    return tmp_path / "cache"


def test_leftovers_are_notes_and_not_faults(cache: Path) -> None:
    verification = ctxcache.verify(cache)
    assert verification.valid
    assert [note.partition(":")[0] for note in verification.notes] == [
        "'.build-abcdefgh'",
        "'index-0123456789ab.bin'",
    ]


def test_leftovers_are_removed_and_nothing_else(cache: Path) -> None:
    (cache / "notes.txt").write_text("mine")
    before = {path.name for path in cache.iterdir()} - {".build-abcdefgh", "index-0123456789ab.bin"}
    remove_leftovers(cache)
    assert {path.name for path in cache.iterdir()} == before


def test_what_a_running_build_has_made_stays(cache: Path) -> None:
    """It holds its lock, which a kill would have freed."""
    (cache / ".build-zyxwvuts").mkdir()
    running = LockFile(cache / ".build-zyxwvuts" / "lock")
    try:
        assert ctxcache.verify(cache).valid
        remove_leftovers(cache)
        assert [path.name for path in cache.glob(".build-*")] == [".build-zyxwvuts"]
    finally:
        running.release()


def test_nothing_is_removed_where_the_manifest_says_nothing(cache: Path) -> None:
    (cache / "manifest.json").write_text("{")
    before = sorted(path.name for path in cache.iterdir())
    remove_leftovers(cache)
    assert sorted(path.name for path in cache.iterdir()) == before


def refuse(
    function: Callable[..., object], number: int, refused: Callable[[int], bool]
) -> Callable[..., object]:
    """`function` on a file system that refuses it for some descriptors."""

    def call(descriptor: int, *arguments: object) -> object:
        if refused(descriptor):
            raise OSError(number, os.strerror(number))
        return function(descriptor, *arguments)

    return call


@pytest.mark.skipif(os.name == "nt", reason="there are no locks of directories there")
@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """As some network file systems are: the build works, and says what it cannot promise."""
    import fcntl

    monkeypatch.setattr(fcntl, "flock", refuse(fcntl.flock, number, lambda _: True))
    for _ in range(2):
        report = ctxcache.build(
            [GivenText("a.md", "A", "one page")], tmp_path / "cache", config=CONFIG, force=True
        )
        assert [notice.message for notice in report.warnings] == [
            "the file system has no locks: let only one build write here at a time"
        ]
    assert ctxcache.verify(tmp_path / "cache").valid


@pytest.mark.skipif(os.name == "nt", reason="directories cannot be synced there")
@pytest.mark.parametrize("number", [errno.EINVAL, errno.EBADF])
def test_a_file_system_that_cannot_sync_directories_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """As some virtual machines' shared folders: files are synced, names are as safe as they get."""
    is_directory = lambda descriptor: os.path.isdir(f"/dev/fd/{descriptor}")  # noqa: E731, PTH112 - a descriptor
    monkeypatch.setattr(os, "fsync", refuse(os.fsync, number, is_directory))
    ctxcache.build([GivenText("a.md", "A", "one page")], tmp_path / "cache", config=CONFIG)
    assert ctxcache.verify(tmp_path / "cache").valid


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_other_refusals_of_a_sync_are_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(os, "fsync", refuse(os.fsync, number, lambda _: True))
    with pytest.raises(ctxcache.IoError, match=os.strerror(number)):
        ctxcache.build([GivenText("a.md", "A", "one page")], tmp_path / "cache", config=CONFIG)
    assert not (tmp_path / "cache").exists()


def test_a_manifest_that_is_too_large_is_refused_before_it_is_parsed(cache: Path) -> None:
    """Parsed, 240 MB of `[],` would take 6 GB of memory."""
    (cache / "manifest.json").write_bytes(b"[" + b"[]," * (6 << 20) + b"[]]")
    with pytest.raises(ctxcache.CacheInvalid, match="larger than 16,777,216 bytes"):
        ctxcache.open_cache(cache)
    assert not ctxcache.inspect_cache(cache).valid


def test_a_format_1_manifest_may_be_as_large_as_its_documents_need(tmp_path: Path) -> None:
    """1 MiB, and 8 KiB for each entry of the folder that it lists."""
    texts = [GivenText(f"{number}.md", "", f"page {number}") for number in range(3)]
    ctxcache.build(texts, tmp_path / "cache", config=BuildConfig(profile="v0"))
    manifest = tmp_path / "cache" / "manifest.json"
    allowed = (1 << 20) + 3 * (8 << 10)
    fields = json.loads(manifest.read_text("utf-8"))
    manifest.write_text(json.dumps(fields).ljust(allowed), "utf-8")
    assert ctxcache.open_cache(tmp_path / "cache").document_count == 3
    manifest.write_text(json.dumps(fields).ljust(allowed + 1), "utf-8")
    with pytest.raises(ctxcache.CacheInvalid, match="larger than"):
        ctxcache.open_cache(tmp_path / "cache")
