"""What tests of several parts need."""

from __future__ import annotations

import inspect
import os
import shutil
import signal
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent
# A shell without job control starts what stands in the background with these ignored, and every process that
# a test starts would inherit it: an interrupt would then end nothing.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
# How long an example takes is the machine's business: no test asserts a time.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
SLOW = {
    "builder/sources/test_tree.py": "stores behind URLs, and one that fails",
    "builder/test_cluster.py": "workers of a scheduler",
    "builder/test_conversion.py": "each starts a process that loads the converters",
    "builder/test_linear_time.py": "times families of texts",
    "builder/test_pdf.py": "starts a process that loads the converters",
    "builder/test_spreadsheet.py": "starts a process that loads the converters",
    "builder/test_threads.py": "builds and queries in eight threads",
    "builder/test_unreadable.py": "builds of sources that are refused",
    "cache/test_damage.py": "hundreds of damaged caches, each opened and asked",
    "cli/test_ci.py": "runs what a CI runs",
    "cli/test_completion.py": "starts four shells",
    "cli/test_processes.py": "starts commands",
    "cli/test_project.py": "whole projects, command by command",
    "fuzz/test_fuzz.py": "a second for each of twenty parsers",
    "project/test_watch.py": "waits for what changes",
    "repo/test_gauntlet.py": "builds, refuses and kills",
    "repo/test_stories.py": "thirty commands, one after the other",
    "resolver/test_memos.py": "threads that forget what others look up",
    "resolver/test_random_queries.py": "compares with a scorer in fractions",
    "server/test_changes.py": "waits for rebuilds",
    "server/test_clients.py": "starts servers and clients",
    "server/test_contract.py": "starts servers",
    "server/test_hostile.py": "starts servers and floods them",
    "server/test_resources.py": "starts servers",
    "server/test_transport.py": "starts servers",
    "server/test_watch.py": "starts servers and waits for changes",
    "server/test_wire.py": "starts servers",
    "text/test_long_runs.py": "texts of megabytes",
    "tui/test_looks.py": "draws the inspector",
    "tui/test_program.py": "starts the inspector",
}
"""What `-m "not slow"` leaves out beside the tests that start the whole inspector."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow. A file that was renamed must be renamed in `SLOW` too."""
    gone = [name for name in SLOW if not (TESTS / name).is_file()]
    if gone:
        raise pytest.UsageError(f"tests/conftest.py, SLOW: there is no {', '.join(gone)}")
    for item in items:
        name = item.path.relative_to(TESTS).as_posix()
        function = item.function if isinstance(item, pytest.Function) else None
        if name in SLOW or (name.startswith("tui/") and inspect.iscoroutinefunction(function)):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """Give a folder to a user whom permissions bind: root reads everything."""
    root = Path(tempfile.mkdtemp()).resolve()
    root.chmod(0o777)
    user = os.geteuid()
    with chdir(root):  # where root stood, this user may not look
        if user == 0:
            os.seteuid(65534)
        try:
            yield root
        finally:
            os.seteuid(user)
    for path in root.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o777)
    shutil.rmtree(root)
