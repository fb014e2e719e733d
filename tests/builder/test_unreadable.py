"""Unreadable is not deleted: a build that cannot read a source fails and keeps the cache that is there."""

from __future__ import annotations

import errno
import os
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder import convert
from ctxcache.builder.convert import Converter
from ctxcache.builder.sources import tree
from ctxcache.cli.update import _Narrator
from ctxcache.errors import IoError, UsageError
from ctxcache.project.caches import ProjectCache
from ctxcache.project.initial import initial_configuration
from ctxcache.safeio import OpenFolder, read_below
from ctxcache.scopes.project import ScopeProject, scan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONFIG = BuildConfig(tokenizer="bytes4")


def contents(cache: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in cache.iterdir()}


@pytest.fixture
def built(tmp_path: Path) -> ProjectCache:
    """A cache of three pages."""
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("a", "b", "c"):
        (docs / f"{name}.md").write_text(f"# {name}\n\nA page.\n")
    cache = ProjectCache(
        name="docs", root=tmp_path, sources=docs, directory=tmp_path / "cache", config=CONFIG
    )
    cache.update()
    return cache


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int], None]:
    """Let the system refuse to read a file, whoever asks: root may read what nobody else may."""

    def refuse(name: str, number: int) -> None:
        read = read_below

        def read_or_fail(root: bytes, path: bytes, limit: int, folder: OpenFolder | None = None) -> bytes:
            if path == name.encode():
                raise OSError(number, os.strerror(number))
            return read(root, path, limit)

        monkeypatch.setattr(tree, "read_below", read_or_fail)

    return refuse


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO], ids=["EACCES", "EIO"])
def test_a_source_that_cannot_be_read_fails_the_build(
    built: ProjectCache, refuse: Callable[[str, int], None], number: int
) -> None:
    """Its documents would leave the cache although the file is there."""
    before = contents(built.directory)
    refuse("b.md", number)
    (built.sources / "c.md").write_text("# Changed\n")
    with pytest.raises(IoError, match=r"b\.md: unreadable .*--skip-unreadable"):
        built.update()
    with pytest.raises(IoError, match=r"b\.md: unreadable"):
        ctxcache.build(built.sources, built.directory, config=CONFIG, force=True)
    assert contents(built.directory) == before
    found = built.freshness()
    assert found.state == "invalid"
    assert found.problem.startswith("b.md: unreadable")


def test_what_cannot_be_read_may_be_left_out(
    built: ProjectCache, refuse: Callable[[str, int], None], tmp_path: Path
) -> None:
    refuse("b.md", errno.EIO)
    report = ctxcache.build(built.sources, tmp_path / "other", config=CONFIG, skip_unreadable=True)
    assert [(item.path, item.unreadable) for item in report.skipped] == [("b.md", True)]
    lenient = ProjectCache(
        name="docs", root=tmp_path, sources=built.sources, directory=built.directory, config=CONFIG,
        skip_unreadable=True,
    )  # fmt: skip
    updated = lenient.update()
    assert updated.before.changed == ("b.md",)
    assert contents(built.directory) == contents(tmp_path / "other")


def test_a_new_file_that_cannot_be_read_is_no_fresh_state(
    built: ProjectCache, refuse: Callable[[str, int], None]
) -> None:
    """Nobody knows whether it belongs into the cache."""
    (built.sources / "d.md").write_text("# New\n")
    refuse("d.md", errno.EACCES)
    assert built.freshness().state == "invalid"


