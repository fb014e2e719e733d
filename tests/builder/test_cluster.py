"""Builds on the workers of a dask scheduler: two processes, over TCP."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from ctxcache.builder.build import Progress, build
from ctxcache.builder.cluster import cluster
from ctxcache.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A scheduler with two workers that start in a folder of their own."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, protocol="tcp", dashboard_address=":0",
        local_directory=str(tmp_path_factory.mktemp("workers")),
    ) as local:  # fmt: skip
        yield local


def files(cache: Path) -> dict[str, bytes]:
    """The files of a cache."""
    return {path.name: path.read_bytes() for path in cache.iterdir()}


def many(folder: Path) -> Path:
    """More pages than one batch takes."""
    for number in range(800):
        (folder / f"page-{number}.md").write_text(f"# Page {number}\n\nHow to roll back step {number}.\n")
    return folder


def test_a_cluster_builds_the_same_bytes(workers: Any, folder: Path, tmp_path: Path) -> None:
    build(folder, tmp_path / "here")
    with cluster(workers.scheduler_address) as executor:
        build(folder, tmp_path / "there", executor=executor)
    assert files(tmp_path / "there") == files(tmp_path / "here")


def test_a_cluster_that_merges_in_a_directory_of_all_builds_the_same_bytes(
    workers: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxcache.builder.inverter.ALONE", 0)
    pages = many(folder)
    build(pages, tmp_path / "here")
    (tmp_path / "scratch").mkdir()
    with cluster(workers.scheduler_address, str(tmp_path / "scratch")) as executor:
        build(pages, tmp_path / "there", executor=executor)
    assert files(tmp_path / "there") == files(tmp_path / "here")
    assert not [*(tmp_path / "scratch").iterdir()]


def test_a_worker_that_is_killed_changes_no_byte(workers: Any, folder: Path, tmp_path: Path) -> None:
    """Its batches are given to the other one."""
    pages = many(folder)
    build(pages, tmp_path / "here")
    with distributed.Client(workers.scheduler_address, set_as_default=False) as client:
        processes = list(client.run(os.getpid).values())

    def kill(_: Progress) -> None:
        with suppress(IndexError):
            os.kill(processes[1:].pop(), signal.SIGKILL)
            del processes[1:]

    with cluster(workers.scheduler_address) as executor:
        build(pages, tmp_path / "there", executor=executor, progress=kill)
    assert len(processes) == 1
    assert files(tmp_path / "there") == files(tmp_path / "here")


def test_an_address_without_a_scheduler_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxcache.builder.cluster.WAIT", 0.1)
    with pytest.raises(UsageError, match="no dask scheduler answers there"), cluster("tcp://127.0.0.1:9"):
        pass


@pytest.mark.parametrize(
    "address", ["scheduler", "tcp://", "tcp://host", "tcp://host:x", "nonsense://host:1"]
)
def test_an_address_of_another_form_is_a_line_at_once(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """A client that is started for it ends after 40 seconds, with a traceback."""
    monkeypatch.delattr(distributed, "Client")
    with pytest.raises(UsageError, match="no dask scheduler answers there"), cluster(address):
        pass
