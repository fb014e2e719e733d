"""Synonyms of a cache's author: validated, kept in the cache, used in every query, told by `why`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.errors import CacheInvalid
from ctxcache.project.project import require_project
from ctxcache.project.toml_file import ConfigurationError
from ctxcache.resolver.query_tests import QueryTest, run_tests

if TYPE_CHECKING:
    from pathlib import Path

    from ctxcache import Cache


def built(project: Path, synonyms: str) -> Cache:
    """The cache of the project with these lines below `[caches.handbook.synonyms]`."""
    text = (project / "ctx.toml").read_text("utf-8")
    head, tests = text.split("[[tests]]")
    text = f"{head}[caches.handbook.synonyms]\n{synonyms}\n\n[[tests]]{tests}"
    (project / "ctx.toml").write_text(text, "utf-8")
    cache = require_project(project).cache("handbook")
    cache.update()
    return ctxcache.open_cache(cache.directory)


def test_a_synonym_finds_what_the_documents_call_otherwise(project: Path) -> None:
    """One way: the word of the documents does not find that of the query."""
    cache = built(project, 'beeper = ["pager", "on call"]')
    result = cache.resolve("beeper", 1000)
    assert [document.id for document in result.documents] == ["oncall.md"]
    assert result.documents[0].why.query_terms == ["pager", "call"]
    tree = json.dumps(cache.explain("beeper").entry(1).reason.to_dict(), ensure_ascii=False)
    assert "`pager` (a synonym of beeper in this cache)" in tree
    assert "synonym" not in json.dumps(cache.explain("pager").entry(1).reason.to_dict())


def test_what_the_caller_gives_stays_an_alternative(project: Path) -> None:
    cache = built(project, 'beeper = ["pager"]')
    tree = json.dumps(cache.explain("beeper night; also: pager").entry(1).reason.to_dict())
    assert "`pager` (an alternative)" in tree and "synonym" not in tree


def test_synonyms_are_part_of_what_a_cache_is(project: Path) -> None:
    """Another one makes the cache stale, and another version; the same is fresh, whatever the order."""
    first = built(project, 'beeper = ["pager"]\nundo = ["roll back"]').manifest
    assert first.synonyms == {"beeper": ["pager"], "undo": ["roll back"]}
    cache = require_project(project).cache("handbook")
    assert cache.freshness().fresh and ctxcache.verify(cache.directory).valid
    text = (project / "ctx.toml").read_text("utf-8")
    lines = 'beeper = ["pager"]\nundo = ["roll back"]'
    (project / "ctx.toml").write_text(text.replace(lines, "\n".join(lines.split("\n")[::-1])), "utf-8")
    assert require_project(project).cache("handbook").freshness().fresh
    (project / "ctx.toml").write_text(text.replace('["pager"]', '["night"]'), "utf-8")
    changed = require_project(project).cache("handbook")
    assert changed.freshness().state == "stale"
    changed.update()
    assert ctxcache.open_cache(changed.directory).manifest.cache_version != first.cache_version


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('limit = "quota"', "list"),
        ("limit = []", "needs 1 to 32 other words"),
        ('limit = ["quota", 1]', "string"),
        ('limit = ["--"]', "holds no word"),
        ('"?" = ["quota"]', "holds no word"),
        ('limit = ["a\\nb"]', "text in one line"),
    ],
)
def test_what_is_no_synonym_is_refused_with_its_line(project: Path, line: str, problem: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        built(project, line)
    assert problem in str(refused.value) and "synonyms" in str(refused.value)


@pytest.mark.parametrize("synonyms", [[], {"a": "b"}, {"a": [1]}, "x"])
def test_a_manifest_with_other_synonyms_is_no_cache(project: Path, synonyms: object) -> None:
    path = built(project, 'beeper = ["pager"]').path
    with open(f"{path}/manifest.json", encoding="utf-8") as file:  # noqa: PTH123 - a cache tells its path as text
        manifest = json.load(file)
    manifest["build_config"]["synonyms"] = synonyms
    with open(f"{path}/manifest.json", "w", encoding="utf-8") as file:  # noqa: PTH123 - as above
        json.dump(manifest, file)
    with pytest.raises(CacheInvalid, match="synonyms"):
        ctxcache.open_cache(path)


def test_a_failed_test_names_the_words_that_are_missing_and_those_that_may_be_meant(project: Path) -> None:
    cache = built(project, 'undo = ["roll back"]')
    test = QueryTest(cache="c", query="beeper rotation", expect=["oncall.md"], forbid=[])
    outcome = run_tests([test], lambda _: cache).outcomes[0]
    assert outcome.state == "failed"
    assert outcome.problems[1].startswith(
        "no section of oncall.md holds beeper, rotation; the rarest words of oncall.md are "
    )
    assert "pager" in outcome.problems[1]
