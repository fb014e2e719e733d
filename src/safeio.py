"""Reading files of others safely, replacing them in one step, and telling what the system refuses."""

from __future__ import annotations

import errno
import os
import re
import stat
from codecs import BOM_UTF8
from contextlib import contextmanager, suppress
from functools import partial

from .errors import IoError
from .locks import lock_if_free, locked, wait_for_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedRandom
    from pathlib import Path

NO_SUCH_FILE_ERRNOS = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL})
"""What the system says of a name that nothing has."""
LARGEST = 16 << 20  # bytes of a file that people or their programs edit

# Windows lacks these flags, and `dir_fd`; a file there is opened by its whole path.
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
NOFOLLOW_FLAGS = _OPEN_FLAGS | _NO_LINK
"""How a file is opened: a link is not followed, a FIFO does not block, no newline is translated."""


def mode_of(path: str | bytes | Path, *, follows: bool = True) -> int:
    """What is at a path, as `stat.S_ISDIR` and the like take it; 0 if nothing is.

    Raises `OSError` where the system will not say. `os.path.isdir` and the like, and since CPython 3.14 those
    of `Path`, call that nothing: whoever asks them writes over what is there, or takes other files.
    """
    try:
        return os.stat(path, follow_symlinks=follows).st_mode  # noqa: PTH116 - bytes, and a cold start
    except ValueError:  # a NUL in the name
        return 0
    except OSError as error:
        if error.errno in NO_SUCH_FILE_ERRNOS:
            return 0
        raise


def is_directory(path: str | bytes | Path) -> bool:
    """Whether there is a directory, or a link to one. Raises `OSError` as `mode_of` does."""
    return stat.S_ISDIR(mode_of(path))


def is_file(path: str | bytes | Path) -> bool:
    """Whether there is a regular file, or a link to one. Raises `OSError` as `mode_of` does."""
    return stat.S_ISREG(mode_of(path))


def exists(path: str | bytes | Path) -> bool:
    """Whether anything has this name, be it a link that leads nowhere. Raises `OSError` as `mode_of` does."""
    return mode_of(path, follows=False) != 0


def is_inside(path: str, root: str) -> bool:
    """Whether a real path is the real path `root` or lies below it."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def has_utf8_form(name: str) -> bool:
    """Whether a name can be written as UTF-8: one in another encoding arrives with lone surrogates."""
    return name.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in name)


class ChangedMeanwhile(Exception):
    """Another program wrote the file between reading it and replacing it."""


@contextmanager
def named(file: str | Path) -> Iterator[None]:
    """Let any `OSError` of the block name a file, as one of a descriptor does not."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(file)
        raise


def read_bytes(file: Path, *, limit: int = LARGEST) -> bytes:
    """The bytes of a regular file. Raises `ValueError` for what is none or too large, `OSError`."""
    descriptor = os.open(file, _OPEN_FLAGS)
    try:
        with named(file):
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ValueError("it is not a regular file")
            data = read_up_to(partial(os.read, descriptor), limit + 1)
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise ValueError(f"it is larger than {limit >> 20} MiB")
    return data


def read_lines(file: Path, *, longest: int = LARGEST) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers from 1, line ends left out, empty ones passed over.

    Raises `ValueError` for a line of more than `longest` bytes, `OSError`.
    """
    with file.open("rb") as lines:
        number = 0
        while line := lines.readline(longest + 1):
            number += 1
            if len(line) > longest:
                raise ValueError(f"line {number} is longer than {longest:,} bytes")
            if line.strip():
                yield number, line.rstrip(b"\r\n")


def decode_text(data: bytes) -> str:
    """UTF-8 without its byte-order mark; line ends stay. Raises `ValueError`."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None


def replace_text(file: Path, text: str) -> None:
    """Put `text` in place of a file as `replace_bytes` does; its byte-order mark stays."""
    mark = b""
    with suppress(FileNotFoundError), file.open("rb") as before:
        mark = BOM_UTF8 if before.read(len(BOM_UTF8)) == BOM_UTF8 else b""
    replace_bytes(file, mark + text.encode())


