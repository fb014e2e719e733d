"""How fast a folder is built: `python -m benchmarks.build FOLDER…`.

A line a folder: seconds to walk, compile and write, megabytes a second, the peak memory of all processes
together; then the seconds that tiktoken alone takes to count the same files whole, in as many processes, and
the ratio of the build to that, of seconds and of CPU seconds, which other work on the machine disturbs less.
With `--phases`, the steps of compiling in one process, in thread-CPU milliseconds a megabyte. Everything is
measured in processes of its own, one after the other. With `--runs`, build and tiktoken take turns, and the
quickest of each counts: the speed of a machine that others share changes within minutes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import platform
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import ctxcache
from ctxcache.builder.compile import ALONE, Settings
from ctxcache.builder.sources.source_filter import MAX_FILE_BYTES
from ctxcache.builder.sources.walk import walk
from ctxcache.parallel import processes
from ctxcache.text.tokens import ENCODINGS

from .measures import built, counted
from .phases import phases

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

HEADER = (
    "folder", "files", "MB", "processes",
    "walk", "compile", "write", "build", "MB/s", "MiB", "tiktoken", "ratio", "of CPU",
)  # fmt: skip


def main() -> None:
    """Measure each folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--jobs", type=int, help="processes (default: one for each core)")
    parser.add_argument("--tokenizer", default="o200k_base", choices=sorted(ENCODINGS))
    parser.add_argument("--runs", type=int, default=1, help="how often each is done")
    parser.add_argument("--phases", action="store_true", help="the steps of compiling instead")
    options = parser.parse_args()
    print(f"CPython {platform.python_version()}, {platform.machine()}, {options.tokenizer}")
    if not options.phases:
        _print(HEADER)
    for folder in options.folders:
        if options.phases:
            _print_phases(folder, options.tokenizer)
        else:
            _print_build(folder, options.tokenizer, options.jobs, options.runs)


def _print_build(folder: Path, tokenizer: str, jobs: int | None, runs: int) -> None:
    files = walk(folder).files
    size = sum(file.size for file in files)
    jobs = processes(jobs, pays=size > ALONE)
    turns = [
        (_apart(built, folder, tokenizer, jobs), _apart(counted, files, tokenizer, jobs)) for _ in range(runs)
    ]
    build = min((build for build, _ in turns), key=lambda build: build.total)
    alone = min((alone for _, alone in turns), key=lambda alone: alone.wall)
    total = build.total
    seconds = [f"{value:.2f}" for value in (build.walk, build.compile, build.write, total)]
    _print([
        folder.name, f"{len(files):,}", f"{size / 1e6:.1f}", str(jobs), *seconds, f"{size / 1e6 / total:.1f}",
        f"{build.memory >> 20:,}", f"{alone.wall:.2f}", f"{total / alone.wall:.2f}",
        f"{build.cpu / alone.cpu:.2f}",
    ])  # fmt: skip


def _print_phases(folder: Path, tokenizer: str) -> None:
    files = walk(folder).files
    megabytes = sum(file.size for file in files) / 1e6
    settings = Settings(
        analyzer="english-2", tokenizer=tokenizer, max_tokens=ctxcache.BuildConfig().max_tokens,
        max_file_bytes=MAX_FILE_BYTES, unique=True, convert=False,
    )  # fmt: skip
    print(f"{folder.name}, {megabytes:.1f} MB")
    for name, seconds in _apart(phases, settings, files).items():
        print(f"  {name:<32}{1000 * seconds / megabytes:8.1f} ms/MB")


def _print(cells: Sequence[str]) -> None:
    print("  ".join(f"{cell:>{9 if column else 20}}" for column, cell in enumerate(cells)), flush=True)


def _apart(function: Callable[..., Any], *arguments: object) -> Any:
    """What the function returns, called in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


if __name__ == "__main__":
    main()
