"""From bytes to text, without a guess.

Text is UTF-8, or what its byte-order mark says. Nothing is trimmed, no newline is changed, and
what is not text is named with the place where that shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..report import Skipped
from .source_filter import MAX_FILE_BYTES, SourceFile, id_path, too_large
from .tree import read

if TYPE_CHECKING:
    from ...safeio import OpenFolder

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be", "utf-32-be"),
    (b"\xef\xbb\xbf", "utf-8", "utf-8-sig"),
    (b"\xff\xfe", "utf-16-le", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be", "utf-16-be"),
)
_UNMARKED = (b"", "utf-8", "utf-8")


class SourceText(NamedTuple):
    """The text of a file."""

    text: str
    """As decoded, without the byte-order mark."""
    encoding: str
    """`utf-8`; with a byte-order mark `utf-8-sig`, `utf-16-le`, `utf-16-be`, `utf-32-le` or `utf-32-be`."""


def read_text(file: SourceFile, *, max_file_bytes: int = MAX_FILE_BYTES) -> SourceText | Skipped:
    """Read a file that a walk found, as text."""
    data = read_bytes(file, max_file_bytes=max_file_bytes)
    return data if isinstance(data, Skipped) else text_of(file, data)


def read_bytes(
    file: SourceFile, *, max_file_bytes: int = MAX_FILE_BYTES, folder: OpenFolder | None = None
) -> bytes | Skipped:
    """Read a file that a walk found; what has changed since then into something else is skipped.

    For many files, one `folder` saves time.
    """
    try:
        data = read(file.root, file.name, max_file_bytes + 1, folder)
    except OSError as error:
        return Skipped.refused(id_path(file.name), error)
    if len(data) > max_file_bytes:
        return Skipped(id_path(file.name), too_large(max_file_bytes), fault=True)
    return data


def text_of(file: SourceFile, data: bytes) -> SourceText | Skipped:
    """The text of a file with these bytes."""
    decoded = decode(data)
    return Skipped(id_path(file.name), decoded, fault=True) if isinstance(decoded, str) else decoded


def decode(data: bytes) -> SourceText | str:
    """Return the text, or say why there is none; a NUL makes it binary."""
    mark, codec, encoding = next((one for one in _MARKS if data.startswith(one[0])), _UNMARKED)
    if codec == "utf-8" and (nul := data.find(b"\0")) >= 0:
        return f"binary (NUL byte at offset {nul})"
    try:
        text = data[len(mark) :].decode(codec)
    except UnicodeDecodeError as error:
        at = len(mark) + error.start
        return f"not {codec[:6].rstrip('-').upper()} (byte 0x{data[at]:02X} at offset {at})"
    if "\0" in text:
        return f"binary (NUL character in {encoding})"
    return SourceText(text, encoding)
