"""A build: what it makes, that it makes the same everywhere, and that it never leaves half of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.compile import GivenText
from ctxcache.builder.document_list import DocumentList
from ctxcache.builder.inverter import Inverter, Merged
from ctxcache.builder.report import Skipped
from ctxcache.builder.sources.source_filter import Rules
from ctxcache.errors import IoError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ctxcache.builder.build import Progress


def contents(cache: Path) -> dict[str, bytes]:
    """The files of a directory with their bytes."""
    return {
        str(path.relative_to(cache)): path.read_bytes() for path in sorted(cache.rglob("*")) if path.is_file()
    }


def run_build(folder: Path, cache: Path, *options: str, **environment: str) -> None:
    """Build in a process of its own."""
    command = [sys.executable, "-m", "ctxcache", "build", str(folder), "--cache", str(cache), *options]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | environment)


def test_a_cache_holds_each_file_or_its_sections(folder: Path, tmp_path: Path) -> None:
    """Ids are paths, sections have a slug, and the sections of a file joined are the file."""
    ctxcache.build(folder, tmp_path / "cache")
    documents = list(ctxcache.open_cache(tmp_path / "cache").documents())
    ids = [document.id for document in documents]
    assert ids == sorted(ids, key=str.encode)
    assert {"index.md", "deploy/rollback.md", "empty.md", "twin.md", "日本.md"} <= set(ids)
    sections = [document for document in documents if document.source == "guide.md"]
    sections.sort(key=lambda section: section.origin.line)
    assert len(sections) > 2
    assert "".join(section.content for section in sections) == (folder / "guide.md").read_bytes().decode()
    assert sections[1].title.startswith("Guide > Part")


def test_ids_are_in_order_even_where_a_file_name_falls_between_sections(folder: Path, tmp_path: Path) -> None:
    """`guide.md#part-3-odd.md` sorts after `guide.md#part-2`, before `guide.md#part-4`."""
    ctxcache.build(folder, tmp_path / "cache")
    cache = ctxcache.open_cache(tmp_path / "cache")
    ids = [document.id for document in cache.documents()]
    assert 0 < ids.index("guide.md#part-3-odd.md") < len(ids) - 1
    assert ids[ids.index("guide.md#part-3-odd.md") + 1].startswith("guide.md#part")
    assert ctxcache.verify(tmp_path / "cache").valid
    assert cache.resolve("name between the sections", 500).documents[0].id == "guide.md#part-3-odd.md"


def test_content_and_front_matter_are_kept_as_written(folder: Path, tmp_path: Path) -> None:
    """Nothing trimmed, no newline changed, `1.10` no number; a mark is decoded and told."""
    report = ctxcache.build(folder, tmp_path / "cache")
    cache = ctxcache.open_cache(tmp_path / "cache")
    page, lines, wide = (cache.document(id_) for id_ in ("deploy/rollback.md", "zwei.txt", "utf16.md"))
    assert page and lines and wide
    assert page.metadata == {"title": "Rolling back", "version": "1.10"}
    assert page.title == "Rolling back"
    assert lines.content == "Zwölf Boxkämpfer\r\njagen\r\n"
    assert (wide.content, wide.metadata, wide.origin.encoding) == ("# Wide\n", {}, "utf-16-le")
    assert [str(item) for item in report.warnings] == [
        "warning: utf16.md: decoded as utf-16-le, by its byte-order mark"
    ]
    assert [item.path for item in report.skipped] == ["latin1.md"]


def test_the_manifest_says_what_is_there(folder: Path, tmp_path: Path) -> None:
    """Its counts are those of the report and of the documents."""
    report = ctxcache.build(folder, tmp_path / "cache")
    manifest = json.loads((tmp_path / "cache/manifest.json").read_bytes())
    documents = list(ctxcache.open_cache(tmp_path / "cache").documents())
    assert manifest["document_count"] == report.documents == len(documents)
    assert manifest["source_count"] == report.sources == len({d.source for d in documents})
    assert manifest["total_tokens"] == report.tokens == sum(d.tokens for d in documents)
    assert manifest["total_words"] == report.words == sum(d.words for d in documents)


def test_neither_place_nor_order_nor_environment_nor_workers_show(folder: Path, tmp_path: Path) -> None:
    """Equal directories, byte for byte: path, creation order, locale, time zone, hash seed, umask, jobs."""
    run_build(folder, tmp_path / "one")
    moved = tmp_path / "elsewhere" / "copied"
    moved.mkdir(parents=True)
    for path in sorted(folder.rglob("*"), reverse=True):
        target = moved / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            shutil.copyfile(path, target)
    umask = os.umask(0o077)
    try:
        run_build(
            moved, tmp_path / "two", "--jobs", "4",
            PYTHONHASHSEED="7", LC_ALL="C", TZ="Pacific/Kiritimati", LANG="tr_TR.UTF-8",
        )  # fmt: skip
    finally:
        os.umask(umask)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_worker_processes_leave_no_trace(tmp_path: Path) -> None:
    """With enough text for several batches."""
    texts = [GivenText(f"{n:04}.md", f"Page {n}", f"word{n % 97} " * (n % 900)) for n in range(1200)]
    for jobs in (1, 3):
        ctxcache.build(texts, tmp_path / str(jobs), jobs=jobs)
    assert contents(tmp_path / "1") == contents(tmp_path / "3")


def test_an_index_may_be_written_before_the_documents_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are made at once: neither takes what the other needs."""
    write, merge = DocumentList.write, Inverter.merge
    index_is_begun = threading.Event()

    def write_late(documents: DocumentList) -> tuple[Path, str]:
        assert index_is_begun.wait(60)
        return write(documents)

    def begin(inverter: Inverter, *arguments: Any) -> Merged:
        index_is_begun.set()
        return merge(inverter, *arguments)

    monkeypatch.setattr(DocumentList, "write", write_late)
    monkeypatch.setattr(Inverter, "merge", begin)
    ctxcache.build([GivenText("a.md", "", "one"), GivenText("b.md", "", "two")], tmp_path / "cache")
    assert not ctxcache.verify(tmp_path / "cache").faults


