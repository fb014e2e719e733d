"""Damage the scratch files of a running build: `python -m gauntlet.scratch [TRIALS] [--seed N]`.

At a random time, some bytes of a file that the build has written become others. The build must end with the
bytes of one without damage, or in one line that says what failed and without a cache. What becomes damaged
between its digest and its new name is as what is damaged on any disk: `ctxcache.verify` must find it.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import ctxcache

from .trials import PYTHON, SECONDS

PAGES = 600
BUILD = """
import sys
from concurrent.futures import ThreadPoolExecutor
import ctxcache
from ctxcache.builder import build, inverter
from ctxcache.errors import IoError

build.BATCH_SOURCES = 20
inverter.ALONE = 0
with ThreadPoolExecutor(2) as pool:
    pool.scratch = "shared"
    executor = pool if sys.argv[1] == "shared" else None
    try:
        ctxcache.build("docs", "cache", config=ctxcache.BuildConfig(tokenizer="bytes4"), executor=executor)
    except IoError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(6)
"""
"""A build of many batches; its scratch files are in the cache's directory, or in that of many workers."""
FOLDERS = {"cache": "cache/.build-*", "shared": "shared/ctx-build-*"}
TOLD = re.compile(r"error: .+ is not what was written: the disk fails, or another program writes there\n")


def make_pages(folder: Path) -> None:
    """Documents of random words."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghiklmnoprstuw", k=chance.randint(2, 9))) for _ in range(20_000)]
    folder.mkdir()
    for number in range(PAGES):
        text = " ".join(chance.choices(words, k=300))
        (folder / f"page-{number}.md").write_text(f"# Page {number}\n\n{text}\n", "utf-8")


def damage(folder: Path, pattern: str, chance: random.Random) -> str:
    """Change some bytes of one file; its name, nothing where there is none."""
    with suppress(OSError):  # the build removes or renames it meanwhile
        files = [file for file in sorted(folder.glob(f"{pattern}/*")) if file.stat().st_size]
        if not files:
            return ""
        file = chance.choice(files)
        with file.open("r+b") as opened:
            size = file.stat().st_size
            opened.seek(chance.randrange(size))
            opened.write(chance.randbytes(chance.choice((1, 4, size))))
        return file.name
    return ""


class Damaged:
    """Builds of one folder whose scratch files are damaged."""

    def __init__(self, where: str, folder: Path) -> None:
        self._command = [*PYTHON, BUILD, where]
        self._where = where
        self._folder = folder
        self._cache = folder / "cache"
        started = monotonic()
        subprocess.run(self._command, cwd=folder, check=True, timeout=SECONDS)
        self._seconds = monotonic() - started
        self._clean = self._files()

    def _files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self._cache.iterdir())}

    def trial(self, chance: random.Random) -> tuple[str, str]:
        """How a build ends that is damaged, and what is wrong with that."""
        shutil.rmtree(self._cache, ignore_errors=True)
        with subprocess.Popen(
            self._command, cwd=self._folder, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
        ) as process:
            sleep(self._seconds * chance.uniform(0.2, 1))  # until some moment of the build
            name = ""
            while not name and process.poll() is None:
                name = damage(self._folder, FOLDERS[self._where], chance)
            _, said = process.communicate(timeout=SECONDS)
        if not name:
            return "undamaged", ""
        if process.returncode == 0:
            if self._files() == self._clean:
                return "harmless", ""
            is_found = not ctxcache.verify(self._cache, depth="deep").valid
            return ("found later", "") if is_found else ("", f"{name}: other bytes, which pass for sound")
        if process.returncode != 6 or not TOLD.fullmatch(said):
            return "", f"{name}: exit code {process.returncode}: {said[-300:]!r}"
        return ("told", "") if not self._cache.exists() else ("", f"{name}: told, and a cache is left")


def main() -> int:
    """Run the trials and print what was wrong; 1 if anything was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", type=int, nargs="?", default=20)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first trial")
    options = parser.parse_args()
    wrong = 0
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "shared").mkdir()
        make_pages(folder / "docs")
        builds = []
        for where in FOLDERS:
            shutil.rmtree(folder / "cache", ignore_errors=True)
            builds.append(Damaged(where, folder))
        for number in range(options.seed, options.seed + options.trials):
            end, verdict = builds[number % len(builds)].trial(random.Random(number))
            ends[end] += 1
            if verdict:
                wrong += 1
                print(f"trial {number}: {verdict}", flush=True)
    print(", ".join(f"{count} {end}" for end, count in sorted(ends.items()) if end), file=sys.stderr)
    print(f"{options.trials} builds, {wrong} wrong")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
