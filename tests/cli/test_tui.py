"""`ctx tui PATH`: what the inspector is to show."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.cli.inspect import inspected_path
from ctxcache.errors import CacheMissing

if TYPE_CHECKING:
    from pathlib import Path

CONFIGURATION = """\
[caches.docs]
sources = "docs"
[caches.later]
sources = "docs"
[caches.made]
sources = "docs"
cache = "elsewhere/made"
"""


@pytest.fixture
def project(tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose folder `docs` is called like the cache that is built from it."""
    config = ctxcache.BuildConfig(tokenizer="bytes4", split="none")
    for place in (".ctx/caches/docs", "elsewhere/made"):
        ctxcache.build(docs, tmp_path / place, config=config)
    (tmp_path / "docs").mkdir()
    (tmp_path / "ctx.toml").write_text(CONFIGURATION)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (None, ".ctx/caches"),
        ("docs", ".ctx/caches/docs"),
        ("./docs", "./docs"),
        ("later", ".ctx/caches"),
        ("made", "elsewhere/made"),
        ("elsewhere", "elsewhere"),
        ("elsewhere/made", "elsewhere/made"),
        ("nothing", "nothing"),
    ],
)
def test_a_path_goes_before_a_name_where_it_holds_caches(project: Path, path: str | None, place: str) -> None:
    """What is described and not built yet stands among the caches of the project."""
    assert project and inspected_path(path) == place


def test_an_empty_name_is_refused(project: Path) -> None:
    with pytest.raises(CacheMissing):
        assert project and inspected_path("")


def test_the_only_cache_is_shown_wherever_it_lies(project: Path) -> None:
    """As for `ask` and `why`."""
    shutil.rmtree(project / ".ctx")
    (project / "ctx.toml").write_text('[caches.made]\nsources = "docs"\ncache = "elsewhere/made"\n')
    assert inspected_path(None) == "elsewhere/made"
    shutil.rmtree(project / "elsewhere")
    assert inspected_path(None) == ".ctx/caches"