def test_progress_ends_at_the_whole(folder: Path, tmp_path: Path) -> None:
    """In bytes of the sources."""
    seen: list[Progress] = []
    ctxcache.build(folder, tmp_path / "cache", progress=seen.append)
    assert seen[-1].done == seen[-1].total == sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())


def test_an_existing_cache_is_replaced_only_by_force(folder: Path, tmp_path: Path) -> None:
    """And what was there stays as it was when the build is refused."""
    ctxcache.build(folder, tmp_path / "cache")
    before = contents(tmp_path / "cache")
    (folder / "index.md").write_text("changed")
    with pytest.raises(UsageError, match="--force replaces it"):
        ctxcache.build(folder, tmp_path / "cache")
    assert contents(tmp_path / "cache") == before
    ctxcache.build(folder, tmp_path / "cache", force=True)
    assert len(contents(tmp_path / "cache")) == 4
    assert ctxcache.verify(tmp_path / "cache").valid


def test_a_cache_inside_its_own_sources_is_no_source(folder: Path, tmp_path: Path) -> None:
    """Whatever is included, a rebuild gives what the build from nothing gave."""
    config = BuildConfig(rules=Rules(include=("**",)))
    ctxcache.build(folder, tmp_path / "outside", config=config)
    for _ in range(2):
        report = ctxcache.build(folder, folder / "caches" / "docs", config=config, force=True)
        assert contents(folder / "caches" / "docs") == contents(tmp_path / "outside")
    assert Skipped("caches/docs/", "a cache, not a source") in report.skipped


