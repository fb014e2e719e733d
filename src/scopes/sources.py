"""The text of a source file, decoded by the rules of the builder."""

from __future__ import annotations

from pathlib import Path

from ..builder.sources.decode import decode

MAX_BYTES = 2 << 20
"""Larger files are not read: what people write is smaller."""


def read_source(path: str) -> str | None:
    """The text of a file; None if it is too large, cannot be read or is no text."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError:
        return None
    if len(data) > MAX_BYTES:
        return None
    source = decode(data)
    return None if isinstance(source, str) else source.text
