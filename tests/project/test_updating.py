"""Bringing the caches of a project up to date."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.errors import UsageError
from ctxcache.project.caches import MostlyGone
from ctxcache.project.project import require_project

if TYPE_CHECKING:
    from pathlib import Path


def test_only_what_is_stale_is_built(project: Path) -> None:
    cache = require_project(project).cache("handbook")
    assert cache.freshness().state == "missing"
    first = cache.update()
    assert first.report is not None and first.report.sources == 4
    before = {path: path.stat().st_mtime_ns for path in cache.directory.iterdir()}
    assert cache.update().report is None
    assert {path: path.stat().st_mtime_ns for path in cache.directory.iterdir()} == before
    assert cache.update(force=True).report is not None


def test_a_checkout_is_no_change(project: Path) -> None:
    """New times, new inodes, no record of the build: the content is the same."""
    require_project(project).cache("handbook").update()
    copy = project.parent / "copy"
    for path in sorted(project.rglob("*"), reverse=True):
        if path.is_file() and "records" not in path.parts:
            target = copy / path.relative_to(project)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            os.utime(target, (1, 1))
    assert not (copy / ".ctx/records").exists()
    assert require_project(copy).cache("handbook").freshness().fresh


def test_sources_that_are_not_there_are_a_problem_of_the_cache(project: Path) -> None:
    cache = require_project(project).cache("handbook")
    cache.update()
    shutil.rmtree(project / "docs")
    found = cache.freshness()
    assert (found.state, "no such folder" in found.problem) == ("invalid", True)
    with pytest.raises(UsageError, match="no such folder"):
        cache.update()
    assert ctxcache.verify(cache.directory).valid


def test_another_configuration_makes_a_cache_stale(project: Path) -> None:
    require_project(project).cache("handbook").update()
    text = (project / "ctx.toml").read_text("utf-8")
    (project / "ctx.toml").write_text(text.replace('"bytes4"', '"o200k_base"\nsplit = "none"'), "utf-8")
    cache = require_project(project).cache("handbook")
    found = cache.freshness()
    assert found.state == "stale" and not (found.added or found.removed or found.changed)
    assert found.configuration == (
        "tokenizer: was bytes4, is o200k_base",
        "split: was mode auto, max_tokens 300, name sections-2, is mode none",
    )
    assert found.summary == "configured otherwise"
    cache.update()
    assert cache.freshness().fresh


def test_a_cache_of_format_1_is_fresh_once_built(project: Path) -> None:
    (project / "ctx.toml").write_text('[caches.handbook]\nsources = "docs"\nprofile = "v0"\n', "utf-8")
    cache = require_project(project).cache("handbook")
    assert cache.update().report is not None
    assert cache.freshness().fresh


def test_a_damaged_cache_is_built_from_nothing(project: Path) -> None:
    cache = require_project(project).cache("handbook")
    cache.update()
    (file,) = cache.directory.glob("documents-*.jsonl")
    sound = file.read_bytes()
    file.write_bytes(b"xx" + sound[2:])
    assert cache.update().before.state == "invalid"
    assert file.read_bytes() == sound and cache.freshness().fresh


def test_a_cache_is_of_its_sources_by_its_record_or_by_half_of_them(project: Path) -> None:
    """A clone has no record; and one page that two folders share proves nothing."""
    cache = require_project(project).cache("handbook")
    assert not cache.is_of_sources()
    cache.update()
    for page in ("index.md", "oncall.md"):
        (project / "docs" / page).unlink()
    shutil.rmtree(project / ".ctx/records")
    assert cache.is_of_sources()
    assert not replace(cache, config=replace(cache.config, split="none")).is_of_sources()
    (project / "docs/deploy/guide.md").unlink()
    assert not cache.is_of_sources()
    (project / "docs/new.md").write_text("# New\n")
    cache.update()
    (project / "docs/new.md").unlink()
    assert replace(cache, config=replace(cache.config, split="none")).is_of_sources()


def test_a_cache_whose_sources_are_mostly_gone_can_be_left_as_it_was(project: Path) -> None:
    """They may be on their way somewhere else."""
    cache = require_project(project).cache("handbook")
    cache.update()
    shutil.rmtree(project / "docs/deploy")
    assert cache.update(allow_mostly_gone=False).report is not None
    (project / "docs/index.md").unlink()
    assert cache.update(allow_mostly_gone=False).report is not None
    (project / "docs/new.md").write_text("# New\n")
    (project / "docs/oncall.md").unlink()
    with pytest.raises(MostlyGone, match="1 of 1 sources are gone, so the cache stays as it was"):
        cache.update(allow_mostly_gone=False)
    assert cache.freshness().removed == ("oncall.md",)
    assert cache.update(force=True, allow_mostly_gone=False).report is not None
