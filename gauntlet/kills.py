"""Kill commands after a random time: `python -m gauntlet.kills [TRIALS] [--seed N] [--operation NAME]`.

In turn, a build, a rebuild, a watch, an install and a saved test are killed, with all that they started. What
holds then is said in `gauntlet.trials`; `gauntlet.faults` kills at each file system call instead.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import cycle
from pathlib import Path

from .trials import OPERATIONS, Trial

KILLED = ("build", "rebuild", "rebuild-v0", "watch", "install-json", "install-toml", "save-test")


class Killed:
    """An operation that is killed within the time that it takes."""

    def __init__(self, name: str, scratch: Path) -> None:
        scratch.mkdir()
        self._trial = Trial(OPERATIONS[name], scratch)

    def wrong(self, chance: random.Random) -> str:
        """What is wrong after a kill; empty if nothing is."""
        self._trial.restore()
        with subprocess.Popen(
            self._trial.operation.command,
            cwd=self._trial.directory,
            env=self._trial.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        ) as process:
            try:
                # The first part is spent on imports.
                process.wait(self._trial.seconds * chance.uniform(0.3, 1.2))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
        code = process.returncode
        if code not in (-signal.SIGKILL, self._trial.clean.returncode):
            return f"exit code {code}"
        return self._trial.wrong_files(code, self._trial.clean.stderr) or self._trial.wrong_next_run()


def main() -> int:
    """Run the trials and print what was wrong; 1 if anything was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", type=int, nargs="?", default=20)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first trial")
    parser.add_argument("--operation", choices=KILLED, action="append")
    options = parser.parse_args()
    wrong: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name).resolve()
        names = options.operation or KILLED
        killed = {each: Killed(each, scratch / each) for each in names}
        for number, each in zip(range(options.seed, options.seed + options.trials), cycle(names)):
            if verdict := killed[each].wrong(random.Random(number)):
                wrong[each] += 1
                print(f"trial {number}, {each}: {verdict}", flush=True)
    print(f"{options.trials} kills, {wrong.total()} wrong")
    return min(wrong.total(), 1)


if __name__ == "__main__":
    sys.exit(main())
