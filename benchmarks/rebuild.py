"""How long a rebuild takes: `python -m benchmarks.rebuild FOLDER… [--copies N]`.

For each folder: a build from nothing, then `update` with nothing changed, one file changed and a
hundred, each held against the bytes of a build from nothing. In seconds of CPU, which other work on the
machine disturbs less.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import ctxcache
from ctxcache import BuildConfig
from ctxcache.project.caches import ProjectCache

if TYPE_CHECKING:
    from collections.abc import Callable

CHANGES = (0, 1, 100)
HEADER = ("folder", "files", "MB", "from nothing", *(f"{number} changed" for number in CHANGES), "no record")


def main() -> None:
    """Measure and print one line a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, help="folders of documents")
    parser.add_argument("--copies", type=int, default=1, help="of each folder, side by side (default: 1)")
    options = parser.parse_args()
    print(f"CPython {platform.python_version()}, CPU seconds, o200k_base")
    print("  ".join(f"{name:>{_width(column)}}" for column, name in enumerate(HEADER)))
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as scratch:
            cells = measured(folder, Path(scratch), options.copies)
        row = (folder.name + f" × {options.copies}" * (options.copies > 1), *cells)
        print("  ".join(f"{cell:>{_width(column)}}" for column, cell in enumerate(row)), flush=True)


def measured(folder: Path, scratch: Path, copies: int) -> list[str]:
    """The figures of one folder, in the order of the header."""
    sources = scratch / "docs"
    for number in range(copies):
        shutil.copytree(folder, sources / str(number))
    cache = ProjectCache(
        name="docs", root=scratch, sources=sources, directory=scratch / "cache", config=BuildConfig()
    )
    seconds = [_timed(cache.update)]
    seconds += [_timed(cache.update) for number in CHANGES if _change(sources, number)]
    _compare(cache, scratch / "from-nothing")
    cache.record_file.unlink()
    seconds.append(_timed(cache.update))
    files = [path for path in sources.rglob("*") if path.is_file()]
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    return [f"{cache.manifest.source_count:,}", f"{megabytes:.1f}", *(f"{each:.2f}" for each in seconds)]


def _timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _change(sources: Path, number: int) -> bool:
    """Append a line to so many pages, spread over the folder."""
    pages = sorted(path for kind in ("md", "rst", "txt") for path in sources.rglob(f"*.{kind}"))
    for page in pages[:: max(1, len(pages) // max(1, number))][:number]:
        page.write_bytes(page.read_bytes() + b"\nOne more line about rolling back.\n")
    return True


def _compare(cache: ProjectCache, place: Path) -> None:
    """Raise unless the cache has the bytes of a build from nothing."""
    ctxcache.build(cache.sources, place, config=cache.config)
    for path in (*cache.directory.iterdir(), *place.iterdir()):
        if (cache.directory / path.name).read_bytes() != (place / path.name).read_bytes():
            raise AssertionError(f"{path.name} differs from a build from nothing")


def _width(column: int) -> int:
    return 20 if not column else max(8, len(HEADER[column]))


if __name__ == "__main__":
    main()
