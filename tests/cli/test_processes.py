"""A build has processes of its own; however it ends, none of them is left."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from subprocess import Popen

import pytest

Start = Callable[..., Popen[bytes]]

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="only Linux tells of a process's children"
)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Where the cache goes."""
    return tmp_path / "cache"


@pytest.fixture
def building(start: Start, tmp_path: Path, cache: Path) -> Popen[bytes]:
    """A build that has started its processes and is far from done."""
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(120):
        (docs / f"{number}.md").write_text(f"# {number}\n\n" + f"word{number} and some others. " * 2000)
    process = start("build", str(docs), "--cache", str(cache), "--jobs", "2", start_new_session=True)
    while len(children(process)) < 2:
        assert process.poll() is None
    return process


def children(process: Popen[bytes]) -> list[str]:
    """The processes that a process started."""
    return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()


def wait_until_gone(workers: list[str]) -> None:
    """Orphans are taken over by another process, which may leave them as zombies."""
    for worker in workers:
        status = Path(f"/proc/{worker}/status")
        with suppress(FileNotFoundError, ProcessLookupError):
            while "State:\tZ" not in status.read_text():
                pass


def test_an_interrupt_from_the_keyboard_ends_them_all(building: Popen[bytes], cache: Path) -> None:
    """A keyboard interrupts the whole group; what was queued is not worked off first."""
    workers = children(building)
    os.killpg(building.pid, signal.SIGINT)
    _, said = building.communicate()
    assert building.returncode == 128 + signal.SIGINT
    assert b"Traceback" not in said
    assert not cache.exists()
    wait_until_gone(workers)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_they_follow_a_build_that_is_killed(
    building: Popen[bytes], cache: Path, number: signal.Signals
) -> None:
    workers = children(building)
    building.send_signal(number)
    building.communicate()
    assert not (cache / "manifest.json").exists()
    wait_until_gone(workers)


def test_the_death_of_one_ends_the_build_with_a_sentence(building: Popen[bytes], cache: Path) -> None:
    workers = children(building)
    os.kill(int(workers[0]), signal.SIGKILL)
    _, said = building.communicate()
    assert building.returncode == 6
    assert said.decode() == ("error: a worker process was killed, perhaps for lack of memory; try --jobs 1\n")
    assert not cache.exists()
    wait_until_gone(workers)
