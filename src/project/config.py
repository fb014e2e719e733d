"""The schema of `ctx.toml`: its tables, their keys and the values of these."""

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
from ..builder.sources.source_filter import MAX_FILE_BYTES
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
    return value  # type: ignore[return-value]  # a string or a list of strings, as was just checked


def _question(value: str) -> str:
    try:
        return checked_query(value)
    except Exception as error:
        raise ValueError(str(error)) from None


Line = Annotated[str, AfterValidator(_text)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$")]


class StrictTable(BaseModel):
    """A table without unknown keys, whose values are not converted to the types of the fields."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


MOST_SYNONYMS = 1000
MOST_OTHERS = 32
"""The most synonyms of one word."""


class CacheSection(StrictTable):
    """`[caches.NAME]`: a cache, its sources and the configuration of its build."""

    sources: Annotated[str | list[str], PlainValidator(_folders)]
    """One or more folders of documents in the project; with several, ids begin with the paths of these."""
    cache: Line | None = None
    """The directory of the cache in the project; by default `.ctx/caches/NAME`."""
    description: Line | None = None
    """The subject of the cache, for agents and listings."""
    include: list[Line] = Field(default_factory=list)
    exclude: list[Line] = Field(default_factory=list)
    profile: Literal["v2", "v0"] = "v2"
    split: Literal["auto", "none"] = "auto"
    max_tokens: int = Field(MAX_TOKENS, ge=1)
    tokenizer: Literal["o200k_base", "cl100k_base", "bytes4"] = "o200k_base"
    max_file_bytes: int = Field(MAX_FILE_BYTES, ge=1)
    unique: bool = True
    """Whether identical documents become one, with the ids of the others as aliases."""
    convert: bool = True
    """Whether documents other than text (PDF, DOCX, …) are converted if the extra is installed."""
    synonyms: dict[Line, list[Line]] = Field(default_factory=dict, max_length=MOST_SYNONYMS)
    """Word of a query → words of the documents that it also finds, not the other way round."""
    strict: bool = False
    """Whether the build fails if a file that should become a document cannot."""

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


class QueryTestSection(StrictTable):
    """`[[tests]]`: a query to a cache, and the documents that its answer must or must not have."""

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
        """The test; `line` is its 1-based line in the file."""
        return QueryTest(line=line, **self.model_dump())


class QueryTestFile(StrictTable):
    """A file that has only query tests."""

    tests: list[QueryTestSection] = Field(default_factory=list)


class Configuration(StrictTable):
    """`ctx.toml`, or `[tool.ctx]` of `pyproject.toml`."""

    caches: dict[Name, CacheSection] = Field(default_factory=dict)
    tests: list[QueryTestSection] = Field(default_factory=list)
    scopes: ScopeSettings = Field(default_factory=ScopeSettings)
