"""Worker processes end with their use, whatever they are doing."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 60  # seconds
PROGRAM = """
import multiprocessing
import sys
from pathlib import Path

from ctxcache.builder.parallel import worker_pool

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
