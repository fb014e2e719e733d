"""A cache against its sources, judged by content alone."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.convert import Converter
from ctxcache.builder.freshness import Freshness, StateFromCache, freshness
from ctxcache.builder.sources.source_filter import Rules
from ctxcache.cache.store import open_store
from ctxcache.errors import UsageError
from ctxcache.project.caches import ProjectCache

if TYPE_CHECKING:
    from pathlib import Path

CONFIGS = {
    "split": BuildConfig(tokenizer="bytes4"),
    "whole": BuildConfig(tokenizer="bytes4", split="none"),
    "format 1": BuildConfig(profile="v0"),
}


@pytest.fixture(params=CONFIGS)
def config(request: pytest.FixtureRequest) -> BuildConfig:
    """Each way to build."""
    return CONFIGS[request.param]


@pytest.fixture
def folder(folder: Path) -> Path:
    """The folder with one of everything, without the two empty pages that format 1 cannot hold."""
    (folder / "twin.md").unlink()
    return folder


@pytest.fixture
def cache(folder: Path, tmp_path: Path, config: BuildConfig) -> Path:
    """A cache of the folder."""
    ctxcache.build(folder, tmp_path / "cache", config=config)
    return tmp_path / "cache"


def judged(found: Freshness) -> tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return found.state, found.added, found.removed, found.changed


def test_what_was_just_built_is_fresh(folder: Path, cache: Path, config: BuildConfig) -> None:
    """What was skipped then is skipped now: it is no addition."""
    assert judged(freshness(folder, cache, config)) == ("fresh", (), (), ())


def test_times_do_not_count(folder: Path, cache: Path, config: BuildConfig) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (0, 0))
    shutil.move(folder, folder.with_name("moved"))
    assert freshness(folder.with_name("moved"), cache, config).fresh


def test_each_change_is_named(folder: Path, cache: Path, config: BuildConfig) -> None:
    (folder / "new.md").write_text("# New\n")
    (folder / "index.md").unlink()
    (folder / "guide.md").write_text((folder / "guide.md").read_text() + " ")
    assert judged(freshness(folder, cache, config)) == ("stale", ("new.md",), ("index.md",), ("guide.md",))


def test_a_file_that_cannot_be_read_any_more_has_changed(
    folder: Path, cache: Path, config: BuildConfig
) -> None:
    """It is not removed: it is there."""
    (folder / "index.md").write_bytes(b"\xff\xfe\xfa")
    assert judged(freshness(folder, cache, config)) == ("stale", (), (), ("index.md",))


def test_another_encoding_of_the_same_text_is_a_change(folder: Path, tmp_path: Path) -> None:
    """The document says how it was encoded."""
    config = CONFIGS["split"]
    ctxcache.build(folder, tmp_path / "cache", config=config)
    (folder / "index.md").write_bytes((folder / "index.md").read_text().encode("utf-8-sig"))
    assert freshness(folder, tmp_path / "cache", config).changed == ("index.md",)


def test_what_is_configured_otherwise_is_named(folder: Path, tmp_path: Path) -> None:
    ctxcache.build(folder, tmp_path / "cache", config=CONFIGS["split"])
    found = freshness(folder, tmp_path / "cache", CONFIGS["format 1"])
    assert (found.state, found.configuration[0]) == ("stale", "version: was 2, is 1")
    rules = Rules(exclude=("deploy/",))
    found = freshness(folder, tmp_path / "cache", BuildConfig(tokenizer="bytes4", rules=rules))
    assert (found.removed, found.configuration) == (("deploy/rollback.md",), ())


def test_a_cache_may_be_missing_or_damaged(
    folder: Path, cache: Path, config: BuildConfig, tmp_path: Path
) -> None:
    """Both are answers; sources that are not there are an error."""
    assert freshness(folder, tmp_path / "nowhere", config).state == "missing"
    (cache / "manifest.json").write_text("{")
    found = freshness(folder, cache, config)
    assert (found.state, "not JSON" in found.problem) == ("invalid", True)
    with pytest.raises(UsageError, match="no such folder"):
        freshness(tmp_path / "nowhere", cache, config)


def test_damage_of_a_file_makes_a_cache_invalid(folder: Path, tmp_path: Path) -> None:
    """Where its size is the same and no document is asked for, too: the manifest has its digest."""
    for name in ("documents-*.jsonl", "index-*.bin"):
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        ctxcache.build(folder, tmp_path / "cache", config=CONFIGS["split"])
        (file,) = (tmp_path / "cache").glob(name)
        file.write_bytes(file.read_bytes()[:-2] + b"xx")
        found = freshness(folder, tmp_path / "cache", CONFIGS["split"])
        assert (found.state, file.name in found.problem) == ("invalid", True)


def test_a_rebuild_meanwhile_is_no_damage(tmp_path: Path) -> None:
    """It takes away the files of the build before."""
    (tmp_path / "docs").mkdir()
    config = CONFIGS["split"]

    def build(number: int) -> None:
        (tmp_path / "docs/page.md").write_text(f"# Page {number}\n")
        ctxcache.build(tmp_path / "docs", tmp_path / "cache", config=config, force=True)

    build(0)
    with ThreadPoolExecutor(1) as pool:
        builds = [pool.submit(build, number) for number in range(1, 40)]
        states = set()
        while not builds[-1].done():
            states.add(freshness(tmp_path / "docs", tmp_path / "cache", config).state)
        assert all(done.result() is None for done in builds)
    assert states <= {"fresh", "stale"}


def test_front_matter_may_have_the_keys_of_our_metadata(tmp_path: Path, config: BuildConfig) -> None:
    """They are the author's words and say nothing about the source."""
    (tmp_path / "docs").mkdir()
    text = "---\nsource_line: first\nencoding: none\nsource_sha256: 0\n---\n# Page\n"
    (tmp_path / "docs/page.md").write_text(text)
    ctxcache.build(tmp_path / "docs", tmp_path / "cache", config=config)
    assert freshness(tmp_path / "docs", tmp_path / "cache", config).fresh


