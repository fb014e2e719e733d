"""Fuzz each parser for a time: `python -m gauntlet.fuzz [MINUTES] [TARGET…]`, with atheris (`make fuzz`).

Each target of `tests/fuzz/test_fuzz.py` gets so many minutes of processor time in turn, guided by what it has
reached. Texts that reached something new, those that a target fails on, and the minutes in all are kept in
`build/fuzz`, where the next run goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import runpy
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).parents[1]
PROGRAM = REPO / "tests" / "fuzz" / "test_fuzz.py"
DIRECTORY = REPO / "build" / "fuzz"
TOTALS = DIRECTORY / "minutes.json"
OPTIONS = ("-max_len=4096", "-timeout=1200", "-rss_limit_mb=4096")


def cpu_seconds() -> float:
    """What the processes that ended have taken of the processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fuzz(name: str, seconds: int) -> str:
    """Try one target until its time is over; what it says where it fails, else nothing."""
    corpus = DIRECTORY / name
    corpus.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        ran = subprocess.run(
            [sys.executable, PROGRAM, name, *OPTIONS, f"-artifact_prefix={DIRECTORY}/failed-{name}-", corpus],
            env={**os.environ, "TMPDIR": scratch},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 60)),
        )
    return "" if ran.returncode == -signal.SIGXCPU else ran.stdout + ran.stderr


def main() -> int:
    """Fuzz the targets in turn and print what fails; 1 if anything does."""
    targets = runpy.run_path(str(PROGRAM))["TARGETS"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", type=float, nargs="?", default=60, help="for each target")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(targets))
    options = parser.parse_args()
    failed = 0
    for name in options.targets or targets:
        before = cpu_seconds()
        words = fuzz(name, round(options.minutes * 60))
        totals = json.loads(TOTALS.read_text("utf-8")) if TOTALS.exists() else {}
        totals[name] = round(totals.get(name, 0) + (cpu_seconds() - before) / 60, 2)
        TOTALS.write_text(json.dumps(totals, indent=1), "utf-8")
        failed += bool(words)
        print(f"{name}: {totals[name]} minutes in all, {words[-4000:] or 'nothing wrong'}", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
