"""What a `ctx.toml` may say: its tables, their keys, and what each value may be."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    field_validator,
    model_validator,
)

from ..arguments import DEFAULT_BUDGET, LARGEST_BUDGET, checked_query
from ..builder.config import FORMAT_2_ONLY, MAX_TOKENS
from ..builder.sources.rules import MAX_FILE_BYTES
from ..resolver.query_tests import QueryTest
from ..scopes.listing import ScopeSettings


def _text(value: str) -> str:
    if not value.strip() or "\0" in value or not value.isprintable():
        raise ValueError("must be a text in one line")
    return value


def _folders(value: object) -> str | list[str]:
    folders = value if isinstance(value, list) else [value]
    if not folders:
        raise ValueError("must be a folder, or a list of folders")
    for folder in folders:
        if not isinstance(folder, str):
            raise ValueError("must be a folder, or a list of folders")
        _text(folder)
    return value  # type: ignore[return-value]  # one of both, as was just seen


def _question(value: str) -> str:
    try:
        return checked_query(value)
    except Exception as error:
        raise ValueError(str(error)) from None


Line = Annotated[str, AfterValidator(_text)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$")]


class Section(BaseModel):
    """A table whose keys are all known and whose values have exactly their types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


MOST_SYNONYMS = 1000
MOST_OTHERS = 32
"""Of one word."""


class CacheSection(Section):
    """`[caches.NAME]`: a cache and what it is built from."""

    sources: Annotated[str | list[str], PlainValidator(_folders)]
    """The folder of documents, inside the project; or several, whose paths the ids begin with."""
    cache: Line | None = None
    """Where the cache goes, inside the project; `.ctx/caches/NAME` if it is not said."""
    description: Line | None = None
    """What the cache is about, for agents and listings."""
    include: list[Line] = Field(default_factory=list)
    exclude: list[Line] = Field(default_factory=list)
    profile: Literal["v2", "v0"] = "v2"
    split: Literal["auto", "none"] = "auto"
    max_tokens: int = Field(MAX_TOKENS, ge=1)
    tokenizer: Literal["o200k_base", "cl100k_base", "bytes4"] = "o200k_base"
    max_file_bytes: int = Field(MAX_FILE_BYTES, ge=1)
    unique: bool = True
    """Whether identical documents are one, with the ids of the others as its aliases."""
    convert: bool = True
    """Whether documents that are no text (PDF, DOCX, …) are converted where the extra is installed."""
    synonyms: dict[Line, list[Line]] = Field(default_factory=dict, max_length=MOST_SYNONYMS)
    """For a word of a query, others that the documents use; one way."""
    strict: bool = False
    """Whether a file that should be a document and cannot be one fails the build."""

    @field_validator("synonyms")
    @classmethod
    def _with_words(cls, synonyms: dict[str, list[str]]) -> dict[str, list[str]]:
        for word, others in synonyms.items():
            if not others or len(others) > MOST_OTHERS:
                raise ValueError(f"{word}: needs 1 to {MOST_OTHERS} other words, in a list")
            for text in (word, *others):
                if not any(map(str.isalnum, text)):
                    raise ValueError(f"{word}: {text!a} holds no word")
        return synonyms

    @model_validator(mode="after")
    def _fixed_by_format1(self) -> Self:
        fixed = sorted(self.model_fields_set & {*FORMAT_2_ONLY, "convert"})
        if self.profile == "v0" and fixed:
            raise ValueError(f'profile = "v0" fixes how files are read; leave out {", ".join(fixed)}')
        return self


class QueryTestSection(Section):
    """`[[tests]]`: a question to a cache, and what its answer must hold."""

    cache: Name
    query: Annotated[str, AfterValidator(_question)]
    budget: int = Field(DEFAULT_BUDGET, ge=0, le=LARGEST_BUDGET)
    expect: list[Line] = Field(default_factory=list)
    any: bool = False
    forbid: list[Line] = Field(default_factory=list)
    at_most_rank: int | None = Field(None, ge=1)
    min_score: Annotated[float, Field(ge=0, le=1, strict=False)] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.expect and not self.forbid:
            raise ValueError("says neither what to `expect` nor what to `forbid`")
        if not self.expect and (self.any or self.at_most_rank is not None or self.min_score is not None):
            raise ValueError("any, at_most_rank and min_score speak of what is expected: add `expect`")
        return self

    def test(self, line: int) -> QueryTest:
        """The test itself; `line` is where it stands in its file."""
        return QueryTest(line=line, **self.model_dump())


class QueryTestFile(Section):
    """A file of query tests alone."""

    tests: list[QueryTestSection] = Field(default_factory=list)


class Configuration(Section):
    """`ctx.toml`, or `[tool.ctx]` of `pyproject.toml`."""

    caches: dict[Name, CacheSection] = Field(default_factory=dict)
    tests: list[QueryTestSection] = Field(default_factory=list)
    scopes: ScopeSettings = Field(default_factory=ScopeSettings)