def test_a_directory_that_holds_other_files_is_never_touched(folder: Path, tmp_path: Path) -> None:
    """Not even by force: `--cache ~` must not cost anyone their home."""
    with pytest.raises(UsageError, match="no cache"):
        ctxcache.build(folder, folder, force=True)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="no directory"):
        ctxcache.build(folder, tmp_path / "file", force=True)
    assert (tmp_path / "file").read_text() == "mine"


def test_formats_replace_each_other(folder: Path, tmp_path: Path) -> None:
    """Nothing of the one is left behind by the other."""
    (folder / "twin.md").unlink()
    old = BuildConfig(profile="v0")
    ctxcache.build(folder, tmp_path / "cache", config=old)
    ctxcache.build(folder, tmp_path / "cache", force=True)
    assert len(contents(tmp_path / "cache")) == 4
    ctxcache.build(folder, tmp_path / "cache", config=old, force=True)
    assert ctxcache.verify(tmp_path / "cache").valid


def test_an_empty_folder_makes_an_empty_cache_and_says_so(tmp_path: Path) -> None:
    """It is valid, and answers."""
    (tmp_path / "docs").mkdir()
    report = ctxcache.build(tmp_path / "docs", tmp_path / "cache")
    assert [str(item) for item in report.warnings] == ["warning: no document was found: the cache is empty"]
    assert ctxcache.verify(tmp_path / "cache").valid
    result = ctxcache.resolve(tmp_path / "cache", "anything", 100)
    assert (result.documents, result.documents_considered) == ([], 0)


def test_what_cannot_be_read_fails_a_strict_build_and_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    """The directory that was made for the cache is gone again."""
    with pytest.raises(UsageError, match=r"latin1\.md"):
        ctxcache.build(folder, tmp_path / "a" / "cache", strict=True)
    assert not (tmp_path / "a").exists()


def test_a_place_that_cannot_be_written_is_an_io_error(folder: Path, tmp_path: Path) -> None:
    """A file stands where a directory is needed."""
    (tmp_path / "file").write_text("")
    with pytest.raises(IoError, match="file"):
        ctxcache.build(folder, tmp_path / "file" / "cache")


KILLED_AT_EACH_STEP = """
import os, pathlib, signal, sys
import ctxcache, ctxcache.builder.format1, ctxcache.builder.writer  # once, not in each child

folder, cache, profile = sys.argv[1:]

def build_until(step):
    calls = iter(range(step))
    for module, name in ((os, "fsync"), (os, "open"), (pathlib.Path, "replace"), (pathlib.Path, "unlink")):
        def counted(*arguments, real=getattr(module, name), **options):
            if next(calls, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)
        setattr(module, name, counted)
    options = {"profile": "v0"} if profile == "v0" else {"tokenizer": "bytes4"}
    config = ctxcache.BuildConfig(**options)
    ctxcache.build(folder, cache, config=config, force=True)

for step in range(200):
    child = os.fork()
    if not child:
        build_until(step)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    print(ctxcache.resolve(cache, "text", 100).to_json(), end="")
    if not status:
        break
print(step)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a step more is a process forked once more")
@pytest.mark.parametrize("profile", ["v2", "v0"])
def test_a_kill_at_any_step_leaves_the_old_cache_or_the_new_one(
    profile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before every single call that publishes; the build after it clears up.

    One page changes and one gets another name, so that in format 1 a file changes under its name.
    """
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    config = BuildConfig(profile="v0") if profile == "v0" else BuildConfig(tokenizer="bytes4")
    folder, cache = tmp_path / "docs", tmp_path / "cache"
    folder.mkdir()
    (folder / "page.md").write_text("the old text")
    (folder / "name.md").write_text("the text of a page")
    ctxcache.build(folder, cache, config=config)
    old = ctxcache.resolve(cache, "text", 100).to_json()
    (folder / "page.md").write_text("the new text")
    (folder / "name.md").rename(folder / "another.md")
    ctxcache.build(folder, tmp_path / "reference", config=config)
    new = ctxcache.resolve(tmp_path / "reference", "text", 100).to_json()
    command = [sys.executable, "-c", KILLED_AT_EACH_STEP, str(folder), str(cache), profile]
    *answers, steps = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert int(steps) > 10
    assert {f"{answer}\n" for answer in answers} == {old, new}
    assert contents(cache) == contents(tmp_path / "reference")


