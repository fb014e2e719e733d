"""A cache of several source folders."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.builder.sources.walk import explain_path
from ctxcache.errors import UsageError
from ctxcache.project.project import Project, require_project
from ctxcache.project.revisions import build_revision
from ctxcache.project.toml_file import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path


def configured(project: Path, sources: str, more: str = "") -> Project:
    (project / "ctx.toml").write_text(
        f'[caches.all]\nsources = {sources}\ntokenizer = "bytes4"\nsplit = "none"\n{more}', "utf-8"
    )
    return require_project(project)


def built(project: Project) -> list[str]:
    """The documents of the cache, brought up to date."""
    project.cache("all").update()
    return [document.id for document in project.open("all").documents()]


@pytest.fixture
def rfcs(project: Path) -> Path:
    """A second folder, a page that belongs to neither, and an ignore file above both."""
    (project / "specs/rfcs").mkdir(parents=True)
    (project / "specs/rfcs/one.md").write_text("# One\n")
    (project / "specs/rfcs/draft.md").write_text("# Draft\n")
    (project / "README.md").write_text("# Read me\n")
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("draft.md\n")
    return project / "specs/rfcs"


def test_ids_begin_with_the_folder(project: Path, rfcs: Path) -> None:
    """Also in a list of one; patterns match ids."""
    pages = ["docs/deploy/guide.md", "docs/deploy/rollback.md", "docs/index.md", "docs/oncall.md"]
    assert built(configured(project, '["docs", "specs/rfcs/"]')) == [*pages, "specs/rfcs/one.md"]
    assert built(configured(project, '["docs"]')) == pages
    assert built(configured(project, '["docs", "specs"]', 'exclude = ["docs/deploy/"]')) == [
        "docs/index.md", "docs/oncall.md", "specs/rfcs/one.md",
    ]  # fmt: skip
    assert built(configured(project, '["docs", "specs"]', 'include = ["specs/rfcs/"]')) == [
        "specs/rfcs/one.md"
    ]


def test_each_folder_is_judged_and_rebuilt(project: Path, rfcs: Path) -> None:
    cache = configured(project, '["docs", "specs/rfcs"]').cache("all")
    cache.update()
    assert cache.freshness().fresh
    (project / "README.md").write_text("# Changed\n")
    assert cache.freshness().fresh
    (rfcs / "two.md").write_text("# Two\n")
    assert cache.freshness().added == ("specs/rfcs/two.md",)
    cache.update()
    ctxcache.build(project, project / "nothing", config=cache.config)
    assert (project / "nothing/manifest.json").read_bytes() == (
        cache.directory / "manifest.json"
    ).read_bytes()


def test_a_folder_that_is_not_there_is_an_error(project: Path, rfcs: Path) -> None:
    """Its documents would leave the cache in silence."""
    cache = configured(project, '["docs", "specs/rfcs"]').cache("all")
    cache.update()
    rfcs.rename(project / "elsewhere")
    assert cache.freshness().problem.endswith("ctx.toml:2: caches.all.sources: specs/rfcs: no such folder")
    with pytest.raises(UsageError, match="specs/rfcs: no such folder"):
        cache.update()


@pytest.mark.parametrize(
    ("sources", "says"),
    [
        ('["docs", "docs/deploy"]', "lie in each other"),
        ('["docs", "./docs/"]', "lie in each other"),
        ('["."]', "is the whole project"),
        ('["docs", "../other"]', "lies outside the project"),
        ('["linked"]', "a link"),
        ("[]", "a list of folders"),
        ("[5]", "a list of folders"),
    ],
)
def test_folders_that_cannot_be_together_are_a_fault(project: Path, sources: str, says: str) -> None:
    (project / "linked").symlink_to("docs")
    with pytest.raises(ConfigurationError, match=says):
        configured(project, sources)


def test_a_path_is_explained_in_its_folder(project: Path, rfcs: Path) -> None:
    cache = configured(project, '["docs", "specs/rfcs"]').cache("all")
    rules = cache.config.rules
    assert explain_path(cache.sources, rules, "specs/rfcs/one.md").taken
    assert explain_path(cache.sources, rules, "specs/rfcs/draft.md").rule == ".gitignore:1 draft.md"
    found = explain_path(cache.sources, rules, "README.md")
    assert (found.taken, found.rule) == (False, "in none of the folders docs, specs/rfcs")


def test_a_revision_has_the_same_folders(project: Path, rfcs: Path, tmp_path: Path) -> None:
    cache = configured(project, '["docs", "specs/rfcs"]').cache("all")
    (project / ".git").rmdir()
    git = ("git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@b")
    for line in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run([*git, *line], check=True)
    cache.update()
    (tmp_path / "scratch").mkdir()
    place = build_revision(cache, "HEAD", tmp_path / "scratch")
    assert (place / "manifest.json").read_bytes() == (cache.directory / "manifest.json").read_bytes()
