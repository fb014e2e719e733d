"""The documents of a test collection in BEIR layout: `corpus.jsonl`.

A line is `{"_id": …, "title": …, "text": …}`; the id says in which format the text is written.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..errors import IoError, UsageError
from .compile import GivenText
from .splitting import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def read_corpus(file: Path) -> list[GivenText]:
    """The documents of a corpus. Raises `UsageError` naming file and line, `IoError`."""
    return [_document(fields, f"{file}:{number}") for number, fields in _objects(file)]


def _objects(file: Path) -> Iterator[tuple[int, Any]]:
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, json.loads(line)
    except (ValueError, RecursionError):
        raise UsageError(f"{file}: not a JSON object on each line") from None
    except OSError as error:
        raise IoError(f"{file}: {error.strerror}") from None


def _document(fields: Any, at: str) -> GivenText:
    id_, text = (fields.get("_id"), fields.get("text")) if isinstance(fields, dict) else (None, None)
    if not isinstance(id_, str) or not isinstance(text, str):
        raise UsageError(f'{at}: needs an "_id" and a "text"')
    title = str(fields.get("title") or "")
    return GivenText(id_, title, text, kind_of(id_, "markdown"))