def replace_bytes(file: Path, data: bytes, *, expected: bytes | None = None) -> None:
    """Put `data` in place of a file, or make one, in one step.

    Permissions, owner and links to the file stay. A file with several hard links, or one whose
    owner could not be kept, is written where it is, which is not one step.

    With `expected`, raises `ChangedMeanwhile` if the file does not hold those bytes at the last moment.
    """
    target = file.resolve()  # a link to a file kept elsewhere stays a link
    target.parent.mkdir(parents=True, exist_ok=True)
    before = target.stat() if mode_of(target) else None
    with named(file), new_beside(target) as (new, opened):
        opened.write(data)
        opened.flush()
        os.fsync(opened.fileno())
        can_replace = before is None or _take_over(new, opened.fileno(), before)
        if os.name == "nt":
            opened.close()  # it renames no open file
        if expected is not None and read_if_any(target) != expected:
            raise ChangedMeanwhile(str(file))
        if can_replace:
            new.replace(target)
        else:
            _overwrite(target, data)


def write_output(file: Path, data: bytes) -> None:
    """Put `data` in a file that a user names, as `replace_bytes` does; into a pipe or a device as it is."""
    if mode_of(file) and not is_file(file):
        with named(file):
            file.write_bytes(data)
    else:
        replace_bytes(file, data)


def read_if_any(target: Path) -> bytes:
    """The bytes of a file, none where there is none."""
    try:
        return read_bytes(target)
    except FileNotFoundError:
        return b""


def _take_over(new: Path, descriptor: int, before: os.stat_result) -> bool:
    """Give a new file the owner and permissions of the old one; False if it cannot stand for that."""
    if before.st_nlink > 1:
        return False
    if hasattr(os, "fchown"):
        now = os.fstat(descriptor)
        if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
            try:
                os.fchown(descriptor, before.st_uid, before.st_gid)
            except OSError:
                return False
    new.chmod(stat.S_IMODE(before.st_mode))  # after the owner, whose change clears the set-id bits
    return True


def _overwrite(target: Path, data: bytes) -> None:
    with target.open("r+b") as opened:
        opened.write(data)
        opened.truncate()
        opened.flush()
        os.fsync(opened.fileno())


@contextmanager
def new_beside(target: Path) -> Iterator[tuple[Path, BufferedRandom]]:
    """A new file beside `target`, open for writing and reading; gone at the end unless it was renamed.

    The file is locked while it is written: what no lock holds was left behind by a killed run, and
    is removed.
    """
    _remove_leftovers(target)
    while True:
        new = _new_name(target)
        try:
            with new.open("x+b") as file:
                wait_for_lock(file.fileno())
                if exists(new):  # else another run removed it before it was locked
                    yield new, file
                    return
        finally:
            _remove(new)


@contextmanager
def new_directory_beside(target: Path) -> Iterator[Path]:
    """The same for a directory."""
    _remove_leftovers(target)
    while True:
        new = _new_name(target)
        new.mkdir()
        try:
            with locked(new):
                if exists(new):
                    yield new
                    return
        finally:
            _remove(new)


def _names_of_new(target: str) -> re.Pattern[str]:
    """What names a new file beside `target`, a pattern, may have."""
    return re.compile(rf"\.{target}\.[0-9a-f]{{16}}\.new", re.DOTALL)


_UNFINISHED = _names_of_new(".+")


def is_unfinished(name: str) -> bool:
    """Whether a file has the name of a new one that was not renamed yet: a run that was killed leaves it."""
    return _UNFINISHED.fullmatch(name) is not None


def _new_name(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.urandom(8).hex()}.new")


def _remove(path: Path) -> None:
    """Remove a file or a directory, if it is there."""
    if path.is_dir():
        remove_tree(path)
    else:
        path.unlink(missing_ok=True)


def remove_tree(directory: str | Path) -> None:
    """Remove a directory with all that is in it, as far as the system lets."""
    import shutil  # a cold start goes without

    with suppress(OSError):  # it ignores most errors, but not all
        shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def scratch_directory() -> Iterator[Path]:
    """A new temporary directory, removed at the end; what the system does not give up stays."""
    import tempfile
    from pathlib import Path

    directory = tempfile.mkdtemp()
    try:
        yield Path(directory)
    finally:
        remove_tree(directory)