def test_a_folder_that_cannot_be_listed_fails_the_build(
    built: ProjectCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    (built.sources / "inner").mkdir()
    listed = os.scandir

    def list_or_fail(path: bytes) -> object:
        if os.fsencode(path).endswith(b"inner/"):
            raise PermissionError(errno.EACCES, "no")
        return listed(path)

    monkeypatch.setattr(os, "scandir", list_or_fail)
    with pytest.raises(IoError, match=r"inner/: unreadable \(permission denied\)"):
        built.update()
    assert built.freshness().problem == "inner/: unreadable (permission denied)"


@pytest.fixture
def refuse_rules(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes, int], None]:
    """Let the system refuse an ignore file that ends so."""

    def refuse(ending: bytes, number: int) -> None:
        def read_or_fail(root: bytes, path: bytes, limit: int, folder: OpenFolder | None = None) -> bytes:
            if os.path.join(root, path).endswith(ending):  # noqa: PTH118 - these are bytes
                raise OSError(number, os.strerror(number))
            return read_below(root, path, limit)

        monkeypatch.setattr(tree, "read_below", read_or_fail)

    return refuse


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO], ids=["EACCES", "EIO"])
@pytest.mark.parametrize("file", ["inner/.gitignore", ".ctxignore"])
def test_contents_whose_ignore_file_cannot_be_read_never_enter(
    built: ProjectCache, refuse_rules: Callable[[bytes, int], None], number: int, file: str
) -> None:
    """Without its rules nobody knows what it keeps out: the build fails and the cache stays."""
    (built.sources / "inner").mkdir()
    (built.sources / "inner" / "secret.md").write_text("# Secret\n")
    (built.sources / file).write_text("secret.md\n")
    built.update()
    before = contents(built.directory)
    assert b"secret" not in b"".join(before.values())
    refuse_rules(file.encode(), number)
    for attempt in (built.update, partial(built.update, force=True)):
        with pytest.raises(IoError, match=rf"{re.escape(file)}: unreadable"):
            attempt()
    freshness = built.freshness()
    assert (freshness.state, f"{file}: unreadable" in freshness.problem) == ("invalid", True)
    assert contents(built.directory) == before


def test_a_folder_whose_ignore_file_cannot_be_read_is_left_out_on_request(
    built: ProjectCache, refuse_rules: Callable[[bytes, int], None], tmp_path: Path
) -> None:
    """All of it: what its rules keep out must not enter, and what they let in is not told apart."""
    (built.sources / "inner").mkdir()
    for name in (".gitignore", "secret.md", "open.md"):
        (built.sources / "inner" / name).write_text("secret.md\n")
    refuse_rules(b"inner/.gitignore", errno.EIO)
    report = ctxcache.build(built.sources, tmp_path / "other", config=CONFIG, skip_unreadable=True)
    assert b"inner" not in b"".join(path.read_bytes() for path in (tmp_path / "other").glob("documents-*"))
    assert [(item.path, item.rule) for item in report.skipped] == [
        ("inner/", "inner/.gitignore: unreadable (EIO)")
    ]


def test_a_scope_whose_ignore_file_cannot_be_read_is_like_one_that_cannot_be_listed(
    tmp_path: Path, refuse_rules: Callable[[bytes, int], None]
) -> None:
    """It tells of nothing that its rules may keep out, and the other scopes are told of as ever."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "secret.py").write_text("x" * 20_000)
        (tmp_path / name / ".gitignore").write_text("nothing\n")
    refuse_rules(b"one/.gitignore", errno.EACCES)
    assert [item.scope for item in scan(ScopeProject(tmp_path)).eligible] == [".", "two"]


@pytest.fixture
def converted(tmp_path: Path) -> ProjectCache:
    """A cache that somebody built with the extra, of a page and a document that is converted."""
    if convert.converter() is None:
        pytest.skip("the extra `convert` is not installed")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "page.md").write_text("# Page\n")
    (docs / "report.html").write_text("<h1>Report</h1>")
    cache = ProjectCache(
        name="docs", root=tmp_path, sources=docs, directory=tmp_path / "cache", config=CONFIG
    )
    cache.update()
    return cache


def test_without_the_extra_converted_documents_are_not_lost_in_silence(
    converted: ProjectCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A colleague who rebuilds what is committed is told what to install."""
    before = contents(converted.directory)
    monkeypatch.setattr(convert, "converter", lambda: None)
    (converted.sources / "page.md").write_text("# Changed\n")
    hint = r"report\.html: .*pip install 'ctxcache\[convert\]'.*--allow-missing-converter"
    with pytest.raises(UsageError, match=hint):
        converted.update()
    with pytest.raises(UsageError, match=hint):
        ctxcache.build(converted.sources, converted.directory, config=CONFIG, force=True)
    assert contents(converted.directory) == before
    found = converted.freshness()
    assert found.state == "invalid"
    assert "pip install 'ctxcache[convert]'" in found.problem and found.problem == found.summary


