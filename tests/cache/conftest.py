"""Caches to damage, to replace and to look into."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.compile import GivenText

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    GivenText("deploy.md", "Deploying", "How to deploy the service. " * 40),
    GivenText("empty.md", "Nothing yet", ""),
    GivenText("rollback.md", "Rolling back", "To roll back a deployment, deploy the version before."),
    GivenText("日本.md", "日本語", "配備を元に戻す方法。"),
]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A format 2 cache of four documents; one holds a word more often than a byte can say."""
    ctxcache.build(TEXTS, tmp_path / "cache", config=BuildConfig(split="none", tokenizer="bytes4"))
    return tmp_path / "cache"


@pytest.fixture
def format1(tmp_path: Path) -> Path:
    """A format 1 cache of the same documents."""
    ctxcache.build(TEXTS, tmp_path / "format1", config=BuildConfig(profile="v0"))
    return tmp_path / "format1"
