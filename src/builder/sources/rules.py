"""What a walk takes: patterns, formats, a size limit, and what is left out unless asked for."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import UsageError
from ..splitting.formats import FORMATS, suffix_of

DEFAULT_EXCLUSIONS = (
    ".git/", ".hg/", ".svn/", ".jj/",  # history
    ".ctx/",  # our own caches
    "node_modules/", "bower_components/", "site-packages/",  # other people's documents
    ".venv/", ".tox/", ".nox/", ".eggs/", "*.egg-info/",
    "__pycache__/", ".mypy_cache/", ".pytest_cache/", ".ruff_cache/", ".hypothesis/",  # by-products
    ".ipynb_checkpoints/", ".gradle/", ".terraform/", ".next/", ".nuxt/", ".idea/", ".vscode/",
)  # fmt: skip
"""Folders that no one means when they name the folder around them.

They come after every other rule, so `!node_modules/` in an ignore file or an exclude pattern takes
one back, and so does an include pattern with that name in it (`node_modules/lib/**/*.md`). Names such
as `build`, `dist` or `target` are absent: they are common among documents, and git ignores them where
they are by-products.
"""

CONFIGURATION = "ctx.toml"
"""The file that says what is built."""

OWN_FILES = (CONFIGURATION, ".context.yaml", ".ctxignore", ".contextignore")
"""Files that speak to this program: among the sources they are no input that was left out."""

TEXT_FORMATS = frozenset(suffix for suffix, one in FORMATS.items() if one.taken and not one.converted)
"""Extensions, in lower case, that are taken without an include pattern."""

CONVERTED_FORMATS = frozenset(suffix for suffix, one in FORMATS.items() if one.converted)
"""Extensions, in lower case, of documents that become text by conversion; see `builder.convert`."""

MAX_FILE_BYTES = 8 << 20


def is_convertible(name: str) -> bool:
    """Whether a file of this name holds a document that only conversion makes text."""
    return suffix_of(name).lower() in CONVERTED_FORMATS


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """What to take from a folder. Patterns are written as in a `.gitignore` at its root."""

    include: tuple[str, ...] = ()
    """If any: a file is taken only if the last one that matches it, or else a folder above it, is not a `!`.

    A pattern that matches the file itself (`*.py`) takes it in whatever format; one that matches
    only a folder above it (`guide/`) takes what is in a text format there.
    """
    folders: tuple[str, ...] = ()
    """If any: only what lies in these folders below the root is looked at; ids begin with their paths."""
    exclude: tuple[str, ...] = ()
    """These decide before any ignore file; `!` takes back what one of those excludes."""
    max_file_bytes: int = MAX_FILE_BYTES
    format1: bool = False
    """Format 1: only `.md` files, ids in lower case."""
    convert: bool = False
    """Whether files of the converted formats are taken like those of the text formats."""

    def __post_init__(self) -> None:
        """Refuse what is no list of patterns: a text is a sequence too, of letters. Raises `UsageError`."""
        for name, patterns in (("include", self.include), ("exclude", self.exclude)):
            if isinstance(patterns, str):
                raise UsageError(
                    f"{name}: {patterns!a} is one text; write a list of patterns, [{patterns!a}]"
                )
            if not isinstance(patterns, (tuple, list)):
                raise UsageError(f"{name}: {type(patterns).__name__} is no list of patterns")
            for number, pattern in enumerate(patterns):
                if not isinstance(pattern, str):
                    raise UsageError(
                        f"{name}[{number}]: {type(pattern).__name__} is no pattern; write a text"
                    )
        if type(self.max_file_bytes) is not int or self.max_file_bytes < 1:
            raise UsageError(f"max_file_bytes: {self.max_file_bytes!a} is not a positive number")
