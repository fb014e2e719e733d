"""The depths of `verify`: what each finds, and that processes change nothing."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.builder.compile import index_documents
from ctxcache.builder.counting import Lexicon, Postings
from ctxcache.builder.spool import Spool
from ctxcache.builder.verification import DEEP, DEPTHS, QUICK, STRUCTURE
from ctxcache.builder.writer import CacheWriter
from ctxcache.cache.format import BLOCK, MULTI_TERM, SECTIONS, Layout
from ctxcache.cache.manifest import read_manifest
from ctxcache.cache.postings import packed, unpacked
from ctxcache.cache.publish import Staging
from ctxcache.cache.store import Store, open_store
from ctxcache.errors import IoError

from .test_crafted import parts, put, write_index

if TYPE_CHECKING:
    from pathlib import Path


ANALYSED = (
    "term_ends",
    "term_bytes",
    "posting_documents",
    "posting_occurrences",
    "dense_occurrences",
    "shared_with",
)
"""What may be otherwise without a contradiction: only the texts tell which terms there are."""


def seal(cache: Path) -> None:
    """Name the index by its digest, and make the manifest say what it is now."""
    _, index, manifest = parts(cache)
    data = index.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    path = index.rename(cache / f"index-{sha256[:12]}.bin").name
    manifest["files"]["index"] = {"path": path, "bytes": len(data), "sha256": sha256}
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (cache / "manifest.json").write_text(text, "utf-8")


def faults(cache: Path, depth: str) -> list[str]:
    """The kinds of fault that a depth finds."""
    return [fault.kind for fault in ctxcache.verify(cache, depth=depth).faults]


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_sound_cache_is_valid_in_every_depth(cache: Path, depth: str) -> None:
    verification = ctxcache.verify(cache, depth=depth)
    assert verification.valid
    assert verification.documents == (0 if depth == QUICK else 4)
    assert verification.to_dict()["depth"] == depth


def test_a_depth_that_is_none_is_refused(cache: Path) -> None:
    with pytest.raises(ctxcache.UsageError, match="none of quick, structure, deep"):
        ctxcache.verify(cache, depth="deeper")


def test_an_impact_that_does_not_follow_is_found_without_analysis(cache: Path) -> None:
    """Quick believes an index whose checksums were made for it; the structure says what must stand there."""
    _, index, _ = parts(cache)
    data = bytearray(index.read_bytes())
    put(data, "dense_impacts", 0, 2, 1)
    write_index(index, data)
    seal(cache)
    assert faults(cache, QUICK) == []
    assert faults(cache, STRUCTURE) == ["index"]


def test_occurrences_that_no_text_has_are_found_by_an_analysis(cache: Path, tmp_path: Path) -> None:
    """A cache that was written by the same program from other occurrences contradicts itself nowhere."""
    store = open_store(str(cache))
    assert isinstance(store, Store)
    manifest = read_manifest(str(cache))[1]
    batch = index_documents(Lexicon(manifest.analyzer), [store.document(number) for number in range(4)])
    batch.sources = 4
    assert isinstance(batch.postings, Postings)  # not in a spool
    body, title = unpacked(batch.postings.occurrences, batch.postings.overflows)
    multi_term = (batch.postings.occurrences & MULTI_TERM).astype(bool)
    occurrences, overflows = packed(body * 2, title, multi_term)
    batch.postings = batch.postings._replace(occurrences=occurrences, overflows=overflows)
    with Staging(tmp_path / "crafted") as staging:
        writer = CacheWriter(staging, manifest.build_config)
        writer.add(batch)
        writer.finish((), ())
    assert faults(tmp_path / "crafted", STRUCTURE) == []
    assert faults(tmp_path / "crafted", DEEP) == ["index"]


@pytest.mark.parametrize("depth", [STRUCTURE, DEEP])
def test_a_scratch_directory_that_fails_is_no_fault_of_the_cache(
    cache: Path, monkeypatch: pytest.MonkeyPatch, depth: str
) -> None:
    """What is written again to compare lies in a temporary directory, whose disk may be full."""

    def full(_: Spool, parts: object) -> str:
        raise IoError("/tmp/elsewhere: No space left on device")

    monkeypatch.setattr(Spool, "write", full)
    with pytest.raises(IoError, match="elsewhere"):
        ctxcache.verify(cache, depth=depth)


@pytest.mark.parametrize("section", SECTIONS)
def test_any_number_in_an_index_is_a_fault_and_never_an_error(cache: Path, section: str) -> None:
    """Its checksums and the manifest are made to fit."""
    _, index, _ = parts(cache)
    intact = bytearray(index.read_bytes())
    offset, length = Layout.unpack(bytes(intact[:BLOCK])).sections[section]
    for at in {0, length // 2 // 8 * 8, length - 1} if length else ():
        for value in (0, 1, 0x7F, 0xFF):
            data = bytearray(intact)
            if data[offset + at] == value:
                continue
            data[offset + at] = value
            write_index(parts(cache)[1], data)
            seal(cache)
            depth = DEEP if section in ANALYSED and not faults(cache, STRUCTURE) else STRUCTURE
            assert faults(cache, depth) == ["index"], (section, at, value)


def test_processes_find_what_one_finds(cache: Path) -> None:
    for depth in DEPTHS:
        assert (
            ctxcache.verify(cache, depth=depth, jobs=2).to_dict()
            == ctxcache.verify(cache, depth=depth).to_dict()
        )


def test_sources_whose_sections_lie_apart_are_counted_once(tmp_path: Path) -> None:
    """Sections of one source around a file whose name sorts between them, and more documents than a batch."""
    texts = [
        ctxcache.GivenText("a.md", "A", "# One\n\nword word\n\n# Two\n\nword word\n\n# Zero\n\nword word\n"),
        *(ctxcache.GivenText(f"a.md#t{number:04}.md", "B", f"text {number}") for number in range(600)),
    ]
    config = ctxcache.BuildConfig(tokenizer="bytes4", max_tokens=8)
    ctxcache.build(texts, tmp_path / "cache", config=config)
    for depth in DEPTHS:
        assert faults(tmp_path / "cache", depth) == []


def test_aliases_of_identical_documents_are_sound_in_every_depth(tmp_path: Path) -> None:
    texts = [ctxcache.GivenText(f"{name}.md", "Same", "the same text") for name in "abc"]
    texts += [ctxcache.GivenText("d.md", "Other", "another text")]
    ctxcache.build(texts, tmp_path / "cache", config=ctxcache.BuildConfig(tokenizer="bytes4"))
    for depth in DEPTHS:
        assert faults(tmp_path / "cache", depth) == []
