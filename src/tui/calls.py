"""What an agent sends and what it receives, as exact texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import jsontext
from ..resolver.wire import wire_tokens

if TYPE_CHECKING:
    from ..resolver.cache import Cache
    from .question import Question


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """One call and its answer."""

    call: str
    """The arguments of `context.resolve`, as indented JSON."""
    text: str
    """The exact text of the answer, its newline included."""
    pretty: str
    """The same object, indented."""
    tokens: int
    """Tokens of `text`, in the cache's tokenizer."""


def exchange(name: str, cache: Cache, question: Question) -> Exchange:
    """Resolve as a server would; `name` is the cache's in its root. Raises what `resolve` raises."""
    result = cache.resolve(question.query, question.budget)
    arguments = {"cache": name, "query": question.query, "budget": question.budget}
    return Exchange(
        call=jsontext.pretty({"name": "context.resolve", "arguments": arguments}),
        text=result.to_json(),
        pretty=result.to_pretty(),
        tokens=wire_tokens(result, cache.manifest.tokenizer),
    )
