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
import zipfile
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from .converter import ConversionError, ask
from .sources import CONVERSION_HINT, Rules, is_convertible

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .config import BuildConfig

PACKAGES = (
    "markitdown", "beautifulsoup4", "mammoth", "markdownify", "openpyxl", "pandas", "pdfminer.six",
    "pdfplumber", "python-pptx",
)  # fmt: skip
"""The distributions whose versions decide what a conversion yields."""

MAX_UNPACKED = 256 << 20
"""Bytes; a document that is an archive and unpacks to more is not read."""

MAX_SECONDS = 300
"""A conversion that takes longer is ended; the largest page that is read by default takes one minute."""

_TRAILING = re.compile(r"(?<![ \t\r\f\v])[ \t\r\f\v]++$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")


class Converted(NamedTuple):
    """The text of a document."""

    text: str
    title: str | None
    """As the document itself says, which few do."""


@cache
def converter() -> dict[str, str] | None:
    """What converts, by distribution and version; None when the extra is not installed."""
    try:
        return {name: version(name) for name in PACKAGES}
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


def convert(id_: str, data: bytes) -> Converted | str:
    """The text of a document, or why there is none."""
    if converter() is None:
        return CONVERSION_HINT
    extension = PurePosixPath(id_).suffix.lower()
    if data.startswith(b"PK") and (size := _unpacked(data)) > MAX_UNPACKED:
        return f"cannot be converted (unpacks to {size} bytes, more than {MAX_UNPACKED})"
    try:
        answer = ask(extension, data, MAX_SECONDS)
    except ConversionError as error:
        return str(error)
    text = _BLANK_LINES.sub("\n\n", _TRAILING.sub("", _storable(answer["markdown"]))).strip("\n")
    if not text:
        return "cannot be converted (there is no text in it, as in a scan)"
    return Converted(text + "\n", _storable(answer["title"]).strip() or None)


def _unpacked(data: bytes) -> int:
    """How many bytes an archive says that it holds; 0 if it is none, which its converter will say."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile:
        return 0


def _storable(text: str) -> str:
    """Text that a cache can hold: no lone surrogates, no NULs."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
