"""What a file's name tells: its kind, and a title when the text has none."""

from __future__ import annotations

import re

_KINDS = {
    ".md": "markdown",
    ".mdx": "markdown",
    ".markdown": "markdown",
    ".rst": "rst",
    ".rest": "rst",
    ".adoc": "asciidoc",
    ".asciidoc": "asciidoc",
}
_SEPARATORS = re.compile(r"[-_\s]+")


def kind_of(path: str) -> str:
    """The kind of text that a file's name promises: "markdown", "rst", "asciidoc" or "text"."""
    stem, dot, extension = _name(path).rpartition(".")
    return _KINDS.get((dot + extension).lower(), "text") if stem else "text"


def words(path: str) -> str:
    """The words of a file's name without its extension: `deploy-notes_v2.md` is "deploy notes v2"."""
    name = _name(path)
    stem = name.rpartition(".")[0].strip(".") or name.strip(".")
    return _SEPARATORS.sub(" ", stem).strip() or name


def _name(path: str) -> str:
    """The last component of a path."""
    return path.rpartition("/")[2]
