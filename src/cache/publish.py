"""Putting a cache in place, so that at every instant it is either the old one or the new one.

Data files are written under temporary names, synced, and renamed to names that carry their
hash, beside whatever is there; then the manifest is replaced in one rename; then what no
manifest names is removed. A kill between any two steps leaves a whole cache.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from typing import TYPE_CHECKING

from ..errors import IoError, UsageError
from .manifest import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedRandom
    from pathlib import Path

SCRATCH = ".build-"
_OURS = re.compile(
    r"(documents-[0-9a-f]{12}\.jsonl|index-[0-9a-f]{12}\.bin|\.build-.*|documents|index\.json)"
)


def require_place(directory: Path, *, force: bool) -> None:
    """Raise `UsageError` unless a cache may be written at `directory`.

    An existing cache needs `force`; a directory that holds anything else is never touched.
    """
    if not directory.exists() and not directory.is_symlink():
        return
    if not directory.is_dir():
        raise UsageError(f"{directory}: exists and is no directory; name another place with --cache")
    names = [path.name for path in directory.iterdir()]
    foreign = [name for name in names if name != MANIFEST and not _OURS.fullmatch(name)]
    if foreign or (names and MANIFEST not in names and not _only_scratch(names)):
        raise UsageError(f"{directory}: holds files that are no cache; name another place with --cache")
    if MANIFEST in names and not force:
        raise UsageError(f"{directory}: there is a cache already; --force replaces it")


def _only_scratch(names: list[str]) -> bool:
    """Whether these are the leavings of a build that was killed before it had a manifest."""
    return all(_OURS.fullmatch(name) for name in names)


class Staging:
    """A scratch directory inside the cache directory, gone when the `with` block ends."""

    def __init__(self, directory: Path) -> None:
        """`directory` is created when missing, and removed again if nothing was published."""
        self.directory = directory
        self.scratch = directory / f"{SCRATCH}{os.getpid()}"
        self._made: list[Path] = []
        self._opened = contextlib.ExitStack()

    def open(self, name: str) -> BufferedRandom:
        """A new scratch file, for writing and reading, closed with the block at the latest."""
        return self._opened.enter_context((self.scratch / name).open("w+b"))

    def __enter__(self) -> Staging:
        try:
            for parent in [self.directory, *self.directory.parents]:
                if parent.exists():
                    break
                self._made.append(parent)
            self.directory.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(self.scratch, ignore_errors=True)
            self.scratch.mkdir()
        except OSError as error:
            raise IoError(f"{self.directory}: {error.strerror}") from None
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()
        shutil.rmtree(self.scratch, ignore_errors=True)
        with contextlib.suppress(OSError):
            for made in self._made:
                made.rmdir()

    def publish(self, files: dict[str, Path], manifest: bytes) -> None:
        """Move `files` (final name → path in the scratch directory) and the manifest into place.

        A final name may have one folder, as in `documents/HASH.json`.
        """
        try:
            with _locked(self.directory):
                self._replace(files, manifest)
                self._remove_others(set(files))
        except OSError as error:
            raise IoError(f"{self.directory}: {error.strerror}") from None

    def _replace(self, files: dict[str, Path], manifest: bytes) -> None:
        for name, path in sorted(files.items()):
            target = self.directory / name
            target.parent.mkdir(exist_ok=True)
            _sync(path)
            path.replace(target)
        for folder in sorted({(self.directory / name).parent for name in files}):
            _sync(folder)
        waiting = self.scratch / MANIFEST
        waiting.write_bytes(manifest)
        _sync(waiting)
        waiting.replace(self.directory / MANIFEST)
        _sync(self.directory)

    def _remove_others(self, named: set[str]) -> None:
        """Remove files of caches and killed builds that the manifest does not name.

        A file that the system will not give up (open elsewhere, on some systems) stays until
        the next build.
        """
        keep = {MANIFEST, *named, *(name.split("/")[0] for name in named)}
        for entry in sorted(self.directory.iterdir()):
            if entry.name in keep or not _OURS.fullmatch(entry.name) or _in_use(entry.name):
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    entry.unlink()
        documents = self.directory / "documents"
        if "documents" in keep:
            for path in sorted(documents.iterdir()):
                if f"documents/{path.name}" not in named:
                    with contextlib.suppress(OSError):
                        path.unlink()


@contextlib.contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Two builds of one cache publish one after the other: neither removes what the other is placing."""
    if os.name == "nt":  # a directory cannot be opened there; its renames fail instead
        yield
        return
    import fcntl

    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _in_use(name: str) -> bool:
    """Whether this is the scratch directory of a build that is still running."""
    process = name.removeprefix(SCRATCH)
    if process == name or not process.isdecimal() or os.name == "nt":
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _sync(path: Path) -> None:
    """Make a file's or a directory's state durable, where the system can."""
    if os.name == "nt" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
