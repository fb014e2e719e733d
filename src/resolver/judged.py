"""Judged queries in BEIR layout: `queries.jsonl` and tab-separated judgements of relevance.

A line of the first is `{"_id": …, "text": …}`; of the second `query-id corpus-id score` under
such a header. Source: Thakur et al., *BEIR* (2021).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..errors import IoError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

Qrels = dict[str, dict[str, int]]
"""Query id → document id → gain; 0 is judged not relevant."""


def read_queries(file: Path) -> dict[str, str]:
    """Query id → text. A file that is not `.jsonl` has a query a line, numbered from 1, `#` begins a comment.

    Raises `UsageError` naming file and line, `IoError`.
    """
    queries: dict[str, str] = {}
    for number, line in _lines(file):
        if file.suffix != ".jsonl":
            if not line.startswith("#"):
                queries[str(number)] = line
            continue
        fields = _object(line, f"{file}:{number}")
        id_, text = fields.get("_id"), fields.get("text")
        if not isinstance(id_, str) or not isinstance(text, str) or id_ in queries:
            raise UsageError(f'{file}:{number}: needs a new "_id" and a "text"')
        queries[id_] = text
    return queries


def read_qrels(file: Path) -> Qrels:
    """The judgements in a file. Raises `UsageError` naming file and line, `IoError`."""
    judged: Qrels = {}
    for number, line in _lines(file):
        fields = line.split("\t")
        if number == 1 and fields[-1:] == ["score"]:
            continue
        query, document, gain = fields if len(fields) == 3 else ("", "", "")
        if not query or not document or not gain.removeprefix("-").isdecimal():
            raise UsageError(f"{file}:{number}: not `query-id, corpus-id, score` between tabs")
        judged.setdefault(query, {})[document] = int(gain)
    return judged


def _object(line: str, at: str) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise UsageError(f"{at}: not a JSON object")
    return fields


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines that hold something, with their numbers from 1."""
    try:
        with file.open(encoding="utf-8-sig", newline="\n") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except UnicodeDecodeError:
        raise UsageError(f"{file}: not UTF-8") from None
    except OSError as error:
        raise IoError(f"{file}: {error.strerror}") from None
