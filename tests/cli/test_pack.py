"""A cache as one file, what is refused of such files, and the two commands that tidy."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from ctxcache import build
from ctxcache.cache.publish import SCRATCH

Ctx = Callable[..., CompletedProcess[str]]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one cache, the current directory."""
    (tmp_path / "docs").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "docs/pager.md").write_text("# Pager\n\nThe pager wakes you.\n")
    build(tmp_path / "docs", tmp_path / ".ctx/caches/handbook")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(directory: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(directory).iterdir() if path.is_file()}


@pytest.mark.parametrize("profile", ["v2", "v0"])
def test_a_cache_comes_back_from_its_file_byte_for_byte(ctx: Ctx, profile: str) -> None:
    ctx("build", "docs", "-c", "caches/one", "--profile", profile)
    digest = ctx("pack", "-c", "caches/one", "-o", "one.tar").stdout.strip()
    assert ctx("pack", "-c", "caches/one", "-o", "again.tar").stdout.strip() == digest
    assert Path("one.tar").read_bytes() == Path("again.tar").read_bytes()
    ran = ctx("unpack", "one.tar", "--digest", f"sha256:{digest}", "-c", "two")
    assert (ran.returncode, ran.stderr) == (0, "unpacked two: 1 document\n")
    assert ctx("verify", "-c", "two").returncode == 0
    assert sorted(map(str, Path("two").rglob("*"))) == sorted(
        str(path).replace("caches/one", "two") for path in Path("caches/one").rglob("*")
    )


def test_a_file_of_another_digest_leaves_nothing(ctx: Ctx, project: Path) -> None:
    ctx("pack")
    ran = ctx("unpack", "handbook.ctx.tar", "--digest", "0" * 64, "-c", "two")
    assert (ran.returncode, "not 0000" in ran.stderr) == (5, True)
    assert ctx("unpack", "handbook.ctx.tar", "--digest", "xyz").returncode == 1
    assert sorted(path.name for path in project.iterdir()) == [".ctx", ".git", "docs", "handbook.ctx.tar"]


def test_a_directory_that_is_there_is_not_replaced(ctx: Ctx) -> None:
    ctx("pack")
    assert ctx("unpack", "handbook.ctx.tar").returncode == 1


@pytest.mark.skipif(os.name == "nt", reason="nothing is known there of who holds a file")
def test_what_killed_commands_left_is_removed_by_the_next(ctx: Ctx, project: Path) -> None:
    (project / f".two.{'0' * 16}.new").mkdir()
    (project / f".two.{'0' * 16}.new" / "manifest.json").touch()
    (project / f".handbook.ctx.tar.{'0' * 16}.new").touch()
    assert ctx("pack").returncode == 0
    assert ctx("unpack", "handbook.ctx.tar", "-c", "two").returncode == 0
    names = [".ctx", ".git", "docs", "handbook.ctx.tar", "two"]
    assert sorted(path.name for path in project.iterdir()) == names


@pytest.mark.parametrize("name", ["../out", "/tmp/out", "a/b", "documents/../../out", "", ".."])
def test_a_member_that_is_no_file_of_a_cache_is_refused(ctx: Ctx, project: Path, name: str) -> None:
    with tarfile.open("bad.tar", "w") as archive:
        member = tarfile.TarInfo(name)
        member.size = 1
        archive.addfile(member, io.BytesIO(b"x"))
    ran = ctx("unpack", "bad.tar", "-c", "inner/two")
    assert (ran.returncode, ran.stderr.count("\n")) == (5, 1)
    assert not list(project.rglob("out")) and list(Path("inner").iterdir()) == []


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_a_member_that_is_no_regular_file_is_refused(ctx: Ctx, kind: bytes) -> None:
    with tarfile.open("bad.tar", "w") as archive:
        member = tarfile.TarInfo("manifest.json")
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
    assert ctx("unpack", "bad.tar", "-c", "two").returncode == 5
    assert not Path("two").exists()


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_headers_that_extend_headers_without_end_are_refused(ctx: Ctx, kind: bytes) -> None:
    """`tarfile` reads each of them inside the one before, until the stack is full."""
    member = tarfile.TarInfo("manifest.json")
    member.type, member.size = kind, 11
    extended = member.tobuf(tarfile.GNU_FORMAT) + b"11 path=ab\n".ljust(tarfile.BLOCKSIZE, b"\0")
    Path("bad.tar").write_bytes(extended * 3000)
    ran = ctx("unpack", "bad.tar", "-c", "two")
    assert (ran.returncode, ran.stderr.count("\n"), Path("two").exists()) == (5, 1, False)
    assert "holds what no cache holds" in ran.stderr


