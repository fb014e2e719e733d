"""What a model is told before it asks: each cache by name, quoted and bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.builder.config import BuildConfig
from ctxcache.server.instructions import LONGEST, instructions
from ctxcache.server.service import RootedCaches

if TYPE_CHECKING:
    from pathlib import Path


def build(root: Path, name: str, pages: dict[str, str], description: str = "") -> None:
    """A cache of these pages."""
    sources = root.parent / "sources" / name
    sources.mkdir(parents=True)
    for page, text in pages.items():
        (sources / page).write_text(text, "utf-8")
    ctxcache.build(sources, root / name, config=BuildConfig(tokenizer="bytes4", description=description))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def test_each_cache_is_named_with_its_size_and_what_it_says_of_itself(root: Path) -> None:
    build(root, "small", {"README.md": "# The\u202e handbook\n\nWords.\n"})
    build(root, "large", {"a.md": "words " * 100, "b.md": "# B\n"}, description='Say "hello" \U0001f600')
    build(root, "plain", {"a.md": "words " * 20})
    (root / "broken").mkdir()
    (root / "broken" / "manifest.json").write_text("{")
    told = instructions(RootedCaches(root), has_project=False)
    large, small, plain = (told.index(f'"{name}" (') for name in ("large", "small", "plain"))
    assert large < plain < small, "largest first"
    assert r'"large" (2 documents, 151 tokens): "Say \"hello\" 😀"; ' in told
    assert r'"small" (1 document, 7 tokens): "The\\u202e handbook".' in told
    assert "broken" not in told
    assert told == instructions(RootedCaches(root), has_project=False)


def test_the_caches_stand_in_the_beginning(root: Path) -> None:
    """Codex decides by the first 247 characters whether to look at the tools of a server at all."""
    for name in ("handbook", "project-docs", "runbooks"):
        build(root, name, {"index.md": "# What we know\n"})
    told = instructions(RootedCaches(root), has_project=True)
    assert all(f'"{name}" (' in told[:247] for name in ("handbook", "project-docs", "runbooks"))


def test_many_caches_are_counted_where_there_is_no_room_for_all(root: Path) -> None:
    for number in range(30):
        build(root, f"cache-{number:02}-{'x' * 60}", {"index.md": f"# {'title ' * 40}\n"})
    told = instructions(RootedCaches(root), has_project=True)
    assert len(told) <= LONGEST
    named = told.count('": "') + told.count('): "')
    assert named
    assert f"and {30 - named} more." in told
    assert 'title t…"' in told
    assert "title " * 14 not in told


def test_the_budget_that_was_suggested_is_advised(root: Path) -> None:
    assert "2000 to 3000 tokens suit most" in instructions(RootedCaches(root), has_project=False)
    told = instructions(RootedCaches(root), has_project=False, suggested_budget=1234)
    assert "1234 tokens suit most questions" in told
    assert "There is no context cache of documentation yet." in told


def test_a_server_of_scopes_alone_speaks_of_no_cache(tmp_path: Path) -> None:
    assert "cache" not in instructions(None, has_project=True)
