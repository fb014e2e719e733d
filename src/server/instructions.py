"""The server's instructions, which clients show a model before the tools: the caches, and how to query them.

They have at most `LONGEST` characters and are the same for the same caches. The descriptions of caches are
untrusted text: quoted, escaped and short.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from ..cache.manifest import Manifest, read_manifest
from ..cache.store import description_of
from ..errors import CtxError
from ..jsonio import compact
from ..text.display import escape_control, pluralize
from .cache_tools import ASKING, budget_advice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .service import RootedCaches

LONGEST = 2_000  # characters, which clients pass on whole
_MOST_CACHES = 500  # whose manifests are read, the first by name
_LONGEST_NAME = 100  # characters of a name

_CACHES = "Context caches of documentation: "
_NO_CACHE = "There is no context cache of documentation yet."
_CALLS = (
    "Resolve a question against one of them: whole documents come back, most relevant first, within the "
    "token budget."
)
_BUDGET = "{advice} A larger budget brings more documents when some were excluded by it."
_READING = "Reading a document by its id shows what stands before and after it."
_SCOPES = (
    "Directories of the project may describe themselves: list_contexts shows which, check_freshness says "
    "whether one is up to date, query_context reads it."
)


def instructions(
    caches: RootedCaches | None, *, has_project: bool, suggested_budget: int | None = None
) -> str:
    """The instructions of a server of some caches, None for none, and of the scopes of a project."""
    parts = []
    if caches is not None:
        budget = _BUDGET.format(advice=budget_advice(suggested_budget))
        parts += [_CALLS, ASKING, budget, _READING]
    if has_project:
        parts.append(_SCOPES)
    if caches is not None:
        room = LONGEST - sum(len(part) + 1 for part in parts)
        parts.insert(0, _listed(caches, room))  # a client may show no more than the first 250 characters
    return " ".join(filter(None, parts))


def _listed(caches: RootedCaches, room: int) -> str:
    """The caches, the largest first, as many as fit into `room` characters."""
    manifests = list(_manifests(caches))
    manifests.sort(key=lambda item: (-item[1].total_tokens, -item[1].document_count, item[0]))
    if not manifests:
        return _NO_CACHE
    text = _CACHES
    for number, (name, manifest) in enumerate(manifests):
        rest = len(manifests) - number
        more = f"and {rest} more." if number else f"{rest}, see the list of caches."
        line = f"{_line(caches, name, manifest)}; " if rest > 1 else f"{_line(caches, name, manifest)}."
        if len(text) + len(line) + (len(more) if rest > 1 else 0) > room:
            return text + more
        text += line
    return text


def _line(caches: RootedCaches, name: str, manifest: Manifest) -> str:
    """The name of a cache, its size and its description."""
    tokens = f", {manifest.total_tokens:,} tokens" if manifest.total_tokens else ""
    size = f"{pluralize(manifest.document_count, 'document')}{tokens}"
    line = f"{compact(escape_control(name)).strip()} ({size})"
    try:
        description = description_of(caches.get(name).store)
    except CtxError:
        return line
    return f"{line}: {compact(description).strip()}" if description else line


def _manifests(caches: RootedCaches) -> Iterable[tuple[str, Manifest]]:
    """(name, manifest) of the caches that can be read."""
    for name in islice(caches.names(), _MOST_CACHES):
        with suppress(CtxError):
            if len(name) <= _LONGEST_NAME:
                yield name, read_manifest(caches.root.locate(name))[1]
