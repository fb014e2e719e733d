"""What a build writes into a scratch directory is what it reads there, or it ends in a line that says so."""

from __future__ import annotations

import os
import random
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ctxcache
from ctxcache.builder import build, inverter
from ctxcache.builder.document_list import DocumentList
from ctxcache.builder.spool import Spool, shared_spool
from ctxcache.errors import IoError

if TYPE_CHECKING:
    from collections.abc import Iterable

PATTERN = r"is not what was written: the disk fails, or another program writes there$"
NEVER_EMPTY = {"term_bytes", "posting_starts", "posting_documents", "tokens", "line_ends", "line_checksums"}


def _other_bytes(data: bytes, chance: random.Random) -> bytes:
    return chance.randbytes(len(data))


def _another_byte(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return b"%b%c%b" % (data[:at], data[at] ^ chance.randrange(1, 256), data[at + 1 :])


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pages of several batches, whose postings are merged in several ranges."""
    monkeypatch.setattr(inverter, "ALONE", 0)
    monkeypatch.setattr(build, "BATCH_SOURCES", 2)
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(6):
        words = " ".join(f"word{number * other}" for other in range(40))
        (folder / f"page-{number}.md").write_text(f"# Page {number}\n\n{words} {'again ' * 300}\n")
    return folder


def _build(folder: Path, tmp_path: Path, name: str) -> None:
    with ThreadPoolExecutor(2) as executor:
        executor.scratch = str(tmp_path / "scratch")  # type: ignore[attr-defined]  # as a cluster has it
        ctxcache.build(folder, tmp_path / name, executor=executor)


@pytest.mark.parametrize("damage", [_other_bytes, _another_byte, _cut])
def test_a_spooled_file_that_is_damaged_is_told_in_a_line(
    many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Any
) -> None:
    """Whichever file it is; no cache is left, and nothing in the scratch directory."""
    (tmp_path / "scratch").mkdir()
    write = Spool.write
    numbers = count()
    damaged: list[int] = []

    def counted(spool: Spool, parts: Iterable[bytes | memoryview]) -> str:
        name, number = write(spool, parts), next(numbers)
        if number in damaged:
            file = Path(spool.root, name)
            file.write_bytes(damage(file.read_bytes(), random.Random(number)))
        return name

    monkeypatch.setattr(Spool, "write", counted)
    _build(many, tmp_path, "sound")
    files = next(numbers)
    assert files > 6
    for number in range(files):
        numbers, damaged = count(), [number]
        with pytest.raises(IoError, match=PATTERN) as told:
            _build(many, tmp_path, "damaged")
        shared, own = f"{tmp_path / 'scratch'}/ctx-build-", f"{tmp_path / 'damaged'}/.build-"
        assert str(told.value).startswith((shared, own))
        assert not (tmp_path / "damaged").exists()
        assert not [*(tmp_path / "scratch").iterdir()]


def test_a_folder_in_which_a_worker_still_writes_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file comes between the look at what is in the folder and its removal."""
    rmdir = os.rmdir
    late: list[Any] = [tmp_path]

    def after_a_file(path: Any, *arguments: Any, **options: Any) -> None:
        if late:
            late.clear()
            Path(spool.root, "late").write_bytes(b"late")
        rmdir(path, *arguments, **options)

    with shared_spool(str(tmp_path)) as spool:
        spool.put_bytes(b"data")
        monkeypatch.setattr(os, "rmdir", after_a_file)
    assert not late
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("are_sorted", [True, False])
@pytest.mark.parametrize("damage", [_other_bytes, _another_byte, _cut])
def test_lines_that_are_damaged_before_they_are_published_are_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Any, are_sorted: bool
) -> None:
    """They would be published with a checksum that fits."""
    folder = tmp_path / "folder"
    folder.mkdir()
    names = "abc" if are_sorted else ("a", "a-b/c", "a/b")  # a folder comes before its neighbour
    for name in names:
        page = folder / f"{name}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(f"# Page {name}\n\n{name} {'word ' * 200}\n")
    sort = DocumentList.sort

    def damaging(documents: DocumentList, *, unique: bool) -> Any:
        (lines,) = documents._parts
        file = Path(documents._spool.root, lines.name)
        data = file.read_bytes()
        file.write_bytes(data[: lines.start] + damage(data[lines.start : lines.end], random.Random(1)))
        return sort(documents, unique=unique)

    monkeypatch.setattr(DocumentList, "sort", damaging)
    with pytest.raises(IoError, match=PATTERN):
        ctxcache.build(folder, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
