"""Small caches with everything in them that ranking and selection meet."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig, Cache
from ctxcache.builder.compile import GivenText

if TYPE_CHECKING:
    from pathlib import Path

Made = Callable[..., Cache]

PROSE = "deploy rollback service queue budget token cache index query rank the of and to how"
NAMES = "getUserById get_user_by_id user_id v2.10.1 C++ C# --dry-run DEC-0054 日本語 部署 déploiement"
VOCABULARY = [*PROSE.split(), *NAMES.split()]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Build a cache of these documents (id → content) and open it."""

    def make(
        documents: dict[str, str], *, titles: dict[str, str] | None = None, **config: str | bool
    ) -> Cache:
        texts = [GivenText(id_, (titles or {}).get(id_, ""), text) for id_, text in documents.items()]
        chosen = BuildConfig(split="none", tokenizer="bytes4", **config)  # type: ignore[arg-type]  # its own fields
        ctxcache.build(texts, tmp_path / "cache", config=chosen, force=True)
        return ctxcache.open_cache(tmp_path / "cache")

    return make


@pytest.fixture(scope="session")
def texts() -> list[GivenText]:
    """Eighty documents of random words, some empty, some equal, some with a title."""
    source = random.Random(5)
    documents = []
    for number in range(80):
        words = source.choices(VOCABULARY, k=source.choice([0, 1, 3, 20, 80, 300]))
        title = " ".join(source.choices(VOCABULARY, k=source.choice([0, 0, 1, 4])))
        documents.append(GivenText(f"{number:03}.md", title, " ".join(words)))
    return documents


@pytest.fixture(scope="session", params=["whole", "split"])
def random_cache(
    request: pytest.FixtureRequest, texts: list[GivenText], tmp_path_factory: pytest.TempPathFactory
) -> Cache:
    """The cache of `texts`, whole, and split so that files have many documents."""
    cache_dir = tmp_path_factory.mktemp("caches") / "random"
    ctxcache.build(
        texts,
        cache_dir,
        config=BuildConfig(
            split="none" if request.param == "whole" else "auto", max_tokens=120, tokenizer="bytes4"
        ),
    )
    return ctxcache.open_cache(cache_dir)
