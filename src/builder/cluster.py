"""The workers of a dask scheduler, for builds that one machine is too small for.

Tasks are plain calls, so whatever happens to a worker, the scheduler gives its batches to another one and the
bytes of the cache stay the same. Scheduler and workers run each other's code: the network they are on is
trusted (see `SECURITY.md`).
"""

from __future__ import annotations

import hashlib
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any

from ..errors import IoError, UsageError
from ..safeio import OpenFolder
from ..text.display import escape_control
from .incremental import program_identity
from .report import SourceError
from .sources.decode import read_bytes
from .sources.source_filter import SourceFile
from .sources.tree import is_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor

    from .compile import Batch, Source

WAIT = 20
"""Seconds until a scheduler must have answered."""
ASKED_EVERY = 1.0
"""Seconds after which the scheduler is asked again how many workers there are."""


@contextmanager
def cluster(address: str, scratch: str | None = None) -> Iterator[Executor]:
    """The workers of the scheduler at `address`, `tcp://HOST:PORT`, as an executor.

    `scratch` is a directory, or a URL that fsspec opens, which all of them and this process reach: there they
    leave what they have compiled, and merge it. Without it, they send all to this process.

    Raises `UsageError` where the extra `dask` is missing, no scheduler has workers there, or one of them runs
    another version of this program; `IoError` when a batch was lost with every worker that had it.
    """
    try:
        distributed = import_module("distributed")  # without types, and heavy
        base = import_module("distributed.cfexecutor").ClientExecutor
    except ImportError:
        raise UsageError("--scheduler needs the extra `dask`: pip install 'ctxcache[dask]'") from None

    class Cluster(base):  # type: ignore[misc, valid-type]  # a class that is found out just now
        """Says how many batches it works on at once, which follows the workers that come and go."""

        is_remote = True

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.scratch = scratch
            self._size, self._asked = 0, -ASKED_EVERY

        @property
        def size(self) -> int:
            if monotonic() - self._asked >= ASKED_EVERY:
                self._size, self._asked = sum(self._client.nthreads().values()), monotonic()
            return self._size

        def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
            return super().submit(_on_worker, _own_identity(), function, *arguments)

    option = f"--scheduler {escape_control(address)}"
    try:
        _check_address(address)
        client = distributed.Client(address, timeout=WAIT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        why = escape_control(str(error)) or type(error).__name__
        raise UsageError(f"{option}: no dask scheduler answers there ({why})") from None
    with client:
        if not client.nthreads():
            raise UsageError(f"{option}: it has no workers; start some with `dask worker`")
        try:
            yield Cluster(client, pure=False)
        except (distributed.KilledWorker, CancelledError):
            raise IoError(
                "a batch was lost with every worker that had it, perhaps for lack of memory"
            ) from None


def _check_address(address: str) -> None:
    """Raise `ValueError` for what is no address; a client that finds that out takes 40 s to end."""
    comm = import_module("distributed.comm")
    scheme, location = comm.parse_address(address)
    comm.registry.get_backend(scheme)
    comm.parse_host_port(location)


def _on_worker(program: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """On a worker: do the work, if this is the program that asked."""
    if _own_identity() != program:
        raise UsageError("a worker runs another version of ctxcache: install the same one everywhere")
    return function(*arguments)


@cache
def _own_identity() -> str:
    """That of the files when they were loaded."""
    return program_identity()


def require_same(sources: Sequence[Source], batch: Batch, max_file_bytes: int) -> None:
    """Raise `SourceError` for a file that a worker has read otherwise than it is here."""
    with OpenFolder() as folder:
        for source in sources:
            if not isinstance(source, SourceFile) or is_url(source.root):  # a URL names the same everywhere
                continue
            data = read_bytes(source, max_file_bytes=max_file_bytes, folder=folder)
            digest = hashlib.sha256(data).hexdigest() if isinstance(data, bytes) else None
            if batch.digests.get(source.id) != digest:
                name, path = map(escape_control, (source.id, str(source.path)))
                raise SourceError(f"{name}: a worker sees another file at {path} than this machine")
