"""A rebuild that keeps what has not changed, against a build from nothing."""

from __future__ import annotations

import hashlib
import json
import os
import random
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder import inverter
from ctxcache.builder.incremental import Record, read_record, write_record
from ctxcache.builder.sources.source_filter import Rules
from ctxcache.project.caches import ProjectCache

if TYPE_CHECKING:
    from pathlib import Path

SEQUENCES = int(os.environ.get("CTX_EDIT_SEQUENCES", "6"))
"""How many sequences of edits are tried."""

STEPS = 4  # builds in a sequence

WORDS = ("deploy", "roll back", "pager", "token", "night", "配備", "größe", "getUserById", "v2.10.1", "-x")


def sentence(chance: random.Random) -> str:
    """A few words."""
    return " ".join(chance.choices(WORDS, k=chance.randint(1, 40)))


def page(chance: random.Random) -> bytes:
    """The bytes of a page: short or long enough to be split, with a mark or front matter, or no text."""
    parts = [f"# {sentence(chance)[:40]}\n\n"]
    parts += [
        f"{'#' * chance.randint(2, 3)} {sentence(chance)[:30]}\n\n{sentence(chance)}\n\n"
        for _ in range(chance.choice((0, 1, 2, 30)))
    ]
    text = "".join(parts)
    if chance.random() < 0.1:
        text = f"---\ntitle: {sentence(chance)[:20]}\nbroken\n---\n{text}"
    if chance.random() < 0.1:
        return text.encode("utf-16")
    return text.encode("utf-8") + (b"\xff" if chance.random() < 0.05 else b"")


def page_name(chance: random.Random) -> str:
    """The name of a page, some of them between the sections of others."""
    folder = chance.choice(("", "a/", "a/b/", "größe/"))
    return folder + chance.choice(("page", "page.md#part", "Zettel", "x")) + f"{chance.randint(0, 9)}.md"


def edit(folder: Path, chance: random.Random) -> None:
    """Add, remove, change or rename one page, or change what is ignored."""
    pages = sorted(path for path in folder.rglob("*.md") if path.is_file())
    kind = chance.choice(("add", "add", "remove", "change", "change", "rename", "ignore"))
    if kind == "ignore":
        (folder / ".ctxignore").write_text(chance.choice(("", "a/b/\n", "x*\n!x1.md\n")), "utf-8")
    elif kind == "add" or not pages:
        _write(folder / page_name(chance), page(chance))
    elif kind == "remove":
        chance.choice(pages).unlink()
    elif kind == "change":
        path = chance.choice(pages)
        data = path.read_bytes()
        _write(path, page(chance) if chance.random() < 0.5 else data + b"\n" + sentence(chance).encode())
    else:
        target = folder / page_name(chance)
        target.parent.mkdir(parents=True, exist_ok=True)
        chance.choice(pages).rename(target)


def configuration(chance: random.Random) -> BuildConfig:
    """One of a few configurations; the first is likely, so that most rebuilds keep something."""
    return chance.choice(
        (
            *[BuildConfig(tokenizer="bytes4")] * 6,
            BuildConfig(tokenizer="bytes4", split="none"),
            BuildConfig(tokenizer="bytes4", max_tokens=100),
            BuildConfig(tokenizer="bytes4", rules=Rules(exclude=("page*",))),
        )
    )


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def contents(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.iterdir()}


def project_cache(root: Path, config: BuildConfig) -> ProjectCache:
    return ProjectCache(name="c", root=root, sources=root / "docs", directory=root / "cache", config=config)


