"""What a build may be told: sources' rules, splitting, tokenizer, profile."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from ..cache.manifest import ANALYZERS, TOKENIZERS
from ..errors import UsageError
from ..scoring import SCORER
from .sources import Rules

SPLITS = ("auto", "none")
PROFILES = ("v0", "v2")
FORMAT_2_ONLY = ("split", "max_tokens", "tokenizer")
"""What format 1 leaves no choice of."""
MAX_TOKENS = 450
"""Of 200, 300, 450, 600 and 1,000 tried, the size at which most answers stand complete in 4,000 tokens."""


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
    convert: bool = True
    """Whether documents that are no text are converted, where the extra `convert` is installed."""

    def __post_init__(self) -> None:
        """Refuse what no build knows. Raises `UsageError`."""
        for name, value, known in (
            ("profile", self.profile, PROFILES),
            ("split", self.split, SPLITS),
            ("tokenizer", self.tokenizer, TOKENIZERS),
        ):
            if value not in known:
                raise UsageError(f"{name}: {value!a} is not one of {', '.join(known)}")
        if type(self.max_tokens) is not int or self.max_tokens < 1:
            raise UsageError(f"max_tokens: {self.max_tokens!a} is not a positive number")
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
            split["max_tokens"] = self.max_tokens
        return {
            "version": "2",
            "hash_algorithm": "sha256",
            "tokenizer": self.tokenizer,
            "analyzer": ANALYZERS[-1],
            "scorer": SCORER,
            "split": split,
        }
