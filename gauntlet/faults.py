"""Fail or kill every file system call in turn: `python -m gauntlet.faults [OPTIONS] [OPERATION…]`.

Some operations take an hour: `--part 1/4` to `--part 4/4` are all of it.

A shim that is compiled on the spot makes the N-th call below a scratch directory fail with ENOSPC, EIO or
EACCES, or kills the process there. Besides what holds for every trial (see `gauntlet.trials`), the program
must end with a code that fits. Every command is forked from a program that is loaded (see `gauntlet.forks`).
"""

from __future__ import annotations

import argparse
import errno
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .forks import Forks
from .trials import OPERATIONS, PYTHON, Trial

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .trials import Operation

SHIM = Path(__file__).with_name("shim.c")
ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EACCES": errno.EACCES, "KILL": 0}
KINDS = {"ENOSPC": "w", "EIO": "rnwd", "EACCES": "n", "KILL": "wd"}
"""Which calls each may befall: reading ends on a full disk as ever, and so does deleting."""
EXIT_CODES = range(1, 10)
ERROR = re.compile(r"^ctxcache\.\S+: .*\n\Z", re.MULTILINE)
"""How Python ends the traceback of an error of the library."""
TOLD = re.compile(r"unreadable \(|cannot be read|\"valid\":false|Input/output error|Permission denied")
"""How an answer of many parts says that one of them was refused."""


class Fault(NamedTuple):
    """What befalls which call."""

    error: str
    kind: str
    number: int

    def environment(self) -> dict[str, str]:
        """It in the words of the shim; a full disk stays full."""
        return {
            "FAULT_KIND": self.kind,
            "FAULT_AT": str(self.number),
            "FAULT_ERROR": str(ERRORS[self.error]),
            "FAULT_STAYS": str(int(self.error == "ENOSPC")),
        }


def compiled(scratch: Path) -> Path | None:
    """The shim; None where there is no compiler, or no Linux."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        return None
    library = scratch / "shim.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SHIM, "-ldl"], check=True)
    return library


class Gauntlet:
    """One operation and the faults that it is run under."""

    def __init__(self, operation: Operation, forks: Forks, shim: Path, scratch: Path) -> None:
        self.trial = Trial(operation, scratch, forks)
        self._count = scratch / "count"
        self._shim = {"LD_PRELOAD": str(shim), "FAULT_ROOT": str(self.trial.root)}
        self._shim["FAULT_COUNT"] = str(self._count)
        if operation.starts_workers:
            self._shim["FAULT_ALL"] = "1"

    def faults(self) -> Iterator[Fault]:
        """Every fault, one for each call that the operation makes."""
        counts = {kind: self._calls(kind) for kind in "rnwd"}
        for error, kinds in KINDS.items():
            for kind in kinds:
                yield from (Fault(error, kind, number + 1) for number in range(counts[kind]))

    def _calls(self, kind: str) -> int:
        """How many calls of a kind the operation makes."""
        self._run(Fault("KILL", kind, 0))
        return int.from_bytes(self._count.read_bytes(), sys.byteorder)

    def _run(self, fault: Fault) -> subprocess.CompletedProcess[str]:
        self._count.write_bytes(bytes(8))
        return self.trial.run(self._shim | fault.environment())

    def wrong(self, fault: Fault) -> str:
        """What is wrong after a fault; empty if nothing is."""
        ran = self._run(fault)
        if ran.returncode == -signal.SIGALRM:
            return "hangs"
        wrong = self._wrong_words(ran, fault.error)
        wrong = wrong or self.trial.wrong_files(ran.returncode, ran.stderr)
        return wrong or self.trial.wrong_next_run()

    def _wrong_words(self, ran: subprocess.CompletedProcess[str], error: str) -> str:
        """What is wrong with the exit code and the words; empty if nothing is."""
        if error == "KILL" and ran.returncode in (-signal.SIGKILL, self.trial.clean.returncode):
            return ""
        if error == "KILL" and not self.trial.operation.starts_workers:
            return f"exit code {ran.returncode}"
        if "Traceback" in ran.stderr or "internal error" in ran.stderr:
            of_library = self.trial.operation.command[: len(PYTHON)] == PYTHON
            return "" if of_library and ERROR.search(ran.stderr) else ran.stderr[-300:]
        if ran.returncode == self.trial.clean.returncode:
            same = ran.stdout == self.trial.clean.stdout or ran.stderr != self.trial.clean.stderr
            return "" if same or TOLD.search(ran.stdout) else f"another answer: {ran.stdout[:200]!r}"
        if ran.returncode in (8, 9) or (ran.returncode == 5 and ran.stdout):  # that says what is wrong
            return ""
        if ran.returncode not in EXIT_CODES or ran.stderr.count("error: ") != 1:
            return f"exit code {ran.returncode}: {ran.stderr[-300:]!r}"
        return f"an error, and output: {ran.stdout[:200]!r}" if ran.stdout else ""


def run(name: str, gauntlet: Gauntlet, faults: list[Fault]) -> int:
    """Try faults and print what is wrong; how many are."""
    wrong: Counter[str] = Counter()
    for fault in faults:
        if verdict := gauntlet.wrong(fault):
            wrong[verdict] += 1
            if wrong[verdict] == 1:
                print(f"{name} {fault.error} at {fault.kind}{fault.number}: {verdict}", flush=True)
    return wrong.total()


def main() -> int:
    """Run the trials and print what was wrong; 1 if anything was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--at-most", type=int, default=10**9, help="trials of each operation, chosen at random"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("operations", nargs="*", metavar="OPERATION", help=", ".join(OPERATIONS))
    parser.add_argument("--part", default="1/1", metavar="I/N", help="the I-th of N parts of the trials")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    total = 0
    with tempfile.TemporaryDirectory() as scratch:
        shim = compiled(Path(scratch))
        if shim is None:
            print("no C compiler on Linux here: nothing was tried")
            return 0
        forks = Forks(Path(scratch), shim)
        for name in options.operations or OPERATIONS:
            gauntlet = Gauntlet(OPERATIONS[name], forks, shim, Path(scratch).resolve())
            faults = list(gauntlet.faults())[part - 1 :: parts]
            chosen = random.Random(options.seed).sample(faults, min(options.at_most, len(faults)))
            wrong = run(name, gauntlet, sorted(chosen))
            print(f"{name}: {len(chosen)} trials of {len(faults)}, {wrong} wrong", flush=True)
            total += wrong
        forks.close()
    return min(total, 1)


if __name__ == "__main__":
    sys.exit(main())
