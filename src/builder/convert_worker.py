"""The process that converts documents, one after another, and ends itself when one takes too long.

Started by `convert`. A request is a line of JSON and the document's bytes, an answer a line of
JSON; the first line says that the process is ready. A converter of others may hang where no
code of Python runs, so the limit is kept by a thread that needs no interpreter.
"""

from __future__ import annotations

import faulthandler
import io
import json
import logging
import os
import signal
import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, BinaryIO

_CONVERTERS = {
    ".pdf": "PdfConverter",
    ".docx": "DocxConverter",
    ".pptx": "PptxConverter",
    ".xlsx": "XlsxConverter",
    ".html": "HtmlConverter",
    ".htm": "HtmlConverter",
    ".epub": "EpubConverter",
    ".ipynb": "IpynbConverter",
}


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    from markitdown import StreamInfo, converters  # seconds, which no document is to pay for

    logging.getLogger("pdfminer").setLevel(logging.CRITICAL)
    _write(answers, _line({"ready": True}))
    for line in requests:
        asked = json.loads(line)
        data = requests.read(asked["size"])
        extension = asked["extension"]
        faulthandler.dump_traceback_later(asked["seconds"], exit=True)
        try:
            chosen = getattr(converters, _CONVERTERS[extension])()
            result = chosen.convert(io.BytesIO(data), StreamInfo(extension=extension, charset=_charset(data)))
            answer = _line({"markdown": result.markdown, "title": result.title or ""})
        except BaseException as error:  # whatever a converter of others stumbles over costs one document
            answer = _line({"problem": type(error).__name__})
        faulthandler.cancel_dump_traceback_later()
        _write(answers, answer)


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
