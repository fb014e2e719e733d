"""Documents that are no text, as Markdown: PDF, DOCX, PPTX, XLSX, HTML, EPUB, notebooks.

The extra `convert` brings what reads them. Its versions are part of the identity of a cache
that holds such a document, because another version may read it otherwise; a cache without
one does not depend on whether the extra is installed. Nothing is fetched: what a document
links to stays a link. A process of its own converts, so that what hangs or crashes there costs
one document.
"""

from __future__ import annotations

import io
import re
import sys
import time
import zipfile
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from ..errors import IoError
from ..text.display import escape_control
from ..worker import Worker, WorkerEnded
from .sources.source_filter import CONVERSION_HINT, Rules
from .splitting.formats import is_convertible, suffix_of
from .splitting.headings import Slugs, slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from .config import BuildConfig
    from .report import Skipped

PACKAGES = (
    "markitdown", "beautifulsoup4", "mammoth", "markdownify", "openpyxl", "pypdfium2", "python-pptx",
)  # fmt: skip
"""The distributions whose versions decide what a conversion yields."""

READER_VERSION = "2"
"""The number of how this package itself reads PDF and XLSX: another one may yield other text."""

MAX_UNPACKED = 256 << 20
"""Bytes; a document that is an archive and unpacks to more is not read."""

MAX_SECONDS = 300
"""A conversion that takes longer is ended; the largest page that is read by default takes one minute."""

LARGEST_TEXT = 64 << 20
"""Characters that a document may become."""

_PROGRAM = f"{__package__}.convert_worker"
_TRAILING = re.compile(r"(?<![ \t\r\f\v])[ \t\r\f\v]++$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")


class ConversionError(Exception):
    """A document was not converted; the text says why."""


class TooLarge(Exception):
    """A document becomes more text than `LARGEST_TEXT`."""


class Converted(NamedTuple):
    """The text of a document, or of a sheet of a workbook."""

    text: str
    title: str | None
    """As the document itself says, which few do."""
    pages: tuple[int, ...] = ()
    """The line, from 1, with which each page of a PDF begins."""
    sheet: str = ""
    """The name of a sheet in ids, without dots and slashes."""

    def source(self, file: str) -> str:
        """The source of the documents that come from this text of a file: a sheet is one of its own."""
        return f"{file}/{self.sheet}" if self.sheet else file


def converter() -> dict[str, str] | None:
    """What converts, by distribution and version; None when the extra is not installed."""
    try:
        return {"reading": READER_VERSION} | {name: version(name) for name in PACKAGES}
    except PackageNotFoundError:
        return None


def rules_in_force(config: BuildConfig) -> Rules:
    """The rules of a configuration, with what its profile brings and what can be converted here."""
    format1 = config.profile == "v0"
    convert = config.convert and not format1 and converter() is not None
    return replace(config.rules, convert=convert, format1=format1)


def identity_of(config: BuildConfig, rules: Rules, ids: Iterable[str]) -> dict[str, Any]:
    """The `build_config` of a cache of these sources: the converter too, if it reads one of them."""
    if rules.convert and any(map(is_convertible, ids)):
        return config.identity | {"converter": converter()}
    return config.identity


def missing_converter(
    was: Mapping[str, Any], config: BuildConfig, ids: Iterable[str], skipped: Iterable[Skipped]
) -> str:
    """Why a build would lose converted documents that the cache with the `build_config` `was` may hold.

    Empty when it would not: nothing is to be converted, or what converts is installed. `ids` are the
    sources that are taken, `skipped` what is left out.
    """
    if "converter" not in was or not config.convert or config.profile == "v0" or converter() is not None:
        return ""
    lost = [id_ for id_ in ids if is_convertible(id_)]
    lost += [item.path for item in skipped if CONVERSION_HINT in item.rule]
    if not lost:
        return ""
    more = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
    return (
        f"{escape_control(min(lost))}{more}: only the extra `convert` reads them, which is not installed; "
        "pip install 'ctxcache[convert]', or build without them with --allow-missing-converter"
    )


class Converter:
    """Converts documents one after another; threads that share it wait for their turn.

    Its process is started for the first document and ends when this is closed, or forgotten.
    """

    def __init__(self) -> None:
        """Nothing is started yet."""
        self._turn = Lock()
        self._worker: Worker | None = None

    def __call__(self, id_: str, data: bytes) -> list[Converted] | str:
        """The text of a document, of a workbook one a sheet, or why there is none."""
        if converter() is None:
            return CONVERSION_HINT
        extension = suffix_of(id_).lower()
        if data.startswith(b"PK") and (size := _unpacked(data)) > MAX_UNPACKED:
            return f"cannot be converted (unpacks to {size} bytes, more than {MAX_UNPACKED})"
        try:
            answer = self._ask(extension, data)
        except ConversionError as error:
            return str(error)
        title = _storable(answer["title"]).strip()
        if "sheets" in answer:
            texts = list(_sheets(answer["sheets"], title or PurePosixPath(id_).stem))
        else:
            pages = tuple(answer.get("pages", ()))
            texts = [Converted(_tidy(answer["markdown"]), title or None, pages)]
        if not any(one.text for one in texts):
            like_a_scan = ", as in a scan" if extension == ".pdf" else ""
            return f"cannot be converted (there is no text in it{like_a_scan})"
        return texts

    def _ask(self, extension: str, data: bytes) -> dict[str, Any]:
        """`markdown`, `title` and perhaps `pages` of a document. Raises `ConversionError`."""
        with self._turn:
            if self._worker is None or not self._worker.is_running:
                self._worker = _started()
            began = time.monotonic()
            try:
                answer = self._worker.ask({"extension": extension, "seconds": MAX_SECONDS}, data)
            except WorkerEnded:
                if time.monotonic() - began >= MAX_SECONDS:
                    raise ConversionError(f"conversion took longer than {MAX_SECONDS} s") from None
                raise ConversionError("cannot be converted (the converter crashed)") from None
        if "problem" in answer:
            raise ConversionError(f"cannot be converted ({answer['problem']})")
        return answer

    def close(self) -> None:
        """End the process, if there is one."""
        with self._turn:
            if self._worker:
                self._worker.end()
            self._worker = None

    def kill(self) -> None:
        """End it in the middle of a document, whoever waits for that: for a process about to leave."""
        if self._worker:
            self._worker.kill()

    def __enter__(self) -> Converter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _started() -> Worker:
    """The process that converts; see `convert_worker`. Raises `IoError`."""
    try:
        return Worker(_PROGRAM)
    except WorkerEnded:
        problem = f"the converter does not start: `{sys.executable} -m {_PROGRAM}` ends at once"
        raise IoError(problem) from None


def _unpacked(data: bytes) -> int:
    """How many bytes an archive says that it holds; 0 if it is none, which its converter will say."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile:
        return 0


def _sheets(sheets: Iterable[dict[str, str]], title: str) -> Iterator[Converted]:
    """The sheets of a workbook of this title in which something stands."""
    slugs = Slugs()
    for sheet in sheets:
        name = _storable(sheet["name"])
        text, sheet_slug = _tidy(sheet["markdown"]), slugs.take(slug(name))
        if text:
            yield Converted(text, f"{title} > {name}", sheet=sheet_slug)


def _tidy(markdown: str) -> str:
    """Markdown as a cache holds it, with one line end behind it unless it is empty."""
    text = _BLANK_LINES.sub("\n\n", _TRAILING.sub("", _storable(markdown))).strip("\n")
    return text and text + "\n"


def _storable(text: str) -> str:
    """Text that a cache can hold: no lone surrogates, no NULs."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
