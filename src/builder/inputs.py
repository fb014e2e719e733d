"""What a cache is built from: a folder, texts, or a test collection in BEIR layout (`corpus.jsonl`).

A line of that is `{"_id": …, "title": …, "text": …}`; the id says in which format the text is written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..cache.files import LARGEST_FILE
from ..errors import IoError, UsageError
from ..safeio import read_lines
from .compile import GivenText
from .report import Notice
from .sources.source_filter import SourceFile
from .sources.tree import is_url, label_of
from .sources.walk import walk
from .splitting.formats import kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .compile import Source
    from .report import Skipped
    from .sources.source_filter import Rules
    from .sources.walk import Walk


class Inputs(NamedTuple):
    """What there is to build."""

    name: str
    """The folder, as its caller named it."""
    texts: Sequence[Source]
    """In id order."""
    skipped: list[Skipped]
    """What the walk has left out."""
    warnings: list[Notice]

    @property
    def files(self) -> list[str]:
        """The ids of those that are files."""
        return [text.id for text in self.texts if isinstance(text, SourceFile)]


def inputs_of(
    sources: str | os.PathLike[str] | Iterable[GivenText], rules: Rules, walked: Walk | None
) -> Inputs:
    """What a folder holds, unless it was `walked` already, or texts. Raises `UsageError`, `IoError`."""
    if not isinstance(sources, (str, os.PathLike)):
        return Inputs("the texts", _validated(sources), [], [])
    walked = walked or walk(sources, rules)
    warnings = list(walked.warnings)
    if not walked.files:
        warnings.append(Notice("", "no document was found: the cache is empty"))
    return Inputs(label_of(sources), walked.files, list(walked.skipped), warnings)


def _validated(texts: object) -> list[GivenText]:
    """The texts in id order. Raises `UsageError` naming the first that no cache can hold."""
    if not isinstance(texts, Iterable):
        raise UsageError(f"sources: neither a folder nor texts, but {type(texts).__name__}")
    validated = [_validated_text(text, number) for number, text in enumerate(texts)]
    return sorted(validated, key=lambda text: text.id.encode("utf-8"))


def _validated_text(text: object, number: int) -> GivenText:
    """A text; `number` is its index among those of the caller."""
    if not isinstance(text, GivenText):
        raise UsageError(f"sources[{number}]: {type(text).__name__} is no GivenText(id, title, content)")
    for name, value in text._asdict().items():
        if not isinstance(value, str):
            raise UsageError(f"sources[{number}].{name}: {type(value).__name__} is no str")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            problem = f"lone surrogate U+{ord(value[error.start]):04X} at offset {error.start}"
            raise UsageError(f"sources[{number}].{name}: {problem}; decode it as what it is") from None
    return text


def require_apart(sources: str | os.PathLike[str] | Iterable[GivenText], cache_dir: Path) -> None:
    """Raise `UsageError` when the folder of the sources is the cache's, or lies in it."""
    if is_url(sources):
        return
    if isinstance(sources, (str, os.PathLike)) and Path(sources).resolve().is_relative_to(
        cache_dir.resolve()
    ):
        raise UsageError(f"{cache_dir}: the sources lie in it; name another directory with --cache")


def read_corpus(file: Path) -> list[GivenText]:
    """The documents of a corpus. Raises `UsageError` naming file and line, `IoError`."""
    try:
        lines = read_lines(file, longest=LARGEST_FILE)
        return [_document(line, f"{file}:{number}") for number, line in lines]
    except ValueError as error:
        raise UsageError(f"{file}: {error}") from None
    except OSError as error:
        raise IoError(f"{file}: {error.strerror}") from None


def _document(line: bytes, at: str) -> GivenText:
    """The document of a line. Raises `ValueError` for what is no JSON, `UsageError` for other fields."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("not a JSON object on each line") from None
    id_, text = (fields.get("_id"), fields.get("text")) if isinstance(fields, dict) else (None, None)
    if not isinstance(id_, str) or not isinstance(text, str):
        raise UsageError(f'{at}: needs an "_id" and a "text"')
    title = str(fields.get("title") or "")
    return GivenText(id_, title, text, kind_of(id_, "markdown"))
