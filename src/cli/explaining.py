"""An explanation in words, for people at a terminal."""

from __future__ import annotations

from ..resolver.budget import budget_curve
from ..resolver.result import wire_tokens
from ..text.visible import visible
from .tables import count, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..resolver.cache import Cache
    from ..resolver.explain import Entry, Explained, ExplainedWord
    from ..scoring import ExplanationNode

CHOSEN, LEFT_OUT = "●", "○"


def the_ranking(cache: Cache, explained: Explained, *, limit: int | None) -> str:
    """A row for each matching document in order, chosen or not, with the reason in numbers."""
    shown = len(explained) if limit is None else min(max(limit, 0), len(explained))
    rows = [("#", "", "document", "score", "tokens", "")]
    rows += [_row(entry) for entry in explained.entries(stop=shown + 1)]
    ranking = table(rows, "><<>><") + "\n" if shown else ""
    return ranking + "".join(f"{line}\n" for line in _account(cache, explained, shown))


def one_document(explained: Explained, id_: str) -> str:
    """One document: its place, what it lacks, and its total as a tree. Raises `UsageError`."""
    entry = explained.document(id_)
    lines = [visible(entry.id), f"{_place(entry, explained)} · {count(entry.tokens, 'token')}"]
    lines += _words(explained.words)
    if entry.missing:
        lines.append(f"lacks: {_listed(entry.missing)}")
    if entry.rank is not None:
        lines += ["", *_tree(entry.reason, "")]
    return "".join(f"{line}\n" for line in lines)


def _row(entry: Entry) -> tuple[str, str, str, str, str, str]:
    mark = CHOSEN if entry.chosen else LEFT_OUT
    return (str(entry.rank), mark, entry.id, f"{entry.score:.3f}", f"{entry.tokens:,}", _fate(entry))


def _fate(entry: Entry) -> str:
    """Why a matching document is in the answer or not, in numbers.

    `chosen at` the smallest budget that chooses it; a larger one may choose others before it instead.
    """
    missing = [word.text for word in entry.missing if word.documents]  # the others are in no document
    lacks = f"lacks {', '.join(missing)}" if missing else ""
    if entry.left is None:
        place = f"chosen at {entry.fits_from:,}"
    elif entry.chosen:
        place = f"{entry.left - entry.tokens:,} left after it"
    else:
        place = f"needs {entry.tokens:,}, {entry.left:,} left · chosen at {entry.fits_from:,}"
    return " · ".join(filter(None, (place, lacks)))


def _place(entry: Entry, explained: Explained) -> str:
    if entry.rank is None:
        return "does not match"
    fate = "chosen" if entry.chosen else _fate(entry)
    return f"rank {entry.rank:,} of {len(explained):,} · score {entry.score:.3f} · {fate}"


def _account(cache: Cache, explained: Explained, shown: int) -> Iterator[str]:
    """The figures of the selection, and what became of the words of the query."""
    searched = f"{count(cache.document_count, 'document')} searched"
    if shown < len(explained):
        yield f"… and {len(explained) - shown:,} more"
    if not len(explained):
        yield f"nothing matches · {searched}"
    elif explained.budget is None:
        yield f"{len(explained):,} match · {searched}"
    else:
        chosen = len(explained.chosen)
        yield (
            f"{explained.tokens_used:,} of {explained.budget:,} tokens · {chosen:,} chosen · "
            f"{len(explained) - chosen:,} did not fit · {searched}"
        )
        answer = cache.resolve(explained.query, explained.budget)
        wire = wire_tokens(answer, cache.manifest.tokenizer)
        length = len(answer.to_json())
        yield f"with its JSON the answer takes {count(wire, 'token')}, in {count(length, 'character')}"
        yield f"other budgets: {_curve(explained)}"
    yield from _words(explained.words)


def _curve(explained: Explained) -> str:
    """How many documents the usual budgets buy, up to the first that buys all."""
    parts = []
    for point in budget_curve(explained):
        parts.append(f"{point.budget:,} → {point.documents:,}")
        if point.documents == len(explained):
            break
    return ", ".join(parts)


def _words(words: Iterable[ExplainedWord]) -> Iterator[str]:
    """The words of a query by what became of them."""
    words = list(words)
    for status, title in (("scored", "searched for"), ("ignored", "ignored"), ("unknown", "in no document")):
        found = [word for word in words if word.status == status]
        if found:
            yield f"{title}: {_listed(found)}"


def _listed(words: Iterable[ExplainedWord]) -> str:
    return ", ".join(
        f"{visible(word.text)} (in {word.documents:,})" if word.status == "scored" else visible(word.text)
        for word in words
    )


def _tree(reason: ExplanationNode, indent: str) -> Iterator[str]:
    yield f"{indent}{reason.value:,}  {visible(reason.reason)}"
    for part in reason.parts:
        yield from _tree(part, indent + "    ")