@pytest.mark.parametrize("name", [".tar", "..tar", "...tar"])
def test_a_file_whose_name_names_no_cache_needs_the_directory(ctx: Ctx, name: str) -> None:
    ctx("pack", "-o", name)
    ran = ctx("unpack", name)
    assert (ran.returncode, "--cache" in ran.stderr) == (1, True)
    assert ctx("unpack", name, "-c", "two").returncode == 0


def test_a_damaged_or_foreign_file_is_one_line(ctx: Ctx) -> None:
    ctx("pack")
    data = Path("handbook.ctx.tar").read_bytes()
    for bad in (b"", b"no archive", data[:700], data.replace(b"pager", b"pagan")):
        Path("bad.tar").write_bytes(bad)
        ran = ctx("unpack", "bad.tar", "-c", "two")
        assert (ran.returncode, ran.stderr.count("\n"), Path("two").exists()) == (5, 1, False)


def test_cleaning_removes_leftovers_and_no_cache(ctx: Ctx) -> None:
    before = contents(".ctx/caches/handbook")
    Path(f".ctx/caches/handbook/{SCRATCH}01234567").mkdir()
    Path(".ctx/records").mkdir(exist_ok=True)
    Path(".ctx/records/gone-0123456789ab.json").write_text("{}")
    assert "would be removed" in ctx("clean", "--dry-run").stderr
    assert Path(".ctx/records/gone-0123456789ab.json").exists()
    ctx("clean")
    assert contents(".ctx/caches/handbook") == before
    assert not list(Path(".ctx/records").glob("gone-*"))
    assert not list(Path(".ctx/caches/handbook").glob(f"{SCRATCH}*"))


def test_the_doctor_names_what_to_do(ctx: Ctx) -> None:
    shown = ctx("doctor").stdout
    assert "cache handbook" in shown and "extra convert" in shown
    Path(".ctx/caches/handbook/manifest.json").write_text("{}")
    ran = ctx("doctor")
    assert (ran.returncode, "build it again" in ran.stdout) == (8, True)


def test_the_doctor_names_a_cache_that_has_moved(ctx: Ctx) -> None:
    """What was built before lies there still, and a server would serve it."""
    Path("ctx.toml").write_text('[caches.handbook]\nsources = "docs"\ncache = "made/handbook"\n')
    ran = ctx("doctor")
    told = "remove it: the configuration has handbook elsewhere"
    assert (ran.returncode, told in ran.stdout) == (8, True)


def test_the_doctor_survives_a_faulty_configuration(ctx: Ctx) -> None:
    Path("ctx.toml").write_text("[caches.x]\nsourcez = 1\n")
    ran = ctx("doctor")
    assert (ran.returncode, "ctx.toml" in ran.stdout) == (8, True)


def test_a_command_that_is_told_names_a_path_as_a_shell_reads_it(ctx: Ctx) -> None:
    """It is there to be copied, by people and by agents; a name may have been made to deceive."""
    Path("a; touch b").mkdir()
    assert "`ctx unpack 'a; touch b/x.tar' --digest " in ctx("pack", "-o", "a; touch b/x.tar").stderr
    Path("ctx.toml").write_text('[caches.x]\nsources = "docs"\ncache = "c; touch d/x"\n', "utf-8")
    assert "`ctx list 'c; touch d'` lists it" in ctx("list", "--format", "table").stderr
