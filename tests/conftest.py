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
    "builder/test_conversion.py": "each starts a process that loads the converters",
    "cache/test_damage.py": "hundreds of damaged caches, each opened and asked",
    "fuzz/test_fuzz.py": "a second for each of twenty parsers",
    "repo/test_gauntlet.py": "builds, refuses and kills",
    "repo/test_stories.py": "thirty commands, one after the other",
    "resolver/test_random_queries.py": "compares with a scorer in fractions",
    "server/test_clients.py": "starts servers and clients",
    "server/test_contract.py": "starts servers",
    "server/test_hostile.py": "starts servers and floods them",
    "server/test_transport.py": "starts servers",
    "server/test_wire.py": "starts servers",
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
