"""What the program writes, whoever listens and however they leave."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import Popen

import pytest

import ctxcache

Start = Callable[..., Popen[bytes]]


def test_a_reader_that_leaves_ends_the_program_quietly(start: Start, wide_root: Path) -> None:
    """`ctx list | head -c 1`: the rest of the listing meets a closed pipe."""
    with start("list", str(wide_root)) as process:
        assert process.stdout and process.stderr
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 128 + signal.SIGPIPE


def test_an_interrupt_ends_the_program_quietly(start: Start, wide_root: Path) -> None:
    """The program is sure to be at work when interrupted: it waits for room in the pipe."""
    with start("list", str(wide_root), bufsize=0) as process:
        assert process.stdout and process.stderr
        process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b""
    assert process.returncode == 128 + signal.SIGINT


def test_a_result_larger_than_a_pipe_arrives_whole_when_nobody_may_block(
    start: Start, wide_root: Path
) -> None:
    """A parent may have left the pipe non-blocking for its own use."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with start("list", str(wide_root), stdout=writing) as process, os.fdopen(reading, "rb") as pipe:
        os.close(writing)
        assert len(pipe.read()) > 200 * 1000
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_is_an_io_error(start: Start, wide_root: Path) -> None:
    with Path("/dev/full").open("wb") as full, start("list", str(wide_root), stdout=full) as process:
        assert process.stderr
        assert process.stderr.read() == b"error: standard output: No space left on device\n"
    assert process.returncode == 6


def test_closed_channels_are_no_crash(start: Start, wide_root: Path) -> None:
    def close() -> None:
        os.close(1)
        os.close(2)

    with start("list", str(wide_root), preexec_fn=close) as process:
        pass
    assert process.returncode == 6


@pytest.mark.parametrize("encoding", ["ascii", "utf-16", "latin-1"])
def test_a_result_is_utf_8_whatever_the_locale_says(start: Start, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "Größe 部署").mkdir()
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    with start("list", str(tmp_path), env=environment) as process:
        assert process.stdout and process.stderr
        shown, said = process.stdout.read(), process.stderr.read()
    assert (process.returncode, said) == (0, b"")
    assert shown == '{"caches":[{"path":"Größe 部署","has_manifest":false}]}\n'.encode()


def test_a_narrow_terminal_shortens_ids_in_the_middle_and_keeps_the_figures(tmp_path: Path) -> None:
    """Elsewhere a table is as wide as it is."""
    name = "a-folder-with-a-long-name/and-a-page-with-a-longer-one.md"
    (tmp_path / "docs" / name).parent.mkdir(parents=True)
    (tmp_path / "docs" / name).write_text("# Pager\n")
    ctxcache.build(tmp_path / "docs", tmp_path / "cache", config=ctxcache.BuildConfig(tokenizer="bytes4"))
    line = ["resolve", "-c", str(tmp_path / "cache"), "-q", "pager", "-b", "9", "--format", "table"]
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ctxcache", *line]
    subprocess.run(command, stdout=theirs, env=os.environ | {"COLUMNS": "60"}, check=True, timeout=120)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    first = next(row for row in shown.splitlines() if row.startswith("1 "))
    assert len(first) <= 60 and "…" in first and first.split()[-2:] == ["2", "2"]
    plain = subprocess.run(command, capture_output=True, check=True, timeout=120).stdout.decode()
    assert name in plain


WRITES = {
    "ctx.toml": ("init",),
    ".mcp.json": ("install", "claude-code"),
    ".context.yaml": ("scope", "init", "."),
    "figures.json": ("eval", "queries.txt", "--qrels", "qrels.txt", "-c", "made", "--save", "figures.json"),
    "page.html": ("why", "-c", "made", "-q", "roll", "--html", "page.html"),
}


@pytest.mark.skipif(os.name == "nt", reason="no limit of the size of files there")
@pytest.mark.parametrize("name", WRITES)
def test_a_file_that_cannot_be_written_whole_is_as_it_was(start: Start, tmp_path: Path, name: str) -> None:
    """Absent, or what it held before; the one line of the error has its name."""
    import resource

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nroll back\n" + "words " * 2000)
    (tmp_path / "code.py").write_text("#" * 20_000)
    (tmp_path / "queries.txt").write_text("roll back\n")
    (tmp_path / "qrels.txt").write_text("query-id\tcorpus-id\tscore\n1\ta.md\t1\n")
    ctxcache.build(tmp_path / "docs", tmp_path / "made", config=ctxcache.BuildConfig(tokenizer="bytes4"))
    before = {".mcp.json": "{}\n", "figures.json": "those of before"}.get(name)
    if before:
        (tmp_path / name).write_text(before)
    limit = (10, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
    process = start(
        *WRITES[name], cwd=tmp_path, preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, limit)
    )
    _, stderr = process.communicate(timeout=60)
    *_, line = stderr.decode().splitlines()
    assert line.startswith("error: ") and line.endswith(f"{name}: File too large"), line
    assert process.returncode == 6
    assert (tmp_path / name).exists() == (before is not None)
    assert before is None or (tmp_path / name).read_text() == before
