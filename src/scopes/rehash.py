"""Saying that a context is true again: a new fingerprint and date, everything else as written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..errors import UsageError
from ..safeio import replace_bytes
from ..yamlio import YamlError
from .clock import timestamp
from .fingerprint import content_fingerprint
from .listing import CONTEXT_NAME
from .scan import scan
from .store import parse_context, read_bytes
from .yaml import replace_values

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from .project import Project

_BOM = b"\xef\xbb\xbf"


class Rehashed(NamedTuple):
    """What became of one context."""

    scope: str
    old: str
    new: str
    """Its fingerprint by content."""
    written: bool
    """Whether the file was rewritten."""


def rehash(project: Project, scopes: Sequence[str] = (), *, now: datetime) -> list[Rehashed]:
    """Give contexts the fingerprint that their directory has by content, and the date `now`.

    Without scopes it is every context whose fingerprint is another one. Nothing is
    written unless all of them can be: `ScopeError` or `UsageError` names the first that cannot.
    """
    if scopes:
        places = [(scope, project.locate(scope)) for scope in scopes]
    else:
        places = [(item.scope, item.path) for item in scan(project).kept if item.listing.has_context]
    planned = [_plan(project, scope, path, always=bool(scopes), now=now) for scope, path in places]
    for (_, path), (result, data) in zip(places, planned, strict=True):
        if result.written:
            replace_bytes(Path(path, CONTEXT_NAME), data)
    return [result for result, _ in planned]


def _plan(project: Project, scope: str, path: str, *, always: bool, now: datetime) -> tuple[Rehashed, bytes]:
    """What a file becomes, and its new bytes."""
    data = read_bytes(path, scope, project.real_root)
    context = parse_context(data, scope)
    new = content_fingerprint(path, project.listing(path).files, project.hashes)
    written = always or new != context.fingerprint
    values = {"fingerprint": new, "last_updated": timestamp(now)}
    return Rehashed(scope, context.fingerprint, new, written), _rewritten(
        data, scope, values
    ) if written else data


def _rewritten(data: bytes, scope: str, values: dict[str, str]) -> bytes:
    """The bytes with these values, checked to say the same but for them."""
    bom = _BOM if data.startswith(_BOM) else b""
    before = parse_context(data, scope)
    try:
        text = replace_values(data.removeprefix(bom).decode(), values)
        result = bom + text.encode()
        after = parse_context(result, scope)
    except YamlError as error:
        raise UsageError(f"{scope}/{CONTEXT_NAME}: {error}; write {_by_hand(values)} by hand") from None
    if after != before.model_copy(update=values):
        raise UsageError(
            f"{scope}/{CONTEXT_NAME}: too intricate to rewrite; write {_by_hand(values)} by hand"
        )
    return result


def _by_hand(values: dict[str, str]) -> str:
    return " and ".join(f'{key}: "{value}"' for key, value in values.items())
