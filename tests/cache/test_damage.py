"""A damaged cache answers as before or not at all, and `verify` finds every damage."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.compile import GivenText
from ctxcache.errors import CacheInvalid

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUERIES = ("deploy", "roll back the deployment", "元に戻す", "absent words")


def answers(cache: Path) -> list[str] | None:
    """What the cache answers to some queries; None when it is refused as invalid."""
    try:
        opened = ctxcache.open_cache(cache)
        return [opened.resolve(query, budget).to_json() for query in QUERIES for budget in (10, 4000)]
    except CacheInvalid:
        return None


def files(cache: Path) -> list[Path]:
    """The files of a cache."""
    return sorted(path for path in cache.rglob("*") if path.is_file())


def flips(path: Path, *, at_most: int) -> Iterator[bytes]:
    """The bytes of a file with one bit flipped, everywhere or at so many random places."""
    data = path.read_bytes()
    places = range(len(data))
    source = random.Random(7)
    for place in places if len(data) <= at_most else source.sample(places, at_most):
        yield data[:place] + bytes([data[place] ^ 1 << source.randrange(8)]) + data[place + 1 :]


@pytest.mark.parametrize("kind", ["cache", "format1"])
def test_a_flipped_bit_changes_no_answer_silently(kind: str, request: pytest.FixtureRequest) -> None:
    """Any single bit of any file: the same answers, or `cache_invalid`."""
    cache: Path = request.getfixturevalue(kind)
    sound = answers(cache)
    assert sound
    for path in files(cache):
        intact = path.read_bytes()
        for damaged in flips(path, at_most=400):
            path.write_bytes(damaged)
            assert answers(cache) in (sound, None)
        path.write_bytes(intact)


@pytest.mark.parametrize("kind", ["cache", "format1"])
def test_a_truncated_file_changes_no_answer_silently(kind: str, request: pytest.FixtureRequest) -> None:
    """Wherever a copy was cut off."""
    cache: Path = request.getfixturevalue(kind)
    sound = answers(cache)
    for path in files(cache):
        intact = path.read_bytes()
        for length in {0, 1, len(intact) // 2, len(intact) - 1}:
            path.write_bytes(intact[:length])
            assert answers(cache) in (sound, None)
        path.write_bytes(intact)


@pytest.mark.parametrize("kind", ["cache", "format1"])
def test_verify_finds_every_flipped_bit(kind: str, request: pytest.FixtureRequest) -> None:
    """Also where no answer depends on it; only two things in format 1 follow from nothing else."""
    cache: Path = request.getfixturevalue(kind)
    assert ctxcache.verify(cache).valid
    for path in files(cache):
        intact = path.read_bytes()
        for damaged in flips(path, at_most=40):
            if kind == "format1" and follows_from_nothing(intact, damaged):
                continue
            path.write_bytes(damaged)
            assert not ctxcache.verify(cache).valid, damaged
            assert not ctxcache.verify(cache, depth="quick").valid, damaged
        path.write_bytes(intact)


def follows_from_nothing(intact: bytes, damaged: bytes) -> bool:
    """Whether the bit lies in the time of the build, or only turns a letter of a source into a capital."""
    place = next(at for at, (one, other) in enumerate(zip(intact, damaged, strict=True)) if one != other)
    date, source = intact.find(b'"created_at"'), intact.find(b'"source"')
    in_date = 0 <= date <= place < intact.index(b"\n", date)
    in_source = 0 <= source <= place < intact.find(b'"content"')
    return in_date or (in_source and intact.lower() == damaged.lower())


@pytest.mark.parametrize("kind", ["cache", "format1"])
def test_verify_finds_what_is_missing_and_what_is_too_much(kind: str, request: pytest.FixtureRequest) -> None:
    """Each file in turn, and one that nothing names; only the file for git may be absent."""
    cache: Path = request.getfixturevalue(kind)
    for path in files(cache):
        if path.name == ".gitattributes":
            continue
        intact = path.read_bytes()
        path.unlink()
        assert not ctxcache.verify(cache).valid
        path.write_bytes(intact)
    (cache / "notes.txt").write_text("mine")
    assert [fault.kind for fault in ctxcache.verify(cache).faults] == ["orphans"]


def test_a_cache_is_valid_with_its_file_for_git_or_without(cache: Path) -> None:
    """Exactly its bytes, or none: a committed cache is not changed by git, and nothing else hides there."""
    attributes = cache / ".gitattributes"
    assert attributes.read_bytes() == b"* -text\n"
    attributes.unlink()
    assert ctxcache.verify(cache).valid
    attributes.write_bytes(b"* text\n")
    assert [fault.kind for fault in ctxcache.verify(cache).faults] == ["orphans"]


def test_changed_line_ends_are_named(cache: Path) -> None:
    """As git changes them in a clone with core.autocrlf, where the file for git is missing."""
    lines = next(cache.glob("documents-*"))
    lines.write_bytes(lines.read_bytes().replace(b"\n", b"\r\n"))
    with pytest.raises(ctxcache.CacheInvalid, match=r"core\.autocrlf"):
        ctxcache.open_cache(cache)
    assert "core.autocrlf" in ctxcache.verify(cache).faults[0].detail


def test_an_index_of_another_generation_is_refused(tmp_path: Path) -> None:
    """Of equal size and under the right name: what it was made for stands in its header."""
    config = BuildConfig(tokenizer="bytes4")
    for name, word in (("one", "apple"), ("two", "grape")):
        ctxcache.build([GivenText("a.md", "A", f"an {word}")], tmp_path / name, config=config)
    one, two = (next((tmp_path / name).glob("index-*")) for name in ("one", "two"))
    assert one.stat().st_size == two.stat().st_size
    one.write_bytes(two.read_bytes())
    with pytest.raises(ctxcache.CacheInvalid, match="made for other documents"):
        ctxcache.open_cache(tmp_path / "one")


def test_verify_works_out_anew_what_checksums_cannot_tell(cache: Path, tmp_path: Path) -> None:
    """A cache whose parts fit each other but not its documents: tokens counted by another tokenizer."""
    manifest = cache / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace('"bytes4"', '"cl100k_base"'), "utf-8")
    kinds = {fault.kind: fault.detail for fault in ctxcache.verify(cache, depth="deep").faults}
    assert "tokens, its content has" in kinds["documents"]
    kinds = {fault.kind: fault.detail for fault in ctxcache.verify(cache).faults}
    assert kinds["totals"].startswith("cache_version: ")


def test_an_index_that_shrinks_while_it_is_open_is_invalid(tmp_path: Path) -> None:
    """As a careless copy or a full disk leaves it: reading a mapping of it would end the process."""
    texts = [GivenText(f"{number}.md", f"Page {number}", f"word{number} shared") for number in range(3000)]
    ctxcache.build(texts, tmp_path / "cache", config=BuildConfig(tokenizer="bytes4"))
    cache = ctxcache.open_cache(tmp_path / "cache")
    assert cache.resolve("word7", 100).documents
    index = next((tmp_path / "cache").glob("index-*"))
    with index.open("r+b") as file:
        file.truncate(4096)
    with pytest.raises(ctxcache.CacheInvalid, match="shorter than when it was opened"):
        cache.resolve("word2999 shared", 100)


def test_bytes_that_change_after_they_were_checked_reach_nobody(tmp_path: Path) -> None:
    """What was read once is kept in memory of the program."""
    texts = [GivenText(f"{number}.md", f"Page {number}", f"word{number} shared") for number in range(50)]
    ctxcache.build(texts, tmp_path / "cache", config=BuildConfig(tokenizer="bytes4"))
    cache = ctxcache.open_cache(tmp_path / "cache")
    before = cache.resolve("word7 shared", 100).to_json()
    index = next((tmp_path / "cache").glob("index-*"))
    index.write_bytes(bytes(index.stat().st_size))
    assert cache.resolve("word7 shared", 100).to_json() == before
