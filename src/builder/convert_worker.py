"""The process that converts documents, one after another, and ends itself when one takes too long.

Started by `Converter`. A converter of others may hang where no code of Python runs, so the limit of time is
kept by a thread that needs no interpreter.
"""

from __future__ import annotations

import faulthandler
import io
import zipfile
from typing import TYPE_CHECKING

from ..worker import serve
from .convert import LARGEST_TEXT, TooLarge

if TYPE_CHECKING:
    from typing import Any

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How an encrypted document of the Office formats begins, and one of their predecessors."""

_CONVERTERS = {
    ".docx": "DocxConverter",
    ".pptx": "PptxConverter",
    ".html": "HtmlConverter",
    ".htm": "HtmlConverter",
    ".epub": "EpubConverter",
    ".ipynb": "IpynbConverter",
}

MOST_MEMORY = 4 << 30
"""Bytes for a document: some small ones unpack to more than a machine has. Few take a tenth of it."""
_WORDS = {"MemoryError": "it needs too much memory", "TooLarge": "it is too large as text"}
"""What is reported instead of an exception's name."""


def convert(request: dict[str, Any], data: bytes) -> dict[str, Any]:
    """What a document holds, or the `problem` with it."""
    extension = request["extension"]
    faulthandler.dump_traceback_later(request["seconds"], exit=True)
    try:
        return _converted(extension, data)
    except BaseException as error:  # whatever a converter of others stumbles over costs one document
        return {"problem": _reason(extension, data, error)}
    finally:
        faulthandler.cancel_dump_traceback_later()


def _converted(extension: str, data: bytes) -> dict[str, Any]:
    """What a document holds. Raises whatever its converter raises."""
    if extension == ".pdf":
        from .pdf import read_pdf

        return read_pdf(data)._asdict()
    if extension == ".xlsx":
        from .spreadsheet import read_spreadsheet

        return read_spreadsheet(data)
    from markitdown import StreamInfo, converters

    chosen = getattr(converters, _CONVERTERS[extension])()
    result = chosen.convert(io.BytesIO(data), StreamInfo(extension=extension, charset=_charset(data)))
    if len(result.markdown) > LARGEST_TEXT:
        raise TooLarge
    return {"markdown": result.markdown, "title": result.title or ""}


def _reason(extension: str, data: bytes, error: BaseException) -> str:
    """Why a document was not converted, in words where they are known."""
    if extension == ".pdf" and isinstance(error, ValueError):
        return str(error)
    if data.startswith(_OLE):
        return "it needs a password, or is of an older format"
    if isinstance(error, zipfile.BadZipFile):
        return "it is damaged" if data.startswith(b"PK") else f"it is no {extension[1:].upper()} file"
    name = type(error).__name__
    return _WORDS.get(name, name)


def _charset(data: bytes) -> str | None:
    """The encoding of an HTML page or a notebook: UTF-8, or what the page declares; never a guess."""
    from bs4.dammit import EncodingDetector

    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return EncodingDetector.find_declared_encoding(data, is_html=True)
    return "utf-8"


if __name__ == "__main__":
    serve(convert, loading="markitdown", most_memory=MOST_MEMORY)  # which takes seconds
