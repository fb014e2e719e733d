"""Replacing a user's file: what is around its bytes stays, and what others do with it is noticed."""

from __future__ import annotations

import errno
import os
import stat
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from ctxcache import locks, safeio
from ctxcache.safeio import (
    ChangedMeanwhile,
    exists,
    is_directory,
    is_file,
    new_directory_beside,
    read_bytes,
    replace_bytes,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX files")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "settings"
    path.write_bytes(b"before")
    return path


@posix
def test_what_is_at_a_path_is_told_apart_from_nothing(file: Path) -> None:
    link, nowhere = file.with_name("link"), file.with_name("nowhere")
    link.symlink_to(file.name)
    nowhere.symlink_to("missing")
    asked: list[str | Path] = [
        file.parent,
        file,
        link,
        nowhere,
        file.with_name("missing"),
        file / "below",
        "a\0b",
    ]
    assert [is_directory(path) for path in asked] == [True, False, False, False, False, False, False]
    assert [is_file(path) for path in asked] == [False, True, True, False, False, False, False]
    assert [exists(path) for path in asked] == [True, True, True, True, False, False, False]


@pytest.mark.parametrize("ask", [exists, is_directory, is_file])
@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO], ids=["EACCES", "EIO"])
def test_what_the_system_does_not_tell_of_is_not_taken_for_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Path], bool], number: int
) -> None:
    refuse_to_look_at(file, monkeypatch, number)
    with pytest.raises(OSError, match=str(file)):
        ask(file)


def test_a_file_that_cannot_be_looked_at_is_not_replaced(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its permissions and its links would be lost."""
    with monkeypatch.context() as patch, pytest.raises(OSError, match=str(file)):
        refuse_to_look_at(file, patch, errno.EIO)
        replace_bytes(file, b"after")
    assert file.read_bytes() == b"before"


def refuse_to_look_at(file: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    look = os.stat

    def look_or_fail(path: Any, **options: Any) -> os.stat_result:
        if path == file:
            raise OSError(number, os.strerror(number), str(file))
        return look(path, **options)

    monkeypatch.setattr(os, "stat", look_or_fail)


def test_a_file_that_another_program_wrote_meanwhile_is_left_to_it(file: Path) -> None:
    with pytest.raises(ChangedMeanwhile):
        replace_bytes(file, b"after", expected=b"as read")
    assert file.read_bytes() == b"before"
    replace_bytes(file, b"after", expected=b"before")
    assert file.read_bytes() == b"after"
    assert list(file.parent.iterdir()) == [file]


@posix
def test_all_links_to_a_file_still_lead_to_one_file(file: Path) -> None:
    other = file.with_name("other")
    other.hardlink_to(file)
    replace_bytes(file, b"x")
    assert other.read_bytes() == b"x"
    assert file.samefile(other)


@posix
@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="only root may give a file away")
def test_a_file_that_root_replaces_keeps_its_owner_and_permissions(file: Path) -> None:
    os.chown(file, 1234, 2345)
    file.chmod(0o4640)
    replace_bytes(file, b"x")
    status = file.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 2345, 0o4640)


@posix
def test_a_file_whose_owner_cannot_be_kept_is_written_where_it_is(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Other:
        st_uid = st_gid = 9999

    def refuse(*_: object) -> None:
        raise PermissionError

    inode = file.stat().st_ino
    real = os.fstat
    monkeypatch.setattr("os.fchown", refuse)
    monkeypatch.setattr("os.fstat", lambda descriptor: Other if file.exists() else real(descriptor))
    replace_bytes(file, b"x")
    monkeypatch.undo()
    assert (file.stat().st_ino, file.read_bytes()) == (inode, b"x")


@posix
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="not a regular file"):
        read_bytes(tmp_path / "pipe")


def test_a_file_has_a_largest_size(file: Path) -> None:
    assert read_bytes(file, limit=6) == b"before"
    with pytest.raises(ValueError, match="larger than"):
        read_bytes(file, limit=5)


@posix
def test_what_a_killed_run_left_behind_is_removed_and_what_another_run_writes_is_not(file: Path) -> None:
    import fcntl

    left = file.with_name(f".settings.{'0' * 16}.new")
    held = file.with_name(f".settings.{'1' * 16}.new")
    left.write_bytes(b"half")
    with held.open("xb") as writing:
        fcntl.flock(writing, fcntl.LOCK_EX)
        replace_bytes(file, b"x")
        assert sorted(file.parent.iterdir()) == [held, file]


@posix
def test_a_new_file_that_another_run_is_about_to_remove_is_waited_for_and_made_anew(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other takes it for one that a killed run left, before it is locked here."""
    import fcntl

    first = file.with_name(f".settings.{'0' * 16}.new")
    names = iter((first, file.with_name(f".settings.{'1' * 16}.new")))
    wait, waited = locks.wait_for_lock, list[Thread]()

    def wait_while_it_is_removed(descriptor: int) -> bool:
        if waited:
            return wait(descriptor)
        with first.open("rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)

            def remove() -> None:
                first.unlink()
                fcntl.flock(other, fcntl.LOCK_UN)

            waited.append(Thread(target=remove))
            waited[0].start()
            return wait(descriptor)

    monkeypatch.setattr(safeio, "_new_name", lambda _: next(names))
    monkeypatch.setattr(safeio, "wait_for_lock", wait_while_it_is_removed)
    replace_bytes(file, b"x")
    assert (file.read_bytes(), list(file.parent.iterdir())) == (b"x", [file])


@posix
def test_a_directory_that_another_run_writes_is_left_to_it(tmp_path: Path) -> None:
    target = tmp_path / "cache"
    with new_directory_beside(target) as one:
        (one / "file").touch()
        with new_directory_beside(target) as other:
            assert one != other and (one / "file").exists()
            other.rename(target)
        assert sorted(tmp_path.iterdir()) == sorted([one, target])
    assert list(tmp_path.iterdir()) == [target]


@posix
def test_a_file_is_on_the_disk_before_it_takes_the_place(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a power cut could leave an empty file under the name of the old one."""
    synced: dict[int, tuple[int, bytes]] = {}
    sync = os.fsync

    def noted(descriptor: int) -> None:
        found = os.fstat(descriptor)
        synced[found.st_ino] = found.st_size, file.read_bytes()
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    replace_bytes(file, b"after it")
    assert synced[file.stat().st_ino] == (len(b"after it"), b"before")
