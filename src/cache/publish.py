"""Putting a cache in place, so that at every instant it is either the old one or the new one.

Data files are written under temporary names, synced, and renamed to names that carry their
hash, beside whatever is there; then the manifest is replaced in one rename; then what no
manifest names is removed. A kill between any two steps leaves a whole cache.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CacheInvalid
from .locks import NO_LOCKS as NO_SYNC
from .locks import LockFile, is_free, locked
from .manifest import MANIFEST, read_manifest
from .place import ATTRIBUTES, DOCUMENT, DOCUMENTS, INDEX, LOCK, SCRATCH, made_by_builds
from .refusals import refusals

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedRandom

NO_LOCK = "the file system has no locks: let only one build write here at a time"


class Staging:
    """A scratch directory inside the cache directory, gone when the `with` block ends."""

    scratch: Path
    """Holds files only, and a lock as long as the block lasts."""
    weak = ""
    """What the file system cannot do of what a build relies on, in a sentence; usually nothing."""

    def __init__(self, directory: Path) -> None:
        """`directory` is created when missing, and removed again if nothing was published."""
        self.directory = directory
        self._made: list[Path] = []
        self._ending = contextlib.ExitStack()

    def open(self, name: str) -> BufferedRandom:
        """A new scratch file, for writing and reading, closed with the block at the latest."""
        return self._ending.enter_context((self.scratch / name).open("w+b"))

    def __enter__(self) -> Staging:
        with refusals(self.directory), contextlib.ExitStack() as ending:
            for parent in [self.directory, *self.directory.parents]:
                if parent.exists():
                    break
                self._made.append(parent)
            ending.callback(self._remove_made)
            self.directory.mkdir(parents=True, exist_ok=True)
            with locked(self.directory) as held:  # nobody takes the scratch for abandoned before its lock
                if not held:
                    self.weak = NO_LOCK
                self.scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=self.directory))
                ending.callback(_remove_scratch, self.scratch)
                ending.callback(LockFile(self.scratch / LOCK).release)
            self._ending = ending.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()

    def _remove_made(self) -> None:
        """Remove the directories that were made for the cache and hold none."""
        with contextlib.suppress(OSError):
            for made in self._made:
                made.rmdir()

    def publish(self, files: dict[str, Path], manifest: bytes) -> None:
        """Move `files` (final name → path in the scratch directory) and the manifest into place.

        A final name may have one folder, as in `documents/HASH.json`. No final name may be one
        that the manifest in place gives to other bytes. What the manifest does not name is removed.
        """
        with self.turn():
            self.place(files, manifest)
            self.remove_others(set(files))

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Builds of one cache publish one after the other: none removes what another is placing."""
        with refusals(self.directory), locked(self.directory):
            yield

    def place(self, files: dict[str, Path], manifest: bytes) -> None:
        """The first part of `publish`, in this build's turn."""
        for name, path in sorted(files.items()):
            target = self.directory / name
            target.parent.mkdir(exist_ok=True)
            sync(path)
            path.replace(target)
        for folder in sorted({(self.directory / name).parent for name in files}):
            sync_directory(folder)
        waiting = self.scratch / MANIFEST
        waiting.write_bytes(manifest)
        sync(waiting)
        waiting.replace(self.directory / MANIFEST)
        sync_directory(self.directory)

    def remove_others(self, named: set[str]) -> None:
        """The last part of `publish`: remove what builds have made and the manifest does not name.

        A file that the system will not give up (open elsewhere, on some systems) stays until
        the next build.
        """
        for name in sorted(made_by_builds(self.directory) - named - {MANIFEST}):
            path = self.directory / name
            if name == DOCUMENTS:
                _remove_documents(path, named)
            elif not name.startswith(SCRATCH):
                with contextlib.suppress(OSError):
                    path.unlink()
            elif _is_abandoned(path):
                _remove_scratch(path)


def _remove_documents(folder: Path, named: set[str]) -> None:
    """Remove the documents of format 1 that are not named, and their folder if it is empty then."""
    for path in sorted(folder.iterdir()):
        if DOCUMENT.fullmatch(path.name) and f"{DOCUMENTS}/{path.name}" not in named:
            with contextlib.suppress(OSError):
                path.unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()


def _is_abandoned(scratch: Path) -> bool:
    """Whether the build of this scratch directory was killed: before it had its lock, or after."""
    with contextlib.suppress(OSError):
        return is_free(scratch / LOCK) or not any(scratch.iterdir())
    return False  # that build has ended meanwhile


def _remove_scratch(scratch: Path) -> None:
    """Remove a scratch directory, its lock last: until then the lock tells what it is."""
    with contextlib.suppress(OSError):
        for path in sorted(scratch.iterdir(), key=lambda path: path.name == LOCK):
            path.unlink(missing_ok=True)
        scratch.rmdir()


def remove_leftovers(directory: Path) -> None:
    """Remove what builds that did not end have left in the cache at `directory`, and nothing else.

    A build that is running keeps what it has made. Where the manifest cannot be read, and so does not
    say what belongs to the cache, nothing is removed. Raises `IoError`.
    """
    with refusals(directory), locked(directory) as held:
        for path in leftovers(directory) if held else []:
            if path.name.startswith(SCRATCH):
                _remove_scratch(path)
            else:
                with contextlib.suppress(OSError):
                    path.unlink()


def leftovers(directory: Path) -> list[Path]:
    """What builds have left in a cache that did not end: scratch directories, unnamed data files."""
    try:
        manifest = read_manifest(str(directory))[1]
    except CacheInvalid:
        return []
    named = {file.path for file in manifest.files.values()} | {MANIFEST, ATTRIBUTES}
    if manifest.format == "1":
        named |= {DOCUMENTS, INDEX}
    paths = [directory / name for name in sorted(made_by_builds(directory) - named)]
    if manifest.format == "1":
        documents = {f"{directory}/{file}" for _, _, file in manifest.entries}
        folder = directory / DOCUMENTS
        paths += [path for path in sorted(folder.glob("*.json")) if str(path) not in documents]
    return [path for path in paths if not path.name.startswith(SCRATCH) or _is_abandoned(path)]


def sync(path: Path) -> None:
    """Make what was written to a file durable. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable, where the system can. Raises `OSError`."""
    if os.name == "nt":
        return
    try:
        sync(path)
    except OSError as error:
        if error.errno not in NO_SYNC:
            raise
