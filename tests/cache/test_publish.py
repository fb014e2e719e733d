"""Where a cache may be written, and that builds at one place do not harm each other."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder import inverter
from ctxcache.builder.compile import GivenText
from ctxcache.cache.publish import Staging
from ctxcache.errors import IoError, UsageError
from ctxcache.safeio import replace_bytes

PLAIN = BuildConfig(tokenizer="bytes4")
OLD = BuildConfig(profile="v0")
MANIFEST = '{\n  "cache_version": "sha256:'


def files(directory: Path) -> dict[str, bytes]:
    """The files below a directory with their bytes."""
    found = sorted(path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in found}


@pytest.mark.parametrize(
    "names",
    [
        {"documents/a.md": "mine"},
        {"documents/thesis.docx": "mine", "manifest.json": '{"name":"web app"}'},
        {"documents/thesis.docx": "mine", "manifest.json": MANIFEST},
        {"documents/0123456789ab.json/a.md": "mine", "manifest.json": MANIFEST},
        {"manifest.json": '{"name":"web app"}'},
        {"index.json": "{}"},
        {"index.json/page.md": "mine", "manifest.json": MANIFEST},
        {".build-notes": "mine"},
        {".build-products/a.o": "mine"},
        {".build-1/a.o": "mine"},
        {"documents-final.jsonl": "mine", "manifest.json": MANIFEST},
        {"index-0123456789ab.bin/a.md": "mine"},
    ],
    ids=lambda names: " ".join(names),
)
@pytest.mark.parametrize("config", [PLAIN, OLD], ids=["2", "1"])
def test_files_that_no_build_has_made_are_never_written_over(
    names: dict[str, str], config: BuildConfig, tmp_path: Path
) -> None:
    """Whatever they are called, and not even by force."""
    for name, text in names.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    before = files(tmp_path)
    for force in (False, True):
        with pytest.raises(UsageError, match="holds files that are no cache"):
            ctxcache.build([GivenText("a.md", "", "text")], tmp_path, config=config, force=force)
    assert files(tmp_path) == before


def test_a_folder_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    """`documents` in a cache is a real directory, or it is somebody's."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "0123456789ab.json").write_text("mine")
    ctxcache.build([], tmp_path / "cache", config=PLAIN)
    (tmp_path / "cache/documents").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="'documents'"):
        ctxcache.build([], tmp_path / "cache", config=PLAIN, force=True)
    assert files(elsewhere) == {"0123456789ab.json": b"mine"}


@pytest.mark.parametrize("kind", ["cache", "format1"])
def test_a_damaged_cache_is_replaced_by_force(kind: str, request: pytest.FixtureRequest) -> None:
    """Its data files tell whose the manifest was."""
    cache: Path = request.getfixturevalue(kind)
    (cache / "manifest.json").write_text("{")
    with pytest.raises(UsageError, match="--force replaces it"):
        ctxcache.build([GivenText("a.md", "", "text")], cache, config=PLAIN)
    ctxcache.build([GivenText("a.md", "", "text")], cache, config=PLAIN, force=True)
    assert ctxcache.verify(cache).valid


def test_the_sources_are_no_place_for_their_cache(tmp_path: Path) -> None:
    """Neither their folder, even an empty one, nor one above it."""
    (tmp_path / "documents").mkdir()
    for place in (tmp_path / "documents", tmp_path):
        with pytest.raises(UsageError):
            ctxcache.build(tmp_path / "documents", place, config=PLAIN, force=True)
    with pytest.raises(UsageError, match="the sources lie in it"):
        ctxcache.build(tmp_path / "documents", tmp_path / "documents", config=PLAIN)
    assert [path.name for path in tmp_path.rglob("*")] == ["documents"]


def test_builds_in_threads_leave_one_of_their_caches_whole(tmp_path: Path) -> None:
    """They share a process number, as builds in two containers may."""
    texts = [[GivenText(f"{n}.md", "", f"the text of {n} " * 2000)] for n in range(4)]
    start, failures = threading.Barrier(4), []

    def build(number: int) -> None:
        start.wait()
        try:
            for _ in range(5):
                ctxcache.build(texts[number], tmp_path / "cache", config=PLAIN, force=True, jobs=1)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=build, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert ctxcache.verify(tmp_path / "cache").valid
    assert len(files(tmp_path / "cache")) == 4


