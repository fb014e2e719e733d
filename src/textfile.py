"""Reading and replacing a user's text file without losing what is around its text."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def read_text(file: Path) -> str:
    """The text with its line ends as they are, empty if there is no file. Raises `ValueError`, `OSError`."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None


def replace_text(file: Path, text: str) -> None:
    """Put `text` in place of a file as `replace_bytes` does; its byte-order mark stays."""
    marked = file.exists() and file.read_bytes().startswith(BOM_UTF8)
    replace_bytes(file, (BOM_UTF8 if marked else b"") + text.encode())


def replace_bytes(file: Path, data: bytes) -> None:
    """Put `data` in place of a file, or make one, in one step; permissions and links to it stay."""
    target = file.resolve()  # a link to a file kept elsewhere stays a link
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o7777 if target.exists() else None
    new = target.with_name(f".{target.name}.{os.urandom(8).hex()}.new")
    try:
        with new.open("xb") as written:
            written.write(data)
            written.flush()
            os.fsync(written.fileno())
        if mode is not None:
            new.chmod(mode)
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)
