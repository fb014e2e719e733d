"""Build `sample_caches/`, or the same in another place: `python scripts/build_samples.py [DIR]`.

Their bytes depend on `samples/handbook` and `docs/` alone, so a test builds them anew and compares.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import ctxcache

REPO = Path(__file__).parents[1]
CREATED_AT = "1767225600"  # 2026-01-01, the time that format 1 writes into its manifest


def build_samples(place: Path) -> None:
    """Build the four sample caches in the directory `place`, replacing those that are there."""
    os.environ["SOURCE_DATE_EPOCH"] = CREATED_AT
    handbook = REPO / "samples" / "handbook"
    ctxcache.build(handbook, place / "handbook", force=True)
    format1 = ctxcache.BuildConfig(profile="v0")
    ctxcache.build(handbook, place / "handbook-v0", config=format1, force=True)
    ctxcache.build(REPO / "docs", place / "project-docs", force=True)
    damage(place / "handbook", place / "damaged")


def damage(sound: Path, damaged: Path) -> None:
    """Copy a cache with one bit of its documents flipped, in the middle."""
    shutil.rmtree(damaged, ignore_errors=True)
    shutil.copytree(sound, damaged)
    (documents,) = damaged.glob("documents-*.jsonl")
    data = bytearray(documents.read_bytes())
    data[len(data) // 2] ^= 1
    documents.write_bytes(data)


if __name__ == "__main__":
    build_samples(Path(sys.argv[1]) if len(sys.argv) > 1 else REPO / "sample_caches")