@pytest.mark.parametrize("seed", range(SEQUENCES))
def test_a_rebuild_has_the_bytes_and_the_report_of_a_build_from_nothing(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was added, removed, changed, renamed, ignored or configured, in memory or on disk."""
    monkeypatch.setattr(inverter, "IN_MEMORY", 1 << 26 if seed % 2 else 0)
    chance = random.Random(seed)
    (tmp_path / "docs").mkdir()
    for _ in range(6):
        edit(tmp_path / "docs", chance)
    for step in range(STEPS):
        for _ in range(chance.choice((0, 1, 1, 3))):
            edit(tmp_path / "docs", chance)
        cache = project_cache(tmp_path, configuration(chance))
        built = cache.update()
        nothing = tmp_path / f"from-nothing-{step}"
        report = ctxcache.build(cache.sources, nothing, config=cache.config)
        assert contents(cache.directory) == contents(nothing)
        assert built.report is None or sorted(built.report.lines()) == sorted(report.lines())
        assert built.report is None or built.report.findings == report.findings
        assert (built.report is None) == built.before.fresh
        assert cache.freshness().fresh


@pytest.fixture
def built(folder: Path) -> ProjectCache:
    """A cache of a folder with one of everything, with its record."""
    root = folder.parent
    cache = ProjectCache(
        name="c", root=root, sources=folder, directory=root / "cache", config=BuildConfig(tokenizer="bytes4")
    )
    cache.update()
    return cache


def test_what_has_not_changed_is_kept(built: ProjectCache) -> None:
    """All but the page that changed, and those of which there is something to tell each time."""
    (built.sources / "index.md").write_text("# Changed\n")
    found = built.freshness()
    assert (found.state, found.changed) == ("stale", ("index.md",))
    read = {"index.md", "latin1.md", "utf16.md"}
    assert (
        set(found.unchanged) == {path.relative_to(built.sources).as_posix() for path in pages(built)} - read
    )


def pages(cache: ProjectCache) -> list[Path]:
    return [path for path in cache.sources.rglob("*") if path.is_file()]


def test_a_damaged_cache_is_built_from_nothing(built: ProjectCache) -> None:
    """A flipped bit in what would be kept costs time and nothing else."""
    (index,) = built.directory.glob("index-*")
    data = bytearray(index.read_bytes())
    data[5000] ^= 1
    index.write_bytes(data)
    (built.sources / "index.md").write_text("# Changed\n")
    assert built.update().report is not None
    assert ctxcache.verify(built.directory).valid


@pytest.mark.parametrize("damage", ["checksum", "json", "other cache", "other program", "gone"])
def test_a_record_that_is_not_of_this_cache_is_as_if_not_there(built: ProjectCache, damage: str) -> None:
    """The content of the cache is judged instead, to the same judgement; and nothing is kept."""
    file = built.record_file
    _, _, data = file.read_bytes().partition(b"\n")
    fields = json.loads(data)
    if damage == "checksum":
        file.write_bytes(b"0" * 64 + b"\n" + data)
    elif damage == "json":
        file.write_bytes(b"no json")
    elif damage == "gone":
        file.unlink()
    else:
        fields["of"][damage == "other cache"] = "0" * 64
        data = json.dumps(fields).encode()
        file.write_bytes(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
    found = built.freshness()
    assert found.fresh and not found.unchanged
    (built.sources / "index.md").write_text("# Changed\n")
    assert built.freshness().changed == ("index.md",)


@pytest.mark.parametrize("documents", [[1], {"index.md": 1}, None], ids=["list", "number", "nothing"])
def test_a_record_of_another_shape_is_none(built: ProjectCache, documents: object) -> None:
    """Even with its checksum right."""
    _, _, data = built.record_file.read_bytes().partition(b"\n")
    _write_record(built, json.dumps(json.loads(data) | {"documents": documents}).encode())
    assert read_record(built.record_file, built.directory) is None


def test_a_record_nested_too_deep_is_none(built: ProjectCache) -> None:
    """The parser gives up with a `RecursionError`."""
    _write_record(built, b"[" * 100_000)
    assert read_record(built.record_file, built.directory) is None


def test_a_record_that_is_much_larger_than_its_cache_is_none(built: ProjectCache) -> None:
    """It is not parsed, which would take gigabytes."""
    _, _, data = built.record_file.read_bytes().partition(b"\n")
    _write_record(built, data + b" " * (1 << 24))
    assert read_record(built.record_file, built.directory) is None
    _write_record(built, data + b" " * (1 << 23))
    assert read_record(built.record_file, built.directory) is not None


def test_the_record_of_a_cache_that_is_gone_is_not_written(built: ProjectCache) -> None:
    """Someone removed the cache right after the build, which has not failed for that."""
    built.record_file.unlink()
    write_record(built.record_file, built.directory / "gone", "sha256:00", Record())
    assert not built.record_file.exists()


def test_the_record_of_one_build_is_not_written_for_another(built: ProjectCache) -> None:
    """Somebody else has built the cache meanwhile, perhaps from other bytes."""
    before = built.record_file.read_bytes()
    write_record(built.record_file, built.directory, "sha256:00", Record())
    assert built.record_file.read_bytes() == before


def _write_record(built: ProjectCache, data: bytes) -> None:
    built.record_file.write_bytes(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
