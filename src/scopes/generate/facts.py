"""What one file says of itself."""

from __future__ import annotations

from typing import NamedTuple


class Export(NamedTuple):
    """Something that others can use."""

    name: str
    signature: str
    """Compact: `def load(path: Path) -> Text`."""


class Import(NamedTuple):
    """What a file needs, as its language writes it."""

    language: str
    target: str
    """Python: dots and dotted name; JavaScript and Go: the string; Rust: `a::b`; Java: dotted."""


class FileFacts(NamedTuple):
    """What is known of one file; empty where nothing is."""

    purpose: str = ""
    """One line."""
    about: str = ""
    """The paragraph in which the file says what it is about."""
    exports: tuple[Export, ...] = ()
    members: tuple[Export, ...] = ()
    """Public methods of what is exported."""
    public: tuple[str, ...] | None = None
    """The names that the file itself declares to be its public face (`__all__`), if it does."""
    imports: tuple[Import, ...] = ()
    environment: tuple[str, ...] = ()
    """Environment variables that it reads."""
