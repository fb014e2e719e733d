"""Worker processes end with their use, whatever they are doing."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any

import pytest

from ctxcache.builder.build import Progress, build
from ctxcache.builder.compile import GivenText
from ctxcache.builder.report import SourceError
from ctxcache.builder.spool import shared_spool
from ctxcache.parallel import Work, ordered_map

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 60  # seconds
PROGRAM = """
import multiprocessing
import sys
from pathlib import Path

from ctxcache.parallel import worker_pool

mark = Path(sys.argv[1])


class Last:
    def __reduce__(self):
        mark.touch()  # what comes before is written down: sending begins
        return (int, ())


def outcome():
    return bytes(1 << 28), Last()


if __name__ == "__main__":
    try:
        with worker_pool(1, multiprocessing.get_context(sys.argv[2])) as pool:
            pool.submit(outcome)
            while not mark.exists():
                pass
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        print("ended")
"""


def test_a_worker_that_leaves_in_the_middle_of_an_outcome_holds_up_nobody(tmp_path: Path) -> None:
    """The thread of the pool would wait for the rest, and the end of the process for that thread."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    for start in ("fork", "spawn") if sys.platform == "linux" else ("spawn",):
        mark = tmp_path / start
        command = [sys.executable, str(program), str(mark), start]
        ended = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True, text=True)
        assert (ended.stdout, ended.stderr) == ("ended\n", "")


HELPERS = """
import multiprocessing
import errno
import os

from ctxcache.parallel import start_resource_tracker, worker_pool

if __name__ == "__main__":
    start_resource_tracker()
    with worker_pool(2, multiprocessing.get_context("spawn")) as pool:
        assert [pool.submit(abs, -number).result() for number in range(8)] == list(range(8))
    print(os.environ.get("PYTHONSAFEPATH"))
"""


def test_no_process_of_a_build_imports_from_the_current_directory(tmp_path: Path) -> None:
    """Documents may be there, and be called `multiprocessing.py`; what is set for that is taken back."""
    here, program = tmp_path / "here", tmp_path / "program.py"
    here.mkdir()
    program.write_text(HELPERS)
    for name in ("multiprocessing", "signal", "os", "ctxcache"):
        (here / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nraise SystemExit(1)\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    ended = subprocess.run(
        [sys.executable, str(program)], cwd=here, env=environment, capture_output=True, timeout=PATIENCE,
        check=False, text=True,
    )  # fmt: skip
    assert not (tmp_path / "ran").exists()
    assert (ended.stdout, ended.stderr) == ("None\n", "")


class Doubled(Work[int, int]):
    """Twice a number."""

    def __call__(self, item: int, /) -> int:
        """Do it."""
        return 2 * item


class Counting(Executor):
    """Does everything at once and counts it."""

    def __init__(self) -> None:
        self.submitted = 0

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        """Do it at once."""
        self.submitted += 1
        future: Future[Any] = Future()
        future.set_result(function(*arguments))
        return future


def test_outcomes_do_not_pile_up_before_somebody_takes_them() -> None:
    """Those of a large build would fill the memory."""
    executor = Counting()
    outcomes = ordered_map(Doubled(), range(100_000), jobs=2, executor=executor)
    for expected in (0, 2, 4):
        assert next(outcomes) == expected
    assert executor.submitted <= 4 * max(2, os.cpu_count() or 1) + 3
    outcomes.close()


class Growing(Counting):
    """Has more and more workers, and does nothing before it is asked for the outcome."""

    size = 1

    def __init__(self) -> None:
        super().__init__()
        self.futures: list[Future[Any]] = []

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        """Remember it."""
        future = super().submit(function, *arguments) if not self.futures else Future[Any]()
        self.futures.append(future)
        return future


def test_items_under_way_follow_the_workers_that_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster of 64 workers would starve on what keeps the cores of this machine busy."""
    executor = Growing()
    monkeypatch.setattr(executor, "size", 64)
    outcomes = ordered_map(Doubled(), range(1000), jobs=1, executor=executor)
    assert next(outcomes) == 0
    assert len(executor.futures) == 4 * 64
    outcomes.close()


def test_what_is_under_way_is_cancelled_when_a_build_fails(tmp_path: Path) -> None:
    """The caller's executor goes on living: nothing of a failed build may keep it busy."""
    executor = Growing()
    texts = [GivenText(f"{number:04}", "", f"page {number}") for number in range(1500)]

    def fail(_: Progress) -> None:
        if len(executor.futures) > 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(texts, tmp_path / "cache", executor=executor, progress=fail)
    first, *others = executor.futures
    assert first.done() and not first.cancelled()
    assert others and all(future.cancelled() for future in others)
    assert not (tmp_path / "cache" / "manifest.json").exists()


class Elsewhere(Counting):
    """Compiles on another machine, where one file of the folder has other words."""

    is_remote = True

    def __init__(self, changed: Path, text: bytes | None) -> None:
        super().__init__()
        self._changed = changed
        self._text = text

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        """Do it at once, there."""
        here = self._changed.read_bytes()
        self._changed.unlink()
        if self._text is not None:
            self._changed.write_bytes(self._text)
        future = super().submit(function, *arguments)
        self._changed.write_bytes(here)
        return future


@pytest.mark.parametrize("text", [b"# Other\n", b"", None])
def test_a_worker_that_sees_another_file_is_told_of(folder: Path, tmp_path: Path, text: bytes | None) -> None:
    """Changed, empty or missing there: else the cache would be of no folder that exists."""
    with pytest.raises(SourceError, match=r"index\.md: a worker sees another file"):
        build(folder, tmp_path / "cache", executor=Elsewhere(folder / "index.md", text))
    build(folder, tmp_path / "cache", executor=Elsewhere(folder / "index.md", b"# Handbook\n\nStart here.\n"))


def test_what_the_system_does_not_give_up_keeps_no_other_file_of_a_shared_spool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that succeeded does not fail for it either."""
    unlink = os.unlink

    def unlink_or_fail(path: Any, **options: Any) -> None:
        if os.fspath(path).endswith(kept):
            raise OSError(errno.EIO, os.strerror(errno.EIO), path)
        unlink(path, **options)

    with shared_spool(str(tmp_path)) as spool:
        kept = max(spool.write([b"postings"]) for _ in range(3))
        monkeypatch.setattr(os, "unlink", unlink_or_fail)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [kept]