def test_two_builds_of_one_cache_at_once_leave_one_of_them_whole(tmp_path: Path) -> None:
    """Neither removes what the other is placing."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "page.md").write_text(f"the text of {name}")
    options = ["--cache", str(tmp_path / "cache"), "--force", "--tokenizer", "bytes4"]
    build = [sys.executable, "-m", "ctxcache", "build", *options]
    processes = [
        subprocess.Popen([*build, str(tmp_path / name)], stderr=subprocess.PIPE)
        for name in ("one", "two", "one", "two")
    ]
    for process in processes:
        _, err = process.communicate()
        assert process.returncode == 0, err
    assert ctxcache.verify(tmp_path / "cache").valid


@pytest.mark.parametrize("profile", ["v2", "v0"])
def test_an_open_cache_answers_on_while_it_is_rebuilt(profile: str, tmp_path: Path) -> None:
    """From the generation that it opened, however often the files are replaced."""
    config = BuildConfig(profile=profile)
    texts = [[GivenText("page.md", "", f"the text of generation {n}")] for n in range(2)]
    ctxcache.build(texts[0], tmp_path / "cache", config=config)
    cache = ctxcache.open_cache(tmp_path / "cache")
    other = ctxcache.open_cache(tmp_path / "cache")
    before = ctxcache.resolve(tmp_path / "cache", "text", 100).to_json()
    for generation in (1, 0, 1):
        ctxcache.build(texts[generation], tmp_path / "cache", config=config, force=True)
        assert cache.resolve("text", 100).to_json() == before
    assert other.resolve("text", 100).to_json() == before
    assert "generation 1" in ctxcache.open_cache(tmp_path / "cache").resolve("text", 100).to_json()


@pytest.mark.parametrize("profile", ["v2", "v0"])
def test_opening_while_builds_replace_the_files_always_finds_a_whole_cache(
    profile: str, tmp_path: Path
) -> None:
    """A reader that finds a file of the manifest gone reads the manifest once more."""
    config = BuildConfig(profile=profile)
    texts = [
        [GivenText("page.md", "", f"the text of generation {n}"), GivenText(f"{n}.md", "", "more")]
        for n in range(2)
    ]
    ctxcache.build(texts[0], tmp_path / "cache", config=config)
    stop = threading.Event()

    def rebuild() -> None:
        try:
            for number in range(40):
                ctxcache.build(texts[number % 2], tmp_path / "cache", config=config, force=True, jobs=1)
        finally:
            stop.set()

    builder = threading.Thread(target=rebuild)
    builder.start()
    answers = set()
    while not stop.is_set():
        answers.add(ctxcache.open_cache(tmp_path / "cache").resolve("text", 100).to_json())
    builder.join()
    assert {answer.count("generation") for answer in answers} == {1}


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="nothing there reserves room")
def test_postings_have_their_room_on_disk_before_they_are_written(tmp_path: Path) -> None:
    """A map of a file with holes ends in a signal, not an error, when the disk is full."""
    from ctxcache.builder import inverter

    inverter._reserve(tmp_path / "documents", 1 << 22)
    assert (tmp_path / "documents").stat().st_blocks * 512 >= 1 << 22


@pytest.mark.skipif(os.name == "nt", reason="no open file can be removed there")
def test_no_other_program_can_write_to_postings_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They have no checksum: their file has no name."""
    import numpy as np

    from ctxcache.builder import inverter
    from ctxcache.builder.spool import Spool
    from ctxcache.cache.publish import Staging

    monkeypatch.setattr(inverter, "IN_MEMORY", 1 << 20)
    with Staging(tmp_path / "cache") as staging:
        before = {*staging.scratch.iterdir()}
        inverted = inverter.Inverter(Spool(str(staging.scratch)), staging.scratch, inverter.Processes())
        array = inverted.output("documents", 1 << 20, np.uint32)
        assert {*staging.scratch.iterdir()} == before
        array[:] = 7
        assert array.sum(dtype=np.int64) == 7 << 20