def test_converted_documents_may_be_given_up(
    converted: ProjectCache, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(convert, "converter", lambda: None)
    report = ctxcache.build(
        converted.sources, converted.directory, config=CONFIG, force=True, allow_missing_converter=True
    )
    assert report.sources == 1
    assert converted.freshness().fresh
    assert ctxcache.build(converted.sources, tmp_path / "new", config=CONFIG).sources == 1


def test_what_is_not_to_be_converted_needs_no_extra(
    converted: ProjectCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither where conversion is declined, nor where such documents are gone."""
    monkeypatch.setattr(convert, "converter", lambda: None)
    declined = BuildConfig(tokenizer="bytes4", convert=False)
    ctxcache.build(converted.sources, converted.directory, config=declined, force=True)
    (converted.sources / "report.html").unlink()
    ctxcache.build(converted.sources, converted.directory, config=CONFIG, force=True)


def test_converted_documents_are_reused_by_their_digest(
    converted: ProjectCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a clone, where no record tells the digests: conversion takes longest."""
    converted.record_file.unlink()
    (converted.sources / "page.md").write_text("# Changed\n")
    asked: list[str] = []
    convert_one = Converter.__call__

    def note(self: Converter, id_: str, data: bytes) -> list[convert.Converted] | str:
        asked.append(id_)
        return convert_one(self, id_, data)

    monkeypatch.setattr(Converter, "__call__", note)
    assert converted.update().report is not None
    assert asked == []
    ctxcache.build(converted.sources, converted.root / "nothing", config=CONFIG)
    assert asked == ["report.html"]
    assert contents(converted.directory) == contents(converted.root / "nothing")


def test_a_cache_that_cannot_be_read_is_no_cache_that_is_damaged(
    built: ProjectCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's refusal is told of the file; a watch tells it too, and goes on."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("hashlib.file_digest", refuse)
    (built.sources / "c.md").write_text("# Changed\n")
    found = built.freshness()
    assert found.is_blocked and re.search(r"(documents|index)-.*Input/output error", found.problem)
    told: list[str] = []
    monkeypatch.setattr("ctxcache.cli.update.narrate", told.append)
    _Narrator(None, force=False).update([built])
    assert len(told) == 1 and told[0].startswith("docs  failed")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO], ids=["EACCES", "EIO"])
def test_rules_above_a_folder_are_not_passed_over_where_the_repository_cannot_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Without its root nobody knows which ignore files keep what out."""
    (tmp_path / "docs").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("secret.md\n")
    (tmp_path / "docs" / "secret.md").write_text("# Secret\n")
    refuse_to_look_at(".git", monkeypatch, number)
    with pytest.raises(IoError, match=r"\.git: unreadable"):
        ctxcache.build(tmp_path / "docs", tmp_path / "cache", config=CONFIG)
    assert not (tmp_path / "cache").exists()


def test_a_folder_that_the_system_does_not_tell_of_is_not_called_missing(
    built: ProjectCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_to_look_at("docs", monkeypatch, errno.EACCES)
    with pytest.raises(IoError, match=r"docs: Permission denied"):
        ctxcache.build(built.sources, built.directory, config=CONFIG, force=True)


def refuse_to_look_at(ending: str, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    look = os.stat

    def look_or_fail(path: Any, **options: Any) -> os.stat_result:
        if not isinstance(path, int) and os.fsdecode(path).endswith(f"/{ending}"):
            raise OSError(number, os.strerror(number), path)
        return look(path, **options)

    monkeypatch.setattr(os, "stat", look_or_fail)


def test_a_first_configuration_says_what_it_was_made_without(
    built: ProjectCache, refuse: Callable[[str, int], None]
) -> None:
    """It would look complete otherwise."""
    refuse("docs/b.md", errno.EIO)
    text, unreadable = initial_configuration(built.root)
    assert '"a, c"' in text.replace("Docs of " + built.root.name + ": ", "")
    assert [(item.path, item.rule) for item in unreadable] == [("docs/b.md", "unreadable (EIO)")]


def test_sources_that_cannot_be_read_are_not_told_of_as_gone(
    built: ProjectCache, refuse_rules: Callable[[bytes, int], None]
) -> None:
    (built.sources / "inner").mkdir()
    for name in ("a.md", "b.md"):
        (built.sources / name).rename(built.sources / "inner" / name)
    (built.sources / "inner" / ".gitignore").touch()
    built.update()
    before = contents(built.directory)
    refuse_rules(b"inner/.gitignore", errno.EIO)
    with pytest.raises(UsageError, match=r"inner/\.gitignore: unreadable"):
        built.update(allow_mostly_gone=False)
    assert contents(built.directory) == before
