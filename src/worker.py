"""A process of its own that runs one of our modules: for what may hang, crash or take all memory."""

from __future__ import annotations

import os
import subprocess
import sys
import weakref


def start_worker(module: str, owner: object) -> subprocess.Popen[bytes]:
    """Run `module`, with pipes to its standard input and output; it ends with `owner` at the latest."""
    worker = subprocess.Popen(
        # -P: nothing is imported from the current directory, where documents and sources may be.
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    weakref.finalize(owner, _end_own, worker, os.getpid())
    return worker


def _end_own(worker: subprocess.Popen[bytes], starter: int) -> None:
    """End a worker in the process that started it; one that was forked meanwhile only has a copy."""
    if os.getpid() == starter:
        end_worker(worker)


def end_worker(worker: subprocess.Popen[bytes]) -> None:
    """End a worker, whatever it does, and wait for its end."""
    worker.kill()
    worker.communicate()
