"""Identical documents are one: the first id by order, with the ids of the others as its aliases."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

import pytest

from ctxcache import BuildConfig, build, open_cache, verify
from ctxcache.builder.compile import Compiler, GivenText, Settings
from ctxcache.builder.freshness import freshness
from ctxcache.builder.incremental import Rebuild
from ctxcache.builder.report import SourceError
from ctxcache.builder.spool import Spool
from ctxcache.builder.writer import CacheWriter
from ctxcache.cache.documents import file_of_alias
from ctxcache.cache.publish import Staging

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ctxcache.builder.compile import Batch, Source

FILTER = "# Filter\n\nFilter objects with Where-Object.\n"
LONG = "".join(f"# Part {number}\n\n{'words of the part ' * 40}{number}\n\n" for number in range(4))
FILES = {
    "other.md": "# Other\n\nAnother way to filter objects.\n",
    "v5/filter.md": FILTER,
    "v6/filter.md": FILTER,
    "v7/filter.md": FILTER,
    "v5/long.md": LONG,
    "v6/long.md": LONG.replace("part 2", "part two"),
}


def _write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    return _write(tmp_path / "docs", FILES)


def _bytes(cache: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in cache.iterdir()}


def test_the_first_id_stands_for_all(sources: Path, tmp_path: Path) -> None:
    build(sources, tmp_path / "cache")
    documents = {document.id: document for document in open_cache(tmp_path / "cache").documents()}
    assert documents["v5/filter.md"].aliases == ("v6/filter.md", "v7/filter.md")
    assert "v6/filter.md" not in documents
    assert documents["v5/long.md#part-0"].aliases == ("v6/long.md#part-0",)
    assert documents["v5/long.md#part-2"].aliases == ()
    assert "v6/long.md#part-2" in documents


def test_statistics_count_the_text_once(sources: Path, tmp_path: Path) -> None:
    report = build(sources, tmp_path / "cache")
    documents = list(open_cache(tmp_path / "cache").documents())
    manifest = json.loads((tmp_path / "cache/manifest.json").read_bytes())
    assert report.documents == len(documents) == manifest["document_count"] == 7
    assert report.tokens == sum(document.tokens for document in documents)
    assert report.sources == manifest["source_count"] == 4
    answer = open_cache(tmp_path / "cache").resolve("filter objects", 400)
    assert [chosen.id for chosen in answer.documents] == ["v5/filter.md", "other.md"]


def test_the_whole_cache_follows_from_the_documents_that_are_left(sources: Path, tmp_path: Path) -> None:
    """Postings, frequencies and lengths count no copy: verifying builds them anew from the documents."""
    build(sources, tmp_path / "cache")
    assert verify(tmp_path / "cache").valid


def test_copies_may_be_kept(sources: Path, tmp_path: Path) -> None:
    report = build(sources, tmp_path / "cache", config=BuildConfig(unique=False))
    assert report.documents == 12
    assert all(document.aliases == () for document in open_cache(tmp_path / "cache").documents())


def test_another_title_makes_another_document(tmp_path: Path) -> None:
    """The title is searched too; a file's name is the title where there is no heading."""
    sources = _write(tmp_path / "docs", {"a.md": "text\n", "b.md": "text\n", "c/a.md": "text\n"})
    build(sources, tmp_path / "cache")
    documents = {document.id: document.aliases for document in open_cache(tmp_path / "cache").documents()}
    assert documents == {"a.md": ("c/a.md",), "b.md": ()}


def test_the_first_is_the_first_by_id_whatever_the_order_of_the_files(tmp_path: Path) -> None:
    """A section of `a b.md` comes before one of `a.md`, though the file comes after it."""
    sources = _write(tmp_path / "docs", {"a": "", "x.md": LONG, "x.md a.md": LONG})
    build(sources, tmp_path / "cache")
    documents = {document.id: document.aliases for document in open_cache(tmp_path / "cache").documents()}
    assert documents["x.md a.md#part-0"] == ("x.md#part-0",)
    assert "x.md#part-0" not in documents
    assert verify(tmp_path / "cache").valid


