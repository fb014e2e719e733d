"""A cache as one file: a tar archive whose bytes depend on the cache alone.

Members are sorted, without compression, owner or time, so that two machines pack equal caches to
equal bytes and a digest published beside a release says all.
"""

from __future__ import annotations

import hashlib
import os
import re
import tarfile
from io import BytesIO
from pathlib import Path

from ..errors import CacheInvalid, UsageError
from ..safeio import exists, new_beside, new_directory_beside, translate_oserror
from .files import open_regular
from .manifest import MANIFEST, read_manifest
from .publish import ATTRIBUTES, INDEX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader, BufferedWriter

_MEMBER = re.compile(r"(?:documents/)?(?!\.\.?\Z)[A-Za-z0-9.][A-Za-z0-9._-]{0,99}\Z")
_MOST_MEMBERS = 1 << 21
_CHUNK = 1 << 20


def pack(cache_dir: str, file: Path) -> str:
    """Write the cache to `file` and return the SHA-256 of its bytes. Raises `OperationError`."""
    data, manifest = read_manifest(cache_dir)
    names = {each.path for each in manifest.files.values()} | {path for _, _, path in manifest.entries}
    with translate_oserror(cache_dir):
        names |= {name for name in (ATTRIBUTES, INDEX) if exists(f"{cache_dir}/{name}")}
    with translate_oserror(file), new_beside(file) as (new, out):
        with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
            archive.addfile(_member(MANIFEST, len(data)), BytesIO(data))
            for name in sorted(names):
                with open_regular(f"{cache_dir}/{name}") as source:
                    archive.addfile(_member(name, os.fstat(source.fileno()).st_size), source)
        out.flush()
        os.fsync(out.fileno())
        out.seek(0)
        digest = hashlib.file_digest(out, "sha256").hexdigest()
        if os.name == "nt":  # it renames no open file
            out.close()
        new.replace(file)
        return digest


def unpack(file: Path, cache_dir: Path, digest: str | None, check: Callable[[Path], None]) -> None:
    """Write the cache in `file` to a directory that does not exist yet.

    `digest` is the SHA-256 that the file must have; `check` raises if a directory holds no valid cache.
    A file that fails leaves nothing. Raises `OperationError`, `UsageError`.
    """
    with translate_oserror(file):
        if exists(cache_dir):
            raise UsageError(f"{cache_dir}: is there already; name another directory with --cache")
        cache_dir.parent.mkdir(parents=True, exist_ok=True)
        with new_directory_beside(cache_dir) as scratch:
            with open_regular(str(file)) as source:
                actual = hashlib.file_digest(source, "sha256").hexdigest()
                if digest is not None and actual != digest:
                    raise CacheInvalid(f"{file}: has the digest {actual}, not {digest}")
                source.seek(0)
                _extract(source, scratch, file)
            check(scratch)
            scratch.rename(cache_dir)


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    return member


def _extract(source: BufferedReader, directory: Path, file: Path) -> None:
    """Write the members; one that `pack` does not write is a fault of the file."""
    try:
        for number in range(_MOST_MEMBERS + 1):
            header = source.read(tarfile.BLOCKSIZE)
            if not header.strip(b"\0"):
                return
            # The headers are read one by one: `tarfile` would join extended ones without end.
            member = tarfile.TarInfo.frombuf(header, "utf-8", "strict")
            if number == _MOST_MEMBERS or member.type != tarfile.REGTYPE or not _MEMBER.match(member.name):
                raise CacheInvalid(f"{file}: holds what no cache holds: {member.name}")
            target = directory / member.name
            target.parent.mkdir(exist_ok=True)
            with target.open("xb") as out:
                _copy(source, out, member.size)
            source.read(-member.size % tarfile.BLOCKSIZE)
    except FileExistsError as error:
        raise CacheInvalid(f"{file}: holds {Path(error.filename).name} twice") from None
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise CacheInvalid(f"{file}: is not a file of `ctx pack` ({error})") from None


def _copy(source: BufferedReader, out: BufferedWriter, size: int) -> None:
    """Copy so many bytes. Raises `EOFError` when there are fewer, `ValueError` for a number that is none."""
    if size < 0:
        raise ValueError("a negative size")
    while size:
        data = source.read(min(size, _CHUNK))
        if not data:
            raise EOFError("unexpected end of data")
        out.write(data)
        size -= len(data)