def _remove_leftovers(target: Path) -> None:
    """Remove what runs have left beside `target` that did not end: what has such a name and nobody holds."""
    if os.name == "nt":  # it removes nothing that is open
        return
    own = _names_of_new(re.escape(target.name))
    with suppress(OSError):
        for leftover in [entry for entry in target.parent.iterdir() if own.fullmatch(entry.name)]:
            descriptor = os.open(leftover, NOFOLLOW_FLAGS)
            try:
                if lock_if_free(descriptor):
                    _remove(leftover)
            finally:
                os.close(descriptor)


@contextmanager
def translate_oserror(path: str | Path) -> Iterator[None]:
    """Turn any `OSError` of the block into `IoError`, naming its file, or else `path`.

    A broken pipe passes: it tells of the reader of a progress report, not of a cache.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        name = error.filename if isinstance(error.filename, (str, bytes)) else path
        raise IoError(f"{os.fsdecode(name)}: {error.strerror or error}") from None


_CHUNK = 1 << 20


class NotRegular(OSError):
    """There is something else than a regular file."""


def read_below(root: bytes, name: bytes, limit: int, folder: OpenFolder | None = None) -> bytes:
    """Read at most `limit` bytes of `root/name`; `NotRegular` or another `OSError` if that cannot be.

    Between a walk and the read a name may become a link, a pipe or a device. No component below the root
    is followed as a link, and a pipe is opened without waiting for a writer. Files of one folder are read
    in a third of the time where one `OpenFolder` is given for all.
    """
    if folder is None:
        with OpenFolder() as folder:
            return read_below(root, name, limit, folder)
    descriptor = folder.open_file(root, name)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegular
        data = os.read(descriptor, min(limit, _CHUNK, status.st_size + 1))
        if len(data) == status.st_size:  # as long as it says and not longer: it has ended
            return data
        return data + read_up_to(partial(os.read, descriptor), limit - len(data))
    finally:
        os.close(descriptor)


class OpenFolder:
    """The folder of the file that was read last, which stays open for the next one. Belongs to one thread."""

    def __init__(self) -> None:
        """Nothing is open yet."""
        self._path: tuple[bytes, bytes] | None = None
        self._descriptor = -1

    def open_file(self, root: bytes, name: bytes) -> int:
        """Open `root/name` for reading, component by component."""
        if os.open not in os.supports_dir_fd:
            return os.open(os.path.join(root, name), NOFOLLOW_FLAGS)  # noqa: PTH118 - Path does not take bytes
        folder, _, last = name.rpartition(b"/")
        if self._path != (root, folder):
            self.close()
            self._descriptor = _open_folder(root, folder)
            self._path = root, folder
        return os.open(last, NOFOLLOW_FLAGS, dir_fd=self._descriptor)

    def close(self) -> None:
        """Close the folder."""
        if self._path is not None:
            self._path = None
            os.close(self._descriptor)

    def __enter__(self) -> OpenFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_unreadable(error: OSError) -> bool:
    """Whether the system refused to read what is there; else it is nothing that is read, or has vanished."""
    gone = isinstance(error, (NotRegular, FileNotFoundError, NotADirectoryError))
    return not gone and error.errno not in (errno.ENXIO, errno.ELOOP)


def why_unreadable(error: OSError) -> str:
    """Say why the system refused, in words that are equal on every machine."""
    if isinstance(error, NotRegular):
        return "not a regular file"
    if isinstance(error, PermissionError):
        return "unreadable (permission denied)"
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return "vanished while the folder was read"
    if error.errno == errno.ENXIO:
        return "not a regular file (socket)"
    if error.errno == errno.ELOOP:
        return "symbolic link, not followed"
    return f"unreadable ({errno.errorcode.get(error.errno or 0, 'I/O error')})"


def _open_folder(root: bytes, folder: bytes) -> int:
    """Open a folder below a root, component by component."""
    at = os.open(root, _FOLDER)
    for component in folder.split(b"/") if folder else ():
        try:
            inner = os.open(component, _FOLDER | _NO_LINK, dir_fd=at)
        finally:
            os.close(at)
        at = inner
    return at


def read_up_to(read: Callable[[int], bytes], limit: int) -> bytes:
    """Read to the end or to the limit; one call may return less than was asked for."""
    chunks = []
    while limit > 0 and (chunk := read(min(limit, _CHUNK))):
        chunks.append(chunk)
        limit -= len(chunk)
    return b"".join(chunks)
