"""What a project sets for its scopes: `[scopes]` in `ctx.toml` or `[tool.ctx.scopes]` in `pyproject.toml`."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

MIN_TOKENS = 4096
"""Tokens of its own below which a directory is no scope, by default (rule C15)."""


class ScopeSettings(BaseModel):
    """The table `[scopes]`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    min_tokens: Annotated[int, Field(ge=0)] = MIN_TOKENS


def read_settings(root: Path) -> ScopeSettings:
    """The settings of a project: those of `ctx.toml` if it has the table, else those of `pyproject.toml`."""
    for name, keys in (("ctx.toml", ("scopes",)), ("pyproject.toml", ("tool", "ctx", "scopes"))):
        table = _table(root / name, keys)
        if table is None:
            continue
        try:
            return ScopeSettings.model_validate(table)
        except ValidationError as error:
            fault = error.errors()[0]
            key = ".".join(str(part) for part in (*keys, *fault["loc"]))
            raise UsageError(f"{name}: {key}: {fault['msg']}") from None
    return ScopeSettings()


def _table(path: Path, keys: tuple[str, ...]) -> object:
    """The value at `keys`, None if there is no such file or table."""
    try:
        table: object = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path.name}: cannot be read as TOML ({error})") from None
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table
