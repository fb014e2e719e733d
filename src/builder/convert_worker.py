"""The process that converts documents, one after another, and ends itself when one takes too long.

Started by `convert`. A request is a line of JSON and the document's bytes, an answer a line of
JSON; the first line says that the process is ready. A converter of others may hang where no
code of Python runs, so the limit is kept by a thread that needs no interpreter.
"""

from __future__ import annotations

import faulthandler
import io
import json
import os
import signal
import sys
import warnings
import zipfile
from typing import TYPE_CHECKING

from ..limits import limit_memory
from .convert import LARGEST_TEXT, TooLarge

if TYPE_CHECKING:
    from typing import Any, BinaryIO

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


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    import markitdown  # noqa: F401 - seconds, which no document is to pay for

    limit_memory(MOST_MEMORY)
    _write(answers, _line({"ready": True}))
    for line in requests:
        asked = json.loads(line)
        data = requests.read(asked["size"])
        extension = asked["extension"]
        faulthandler.dump_traceback_later(asked["seconds"], exit=True)
        try:
            answer = _line(_not_too_large(_converted(extension, data)))
        except BaseException as error:  # whatever a converter of others stumbles over costs one document
            answer = _line({"problem": _reason(extension, data, error)})
        faulthandler.cancel_dump_traceback_later()
        _write(answers, answer)


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
    return {"markdown": result.markdown, "title": result.title or ""}


def _not_too_large(found: dict[str, Any]) -> dict[str, Any]:
    if len(found.get("markdown", "")) > LARGEST_TEXT:  # a workbook watches its sheets itself
        raise TooLarge
    return found


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


def _line(found: dict[str, Any]) -> bytes:
    return json.dumps(found).encode() + b"\n"


def _write(answers: BinaryIO, line: bytes) -> None:
    answers.write(line)
    answers.flush()


def _charset(data: bytes) -> str | None:
    """The encoding of an HTML page or a notebook: UTF-8, or what the page declares; never a guess."""
    from bs4.dammit import EncodingDetector

    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return EncodingDetector.find_declared_encoding(data, is_html=True)
    return "utf-8"


def main() -> None:
    """Serve on standard input and output, which a converter that prints does not get hold of."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this ends it
    warnings.simplefilter("ignore")  # of style, addressed to the document's author
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
