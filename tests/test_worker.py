"""Processes of ours that read what others wrote."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os
from ctxcache.worker import start_worker

class Owner: pass

owner = Owner()
worker = start_worker("ctxcache.scopes.generate.tree_worker", owner)
assert worker.stdout.readline() == b"ready\\n"
if (child := os.fork()) == 0:
    del owner
    os._exit(0)
os.waitpid(child, 0)
print(worker.poll())
del owner
print(worker.poll())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked on this system")
def test_a_worker_ends_with_its_owner_and_not_with_a_forked_copy_of_it() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout.splitlines() == ["None", "-9"]