def test_line_ends_that_git_changed_are_told(tmp_path: Path) -> None:
    """As in a clone with `core.autocrlf`: with a record of the build, and without one."""
    docs, cache = tmp_path / "docs", tmp_path / "cache"
    docs.mkdir()
    for name in ("a.md", "b.md"):
        (docs / name).write_bytes(f"# {name}\n\nWords.\n".encode())
    project = ProjectCache(name="docs", root=tmp_path, sources=docs, directory=cache, config=CONFIGS["split"])
    project.update()
    (docs / "a.md").write_bytes(b"# a.md\r\n\r\nWords.\r\n")
    (docs / "b.md").write_bytes(b"# b.md\r\n\r\nOther words.\r\n")
    for _ in range(2):
        found = project.freshness()
        assert (found.changed, found.line_ends) == (("a.md", "b.md"), 1)
        assert found.summary == "2 changed, 1 of them in line ends alone"
        assert not found.unchanged
        project.record_file.unlink(missing_ok=True)
    project.update()
    ctxcache.build(docs, tmp_path / "anew", config=CONFIGS["split"])
    assert (cache / "manifest.json").read_bytes() == (tmp_path / "anew/manifest.json").read_bytes()


def test_a_file_of_one_long_line_is_fresh_when_it_was_just_built(tmp_path: Path) -> None:
    """Its tenth part sorts before the second by its id, and both begin in the same line."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/line.md").write_text(" ".join(map(str, range(1000))))
    config = BuildConfig(tokenizer="bytes4", max_tokens=90)
    report = ctxcache.build(tmp_path / "docs", tmp_path / "cache", config=config)
    assert report.documents > 10
    assert freshness(tmp_path / "docs", tmp_path / "cache", config).fresh


def test_the_sources_of_a_cache_are_listed_once(folder: Path, tmp_path: Path) -> None:
    """They are asked for with each file: to list them then made the time grow with its square."""
    ctxcache.build(folder, tmp_path / "cache", config=CONFIGS["split"])
    store = open_store(str(tmp_path / "cache"))
    with Converter() as convert:
        state = StateFromCache(store, Rules(), convert)
        assert state.ids is state.ids
