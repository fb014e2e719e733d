"""Processes of ours that read what others wrote."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os
from ctxcache.worker import Worker

worker = Worker("ctxcache.scopes.generate.tree_worker")
process = worker._process
if (child := os.fork()) == 0:
    del worker
    os._exit(0)
os.waitpid(child, 0)
print(process.poll())
del worker
print(process.poll())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked on this system")
def test_a_worker_ends_with_its_object_and_not_with_a_forked_copy_of_that() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout.splitlines() == ["None", "-9"]