def test_postings_are_sorted_slice_by_slice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts whose sections come out of order give the same bytes, in small slices and on disk."""
    from ctxcache.builder import inverter, spool
    from ctxcache.cache import postings
    from ctxcache.cache import texts as texts_of_a_cache

    texts = [
        GivenText("a.md", "", "".join(f"# Same {n}\n\n{'word ' * 300}\n\n" for n in (2, 10, 1, 3))),
        GivenText("a.md#same-10-b", "", "a word between, größer 東京, столп и земля"),
    ]
    config = BuildConfig(tokenizer="bytes4")
    ctxcache.build(texts, tmp_path / "whole", config=config)
    assert ctxcache.verify(tmp_path / "whole").valid
    for size in (1, 2, 7):
        monkeypatch.setattr(postings, "SLICE", size)
        monkeypatch.setattr(spool, "AT_ONCE", size)
        monkeypatch.setattr(texts_of_a_cache, "SOME", size)
        for limit in ("IN_MEMORY", "RANGE", "ALONE"):
            monkeypatch.setattr(inverter, limit, size)
        ctxcache.build(texts, tmp_path / str(size), config=config)
        assert contents(tmp_path / str(size)) == contents(tmp_path / "whole")


def test_an_executor_of_the_callers_compiles_as_well(folder: Path, tmp_path: Path) -> None:
    """Whatever it is made of."""
    from concurrent.futures import ThreadPoolExecutor

    ctxcache.build(folder, tmp_path / "one", jobs=1)
    with ThreadPoolExecutor(2) as executor:
        ctxcache.build(folder, tmp_path / "two", executor=executor)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.parametrize("where", ["{}/directory", "file://{}/directory", "memory://scratch"])
def test_workers_leave_and_merge_what_they_compile_where_all_reach_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """In a directory or behind a URL; nothing is left there."""
    from concurrent.futures import ThreadPoolExecutor

    from fsspec.implementations.memory import MemoryFileSystem  # type: ignore[import-untyped]  # has none

    from ctxcache.builder import build, inverter

    monkeypatch.setattr(inverter, "ALONE", 0)
    monkeypatch.setattr(build, "BATCH_SOURCES", 2)
    (tmp_path / "directory").mkdir()
    ctxcache.build(folder, tmp_path / "one", jobs=1)
    with ThreadPoolExecutor(3) as executor:
        executor.scratch = where.format(tmp_path)  # type: ignore[attr-defined]  # as a cluster has it
        ctxcache.build(folder, tmp_path / "two", executor=executor)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert not [*(tmp_path / "directory").iterdir(), *MemoryFileSystem.store]


@pytest.mark.parametrize("where", ["{}/none", "file://{}/none"])
def test_a_scratch_that_is_not_there_is_a_line(folder: Path, tmp_path: Path, where: str) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as executor:
        executor.scratch = where.format(tmp_path)  # type: ignore[attr-defined]  # as a cluster has it
        with pytest.raises(IoError, match=r"none/ctx-build-.*: No such file or directory"):
            ctxcache.build(folder, tmp_path / "cache", executor=executor)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("option", ["tokenizer", "split", "profile"])
def test_what_no_build_knows_is_refused(option: str) -> None:
    """With the values that there are."""
    with pytest.raises(UsageError, match=f"{option}: 'odd' is not one of"):
        BuildConfig(**{option: "odd"})  # type: ignore[arg-type]  # the point of the test
