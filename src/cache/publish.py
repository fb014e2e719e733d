"""Putting a cache in place, so that at every instant it is either the old one or the new one."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CacheInvalid, UsageError
from ..locks import NO_LOCKS as NO_SYNC
from ..locks import LockFile, is_free, locked
from ..safeio import exists, is_directory, translate_oserror
from .manifest import MANIFEST, read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MANIFEST_START = b'{\n  "cache_version": "sha256:'
"""How the manifest of either format begins."""
DOCUMENTS, INDEX = "documents", "index.json"
"""What format 1 has beside its manifest."""
DOCUMENT = re.compile(r"[0-9a-f]{12}\.json")
"""A file in the documents folder of format 1."""
ATTRIBUTES, ATTRIBUTES_CONTENT = ".gitattributes", b"* -text\n"
"""A file of every cache of format 2, so that git never changes the line ends of one that is committed."""
SCRATCH, LOCK = ".build-", "lock"
"""How the scratch directory of a build begins, and the file in it that the build holds."""
_DATA = re.compile(r"documents-[0-9a-f]{12}\.jsonl|index-[0-9a-f]{12}\.bin")
_SCRATCH = re.compile(re.escape(SCRATCH) + r"[a-z0-9_]{8}")


def require_vacant(directory: Path, *, force: bool) -> None:
    """Raise `UsageError` unless a cache may be written at `directory`.

    An existing cache needs `force`; a directory that holds anything else is never touched.
    Raises `IoError` when the system will not say.
    """
    with translate_oserror(directory):
        if not exists(directory):
            return
        if not is_directory(directory):
            raise UsageError(f"{directory}: exists and is no directory; name another directory with --cache")
        with locked(directory):
            names = {path.name for path in directory.iterdir()}
            foreign = _existing(directory, names - made_by_builds(directory))
    if foreign:
        raise UsageError(
            f"{directory}: holds files that are no cache ({foreign[0]!a}); "
            "name another directory with --cache"
        )
    if MANIFEST in names and not force:
        raise UsageError(f"{directory}: there is a cache already; --force replaces it")


def made_by_builds(directory: Path) -> set[str]:
    """The names directly in `directory` that builds have made, whole or killed. Raises `OSError`.

    A manifest that is damaged counts where data files or documents of a cache lie beside it.
    """
    with os.scandir(directory) as scanned:
        entries = list(scanned)
    files = {entry.name for entry in entries if entry.is_file(follow_symlinks=False)}
    folders = {entry.name for entry in entries if entry.is_dir(follow_symlinks=False)}
    data = {name for name in files if _DATA.fullmatch(name)}
    scratch = {name for name in folders if _is_scratch(directory, name)}
    genuine = MANIFEST in files and _begins_with(directory / MANIFEST, MANIFEST_START)
    listed = _documents(directory) if DOCUMENTS in folders else None
    of_format1 = listed is not None and bool(listed or genuine or scratch)
    made = data | scratch
    if of_format1:
        made.add(DOCUMENTS)
    if ATTRIBUTES in files and holds(directory / ATTRIBUTES, ATTRIBUTES_CONTENT):
        made.add(ATTRIBUTES)
    if genuine or of_format1:
        made.add(INDEX)
    if genuine or data or listed:
        made.add(MANIFEST)
    return made & (files | (folders - {INDEX, MANIFEST}))


def _documents(directory: Path) -> list[str] | None:
    """The files in the documents folder; None when one is not of format 1."""
    with os.scandir(directory / DOCUMENTS) as entries:
        files = [(entry.name, entry.is_file(follow_symlinks=False)) for entry in entries]
    if all(is_file and DOCUMENT.fullmatch(name) for name, is_file in files):
        return [name for name, _ in files]
    return None


def _is_scratch(directory: Path, name: str) -> bool:
    """Whether this is the scratch directory of a build: made with its lock, emptied before it."""
    if not _SCRATCH.fullmatch(name):
        return False
    try:
        names = [path.name for path in (directory / name).iterdir()]
    except FileNotFoundError:  # that build has ended meanwhile
        return True
    return not names or LOCK in names


def _begins_with(path: Path, data: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(data)) == data


def holds(path: Path, data: bytes) -> bool:
    """Whether a file holds exactly these bytes."""
    with path.open("rb") as file:
        return file.read(len(data) + 1) == data


def _existing(directory: Path, names: Iterable[str]) -> list[str]:
    """Those of `names` that exist; a build that ended meanwhile has removed its leftovers."""
    return sorted(name for name in names if exists(directory / name))


NO_LOCK = "the file system has no locks: let only one build write here at a time"


class Staging:
    """A scratch directory inside the cache directory, gone when the `with` block ends."""

    scratch: Path
    """Holds files only, and a lock as long as the block lasts."""
    warning = ""
    """What the file system cannot do of what a build relies on, in a sentence; usually nothing."""

    def __init__(self, directory: Path) -> None:
        """`directory` is created when missing, and removed again if nothing was published."""
        self.directory = directory
        self._created: list[Path] = []
        self._cleanup = contextlib.ExitStack()

    def __enter__(self) -> Staging:
        with translate_oserror(self.directory), contextlib.ExitStack() as cleanup:
            for parent in [self.directory, *self.directory.parents]:
                if exists(parent):
                    break
                self._created.append(parent)
            cleanup.callback(self._remove_created)
            self.directory.mkdir(parents=True, exist_ok=True)
            with locked(self.directory) as is_held:  # nobody takes the scratch for abandoned before its lock
                if not is_held:
                    self.warning = NO_LOCK
                self.scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=self.directory))
                cleanup.callback(_remove_scratch, self.scratch)
                cleanup.callback(LockFile(self.scratch / LOCK).release)
            self._cleanup = cleanup.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    def _remove_created(self) -> None:
        """Remove the directories that were made for the cache and hold nothing of it."""
        with contextlib.suppress(OSError):
            for directory in self._created:
                directory.rmdir()

    def publish(self, files: dict[str, Path], manifest: bytes) -> None:
        """Move `files` (final name → path in the scratch directory) and the manifest into place.

        A final name may have one folder, as in `documents/HASH.json`. No final name may be one
        that the manifest in place gives to other bytes. What the manifest does not name is removed.
        """
        with self.publish_lock():
            self.move_in(files, manifest)
            self.remove_others(set(files))

    @contextlib.contextmanager
    def publish_lock(self) -> Iterator[None]:
        """Builds of one cache publish one after the other: none removes what another is placing."""
        with translate_oserror(self.directory), locked(self.directory):
            yield

    def move_in(self, files: dict[str, Path], manifest: bytes) -> None:
        """The first part of `publish`, under the lock."""
        for name, path in sorted(files.items()):
            target = self.directory / name
            if not exists(target.parent):
                self._created.insert(
                    0, target.parent
                )  # an empty folder of documents is no cache to the next build
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

    def remove_others(self, expected: set[str]) -> None:
        """The last part of `publish`: remove what builds have made and the manifest does not name.

        A file that the system will not give up (open elsewhere, on some systems) stays until
        the next build.
        """
        for name in sorted(made_by_builds(self.directory) - expected - {MANIFEST}):
            path = self.directory / name
            if name == DOCUMENTS:
                _remove_documents(path, expected)
            elif not name.startswith(SCRATCH) or _is_abandoned(path):
                _remove(path)


def _remove_documents(folder: Path, expected: set[str]) -> None:
    """Remove the documents of format 1 that are not named, and their folder if it is empty then."""
    for path in sorted(folder.iterdir()):
        if DOCUMENT.fullmatch(path.name) and f"{DOCUMENTS}/{path.name}" not in expected:
            _remove(path)
    with contextlib.suppress(OSError):
        folder.rmdir()


def _is_abandoned(scratch: Path) -> bool:
    """Whether the build of this scratch directory was killed: before it had its lock, or after."""
    with contextlib.suppress(OSError):
        return is_free(scratch / LOCK) or not any(scratch.iterdir())
    return False  # that build has ended meanwhile


def _remove(path: Path) -> None:
    """Remove a file or a scratch directory; what the system does not give up stays."""
    if path.name.startswith(SCRATCH):
        _remove_scratch(path)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


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
    with translate_oserror(directory), locked(directory) as is_held:
        for path in leftovers(directory) if is_held else []:
            _remove(path)


def leftovers(directory: Path) -> list[Path]:
    """What builds have left in a cache that did not end: scratch directories, unnamed data files."""
    try:
        manifest = read_manifest(str(directory))[1]
    except CacheInvalid:
        return []
    expected = {file.path for file in manifest.files.values()} | {MANIFEST, ATTRIBUTES}
    if manifest.format == "1":
        expected |= {DOCUMENTS, INDEX}
    paths = [directory / name for name in sorted(made_by_builds(directory) - expected)]
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
