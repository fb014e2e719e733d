"""What the program writes, whoever listens and however they leave."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import pytest

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