def test_only_the_leavings_of_ended_builds_are_removed(tmp_path: Path) -> None:
    """A build that goes on keeps its files, one that was killed does not."""
    cache = tmp_path / "cache"
    with Staging(cache) as going_on:
        (going_on.scratch / "lines").write_text("half")
        killed = "import os, pathlib, sys; from ctxcache.cache.publish import Staging; "
        killed += "(Staging(pathlib.Path(sys.argv[1])).__enter__().scratch / 'lines').touch(); os._exit(0)"
        subprocess.run([sys.executable, "-c", killed, str(cache)], check=True)
        assert len(list(cache.iterdir())) == 2
        ctxcache.build([], cache, config=PLAIN)
        assert list(cache.glob(".build-*")) == [going_on.scratch]
        assert (going_on.scratch / "lines").exists()
    assert ctxcache.verify(cache).valid


def test_a_name_that_the_system_refuses_is_an_io_error(tmp_path: Path) -> None:
    """From looking at the place on."""
    with pytest.raises(IoError, match="xxx"):
        ctxcache.build([], tmp_path / ("x" * 300), config=PLAIN)


LIMITED = """
import resource, sys
import ctxcache
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
text = ctxcache.GivenText("a.md", "", " ".join(map(str, range(9000))))
for config in (ctxcache.BuildConfig(tokenizer="bytes4"), ctxcache.BuildConfig(profile="v0")):
    try:
        ctxcache.build([text], sys.argv[1], config=config)
    except ctxcache.IoError as error:
        print(error)
try:
    ctxcache.verify(sys.argv[2])
except ctxcache.IoError as error:
    print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="no limit on the size of files")
def test_a_write_that_the_system_refuses_is_an_io_error(tmp_path: Path) -> None:
    """From a build and from a check, each with a name."""
    text = GivenText("a.md", "", " ".join(map(str, range(9000))))
    ctxcache.build([text], tmp_path / "sound", config=PLAIN)
    command = [sys.executable, "-c", LIMITED, str(tmp_path / "new"), str(tmp_path / "sound")]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(lines) == 3
    assert all(line.endswith(": File too large") for line in lines)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("kind", ["cache", "format1"])
@pytest.mark.parametrize("change", ["spaces", "extra", "surrogate", "deep"])
def test_verify_reads_a_manifest_by_the_byte(kind: str, change: str, request: pytest.FixtureRequest) -> None:
    """What no reader looks at is a fault as well, and no value of JSON stops the check."""
    cache: Path = request.getfixturevalue(kind)
    text = (cache / "manifest.json").read_text("utf-8")
    fields = json.loads(text)
    if change == "spaces":
        text = text.replace('": ', '":  ', 1)
    elif change == "extra":
        text = json.dumps(fields | {"more": 1}, indent=2, ensure_ascii=False)
    elif change == "surrogate":
        fields["build_config"]["x"] = "\ud800"
        text = json.dumps(fields)
    else:
        text = text.replace('"build_config": {', '"build_config": {"x": ' + "[" * 900 + "]" * 900 + ",", 1)
    (cache / "manifest.json").write_text(text, "utf-8")
    assert {fault.kind for fault in ctxcache.verify(cache).faults} <= {"manifest", "totals", "index"}
    assert not ctxcache.verify(cache).valid


def test_verify_finds_white_space_in_the_index_of_format_1(format1: Path) -> None:
    """And an id, a source or metadata with a lone surrogate."""
    index = format1 / "index.json"
    text = index.read_text("utf-8")
    index.write_text(text + "\n", "utf-8")
    assert [fault.kind for fault in ctxcache.verify(format1).faults] == ["index"]
    index.write_text(text, "utf-8")
    document = next((format1 / "documents").iterdir())
    sound = document.read_text("utf-8")
    for damaged in (
        sound.replace('"metadata":{', '"metadata":{"x":"\\ud800"'),
        sound.replace('"source":"', '"source":"\\ud800'),
        sound.replace('"id":"', '"id":"\\ud800'),
    ):
        document.write_text(damaged, "utf-8")
        assert [fault.kind for fault in ctxcache.verify(format1).faults] == ["documents"]
    document.write_text(sound, "utf-8")
    manifest = format1 / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace('"id": "', '"id": "\\ud800', 1), "utf-8")
    assert [fault.kind for fault in ctxcache.verify(format1).faults] == ["manifest"]


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, str]]:
    """What is synced and renamed from now on, in order: `sync` or `rename`, the inode, the new path."""
    events: list[tuple[str, int, str]] = []
    fsync, replace = os.fsync, os.replace

    def recording_fsync(descriptor: int) -> None:
        fsync(descriptor)
        events.append(("sync", os.fstat(descriptor).st_ino, ""))

    def recording_replace(old: str | Path, new: str | Path) -> None:
        events.append(("rename", Path(old).stat().st_ino, os.fspath(new)))
        replace(old, new)

    monkeypatch.setattr(os, "fsync", recording_fsync)
    monkeypatch.setattr(os, "replace", recording_replace)
    return events


@pytest.mark.parametrize("config", [PLAIN, OLD], ids=["format 2", "format 1"])
def test_what_a_name_stands_for_is_durable_before_the_name(
    config: BuildConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Data before their names, all of these before the manifest's, and that before old files go."""
    events = recorded(monkeypatch)
    cache = tmp_path / "cache"
    texts = [GivenText(f"{name}.md", name, f"text {name}") for name in "ab"]
    ctxcache.build(texts, cache, config=config)
    renames = [number for number, event in enumerate(events) if event[0] == "rename"]
    assert len(renames) >= 3 and events[renames[-1]][2] == str(cache / "manifest.json")
    for number in renames:
        assert ("sync", events[number][1], "") in events[:number], events[number]
    for number in renames[:-1]:
        folder = ("sync", Path(events[number][2]).parent.stat().st_ino, "")
        assert folder in events[number : renames[-1]], events[number]
    assert events[renames[-1] + 1] == ("sync", cache.stat().st_ino, "")