def test_copies_are_found_across_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes are the same however the sources are shared out, and whoever compiles them."""
    sources = _write(tmp_path / "docs", FILES)
    build(sources, tmp_path / "one")
    monkeypatch.setattr("ctxcache.builder.build.BATCH_SOURCES", 1)
    build(sources, tmp_path / "many")
    build(sources, tmp_path / "shared", jobs=2)
    with ProcessPoolExecutor(1) as executor:  # its process has met all documents when they come again
        build(sources, tmp_path / "lent", executor=executor)
        build(sources, tmp_path / "lent again", executor=executor)
    for other in ("many", "shared", "lent", "lent again"):
        assert _bytes(tmp_path / "one") == _bytes(tmp_path / other)


def _compiled(tmp_path: Path, *, spool: bool) -> list[Batch]:
    """Three texts, the last two alike, each compiled as a batch of its own."""
    settings = Settings(
        analyzer="english-2",
        tokenizer="bytes4",
        max_tokens=None,
        max_file_bytes=1 << 20,
        unique=True,
        convert=False,
    )
    texts = [GivenText("a.md", "A", "first"), GivenText("b.md", "B", "same"), GivenText("c.md", "B", "same")]
    with Compiler(settings, Spool(str(tmp_path)) if spool else None) as compiler:
        return [compiler([text]) for text in texts]


def test_a_copy_of_what_was_compiled_before_is_not_counted_again(tmp_path: Path) -> None:
    batches = _compiled(tmp_path, spool=True)
    assert [batch.postings.size > 0 for batch in batches] == [True, True, False]
    assert [batch.columns["lengths"][0] > 0 for batch in batches] == [True, True, False]


def test_every_copy_is_counted_by_those_who_may_work_for_several_builds(tmp_path: Path) -> None:
    """Without a spool nothing tells one build from the next."""
    assert all(batch.postings.size > 0 for batch in _compiled(tmp_path, spool=False))


def test_a_copy_of_what_has_changed_meanwhile_ends_the_build(tmp_path: Path) -> None:
    """A batch that was lost is compiled again, where its source may be another by then."""
    _, _, copy = _compiled(tmp_path, spool=True)
    with Staging(tmp_path / "cache") as staging:
        writer = CacheWriter(staging, {"unique": True}, spool=Spool(str(tmp_path)))
        writer.add(copy)
        with pytest.raises(SourceError, match="build again"):
            writer.finish((), ())


@pytest.mark.parametrize("gone", sorted(FILES))
def test_a_rebuild_is_a_build_from_nothing(sources: Path, tmp_path: Path, gone: str) -> None:
    """Where the first of some copies goes, the next one is the document."""
    record = tmp_path / "record"
    config = BuildConfig()
    report = build(sources, tmp_path / "cache", rebuild=(rebuild := Rebuild(record)))
    rebuild.save(tmp_path / "cache", report.cache_version)
    (sources / gone).unlink()
    found = freshness(sources, tmp_path / "cache", config, record_file=record)
    assert (found.state, found.removed) == ("stale", (gone,))
    rebuild = Rebuild(record, found)
    build(sources, tmp_path / "cache", force=True, rebuild=rebuild)
    build(sources, tmp_path / "new")
    assert _bytes(tmp_path / "cache") == _bytes(tmp_path / "new")


class Watched(Rebuild):
    """Remembers what it leaves to compile."""

    left: list[str]

    def reuse(self, sources: Sequence[Source], writer: CacheWriter) -> list[Source]:
        """Note which."""
        left = super().reuse(sources, writer)
        self.left = [source.id for source in left]
        return left


@pytest.mark.parametrize(
    ("changed", "compiled"),
    [
        ("other.md", ["other.md"]),
        ("v7/filter.md", ["v7/filter.md"]),
        ("v5/filter.md", ["v5/filter.md", "v6/filter.md", "v7/filter.md"]),
    ],
)
def test_copies_are_compiled_again_only_where_the_first_has_changed(
    sources: Path, tmp_path: Path, changed: str, compiled: list[str]
) -> None:
    """Its line is the one that is there; of the others nothing but their ids is kept."""
    record, cache = tmp_path / "record", tmp_path / "cache"
    report = build(sources, cache, rebuild=(rebuild := Rebuild(record)))
    rebuild.save(cache, report.cache_version)
    (sources / changed).write_text("# Changed\n")
    found = freshness(sources, cache, BuildConfig(), record_file=record)
    watched = Watched(record, found)
    build(sources, cache, force=True, rebuild=watched)
    build(sources, tmp_path / "new")
    assert watched.left == compiled
    assert _bytes(cache) == _bytes(tmp_path / "new")


def test_a_cache_without_its_record_is_judged_with_its_aliases(sources: Path, tmp_path: Path) -> None:
    """As in a clone, where nothing but the cache tells what the sources were."""
    build(sources, tmp_path / "cache")
    assert freshness(sources, tmp_path / "cache", BuildConfig()).fresh
    (sources / "v7/filter.md").write_text(FILTER + "More.\n")
    (sources / "v6/long.md").write_text(LONG.replace("part 0", "part zero"))
    (sources / "v6/filter.md").unlink()
    found = freshness(sources, tmp_path / "cache", BuildConfig())
    assert (found.added, found.removed, found.changed) == (
        (), ("v6/filter.md",), ("v6/long.md", "v7/filter.md"),
    )  # fmt: skip


def _reordered(text: str) -> str:
    first, *others = text.split("# Part ")[1:]
    return "".join(f"# Part {part}" for part in (*others, first))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("v5/long.md", lambda text: text.encode("utf-8-sig")),
        ("v6/long.md", lambda text: text.encode("utf-8-sig")),
        ("v5/filter.md", lambda text: text.encode("utf-16")),
        ("v5/long.md", lambda text: _reordered(text).encode()),
        ("v6/long.md", lambda text: _reordered(text).encode()),
    ],
    ids=["encoding", "encoding-of-copies", "encoding-of-a-whole-file", "order", "order-of-copies"],
)
def test_without_a_record_a_shared_file_is_stale_if_a_build_makes_other_bytes(
    sources: Path, tmp_path: Path, name: str, change: Callable[[str], bytes]
) -> None:
    """Documents tell their line and the encoding of their file, which their texts do not show."""
    build(sources, tmp_path / "cache")
    (sources / name).write_bytes(change((sources / name).read_text()))
    found = freshness(sources, tmp_path / "cache", BuildConfig())
    build(sources, tmp_path / "new")
    assert _bytes(tmp_path / "cache") != _bytes(tmp_path / "new")
    assert found.changed == (name,)


@pytest.mark.parametrize(
    ("alias", "source"),
    [
        ("a/b.md", "a/b.md"),
        ("a/b.md#part-0", "a/b.md"),
        ("a#b.md", "a#b.md"),
        ("a#b.md#über-uns", "a#b.md"),
        ("#a.md", "#a.md"),
        ("c#/a.md", "c#/a.md"),
    ],
)
def test_an_alias_tells_its_source(alias: str, source: str) -> None:
    assert file_of_alias(alias) == source
