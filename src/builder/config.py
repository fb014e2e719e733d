"""The options of a build: sources' rules, splitting, tokenizer, profile; and when it fails."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import IoError, UsageError
from ..scoring import DEFAULT_SCORER
from ..text import TOKENIZERS
from ..text.analyzer import NAMES as ANALYZERS
from ..text.display import escape_control
from .report import SourceError, first_of
from .sources.source_filter import Rules
from .splitting.sections import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .report import Skipped

SPLITS = ("auto", "none")
PROFILES = ("v0", "v2")
FORMAT_2_ONLY = ("split", "max_tokens", "tokenizer", "unique", "description", "synonyms")
"""What format 1 leaves no choice of."""
MAX_TOKENS = 300
"""Of the sizes tried, none finds more in a budget; larger ones cost a little less JSON around documents."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BuildConfig:
    """How a cache is built. Everything here that can change a document enters the cache's version."""

    rules: Rules = field(default_factory=Rules)
    profile: str = "v2"
    """`v2` is format 2, `v0` is format 1."""
    split: str = "auto"
    max_tokens: int = MAX_TOKENS
    """Above so many tokens, `auto` cuts a file at its headings."""
    tokenizer: str = "o200k_base"
    unique: bool = True
    """Whether identical documents are one, with the ids of the others as its aliases."""
    convert: bool = True
    """Whether documents that are no text are converted, where the extra `convert` is installed."""
    description: str = ""
    """What the cache is about, in one line; it changes the manifest alone, not the cache's version."""
    synonyms: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """For a word of a query, others that the documents use: alternatives in every query that holds it."""

    def __post_init__(self) -> None:
        """Refuse what no build knows. Raises `UsageError`."""
        for name, value, allowed in (
            ("profile", self.profile, PROFILES),
            ("split", self.split, SPLITS),
            ("tokenizer", self.tokenizer, TOKENIZERS),
        ):
            if value not in allowed:
                raise UsageError(f"{name}: {value!a} is not one of {', '.join(allowed)}")
        if type(self.max_tokens) is not int or self.max_tokens < 1:
            raise UsageError(f"max_tokens: {self.max_tokens!a} is not a positive number")
        if escape_control(self.description) != self.description:
            raise UsageError("description: must be a text in one line")
        chosen = [one.name for one in fields(self) if getattr(self, one.name) != one.default]
        if self.profile == "v0" and (fixed := [name for name in FORMAT_2_ONLY if name in chosen]):
            raise UsageError(f"profile v0 fixes how files are read; leave out {', '.join(fixed)}")

    @property
    def identity(self) -> dict[str, Any]:
        """The `build_config` of the manifest."""
        if self.profile == "v0":
            return {"version": "1", "hash_algorithm": "sha256"}
        split: dict[str, Any] = {"mode": self.split}
        if self.split == "auto":
            split |= {"max_tokens": self.max_tokens, "name": SECTIONS}
        identity: dict[str, Any] = {
            "version": "2",
            "hash_algorithm": "sha256",
            "tokenizer": self.tokenizer,
            "analyzer": ANALYZERS[-1],
            "scorer": DEFAULT_SCORER,
            "split": split,
            "unique": self.unique,
        }
        if self.synonyms:
            identity["synonyms"] = {word: list(others) for word, others in sorted(self.synonyms)}
        return identity


class Conditions(NamedTuple):
    """What a build must fulfil to be published. Checked before anything is put in place."""

    sources: str
    """The folder, as its caller named it."""
    strict: bool
    """Whether every file that was meant to be a document must be one."""
    allow_empty: bool
    """Whether there may be no document at all."""
    skip_unreadable: bool
    """Whether what the system refuses to read is left out like what is no document."""

    def check(self, skipped: Sequence[Skipped]) -> None:
        """Raise `IoError` for what could not be read."""
        unreadable = [item for item in skipped if item.unreadable]
        if unreadable and not self.skip_unreadable:
            first = escape_control(first_of(unreadable))
            raise IoError(f"{first}; make it readable, exclude it, or leave it out with --skip-unreadable")

    def check_all(self, documents: int, skipped: Sequence[Skipped]) -> None:
        """Raise `SourceError` if there is no document, or for any fault if `strict`.

        Several faults are its notes, a line each.
        """
        faults = sorted(item for item in skipped if item.fault)
        if self.strict and faults:
            raise _strict_error(faults)
        if documents or self.allow_empty:
            return
        raise SourceError(
            f"{self.sources}: no document was found, so nothing was built; {_left_out(skipped)}"
        )


def _strict_error(faults: Sequence[Skipped]) -> SourceError:
    """What a strict build with these faults, at least one, ends with."""
    if len(faults) == 1:
        return SourceError(f"--strict: {faults[0]}")
    error = SourceError(f"--strict: {len(faults):,} files that should be documents cannot be")
    for item in faults:
        error.add_note(str(item))
    return error


def _left_out(skipped: Sequence[Skipped]) -> str:
    """What was left out, the first by name."""
    if not skipped:
        return "it is empty"
    first = min(skipped)
    more = f" and {len(skipped) - 1:,} more" if len(skipped) > 1 else ""
    return f"left out: {first.path} ({first.rule}){more}"