def test_a_configuration_is_durable_before_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a crash leaves the old bytes or the new ones, and no empty file."""
    (tmp_path / "ctx.toml").write_text("old", "utf-8")
    events = recorded(monkeypatch)
    replace_bytes(tmp_path / "ctx.toml", b"new")
    (renamed,) = (number for number, event in enumerate(events) if event[0] == "rename")
    assert ("sync", events[renamed][1], "") in events[:renamed]


def test_more_postings_than_a_cache_holds_are_foreseen_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sample of the batches says so, and the error what to do; a build that may just fit goes on."""
    texts = [GivenText(f"{number}.md", "", f"word{number} other words") for number in range(200)]
    ctxcache.build(texts, tmp_path / "cache", config=PLAIN)
    before = files(tmp_path / "cache")
    monkeypatch.setattr("ctxcache.builder.build.BATCH_SOURCES", 2)
    monkeypatch.setattr(inverter, "MAX_POSTINGS", 500)
    begun: list[object] = []
    with pytest.raises(UsageError, match=r"some 1,[0-9]+ postings, and a cache holds 500: split"):
        ctxcache.build(texts, tmp_path / "cache", config=PLAIN, force=True, progress=begun.append)
    assert not begun and files(tmp_path / "cache") == before
    monkeypatch.setattr(inverter, "MAX_POSTINGS", 1200)  # as many as there are, in more bytes
    ctxcache.build(texts, tmp_path / "cache", config=PLAIN, force=True)
    assert files(tmp_path / "cache") == before


def test_more_postings_than_an_index_holds_are_noticed_before_they_are_sorted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache in place stays, and the error says what to do."""
    texts = [GivenText(f"{number}.md", "", f"word{number} other") for number in range(20)]
    ctxcache.build(texts[:2], tmp_path / "cache", config=PLAIN)
    before = files(tmp_path / "cache")
    monkeypatch.setattr(inverter, "MAX_POSTINGS", 30)
    monkeypatch.setattr("ctxcache.builder.build.MARGIN", 100)  # the sample before the work does not end it
    monkeypatch.setattr(inverter.Inverter, "merge", None)
    with pytest.raises(UsageError, match="more than 30 postings: split the sources into several caches"):
        ctxcache.build(texts, tmp_path / "cache", config=PLAIN, force=True)
    assert files(tmp_path / "cache") == before


@pytest.mark.skipif(os.name == "nt", reason="what is synced there is no file")
def test_a_build_that_the_system_refuses_leaves_a_folder_that_the_next_one_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty folder of documents would be taken for somebody else's."""
    document = [GivenText("a.md", "A", "one page")]

    def refuse(descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    (tmp_path / "cache").mkdir()
    with monkeypatch.context() as patch, pytest.raises(IoError):
        patch.setattr(os, "fsync", refuse)
        ctxcache.build(document, tmp_path / "cache", config=OLD)
    assert list((tmp_path / "cache").iterdir()) == []
    ctxcache.build(document, tmp_path / "cache", config=OLD)
