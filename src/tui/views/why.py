"""Why a document stands where it does: the library's explanation, sorted for reading, and its lines.

Every number is one of the explanation's tree or of the ranked document; this module only finds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from ...resolver.explanation import ORDERS_ONLY
from ...resolver.shares import term_nodes
from ...scoring import ONE, TermNode
from .documents import section_title
from .spans import Line, count, escaped, padded, slot, wrap, wrap_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...resolver.explain import ExplainedWord, Explanation, RankedDocument
    from ...resolver.shares import Share
    from ...scoring import ExplanationNode

WIDE = 62
"""Cells from which what belongs together stands on one line."""
MIN_BAR = 6
EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True, kw_only=True, slots=True)
class Why:
    """Where one document stands for a question, and what says why: what is read only when it is asked for."""

    explained: Explanation
    entry: RankedDocument
    fits_from: int | None
    """The smallest budget at which it is chosen; at a larger one others may come before it."""
    next_budget: int | None
    """The smallest budget, not below the present one, at which it is chosen."""
    shares: tuple[Share, ...]
    """What each word gives it, the largest first."""
    first: tuple[tuple[str, int, int], ...]
    """(word, what it gives here, what it gives the first document), the largest difference first."""
    words: tuple[ExplainedWord, ...]
    """Those of the query, with what became of each."""
    missing: tuple[ExplainedWord, ...]
    """Those that it lacks and others have."""
    aliases: tuple[str, ...]
    """Other ids of the same text."""
    tree: ExplanationNode


def explain_document(explained: Explanation, entry: RankedDocument, next_budget: int | None = None) -> Why:
    """Sort what the library says of one document. Raises `CacheInvalid`."""
    number = explained.store.number_of(entry.id)
    return Why(
        explained=explained,
        entry=entry,
        fits_from=entry.fits_from,
        next_budget=next_budget,
        shares=tuple(sorted(entry.shares, key=lambda share: -share.value)),
        first=_differences_to_first(explained, entry),
        words=tuple(explained.words),
        missing=tuple(word for word in entry.missing if word.status == "scored"),
        aliases=() if number is None else explained.store.summary(number).aliases,
        tree=entry.reason,
    )


def _differences_to_first(explained: Explanation, entry: RankedDocument) -> tuple[tuple[str, int, int], ...]:
    """Which words make the difference to the document at rank 1."""
    if not explained.matches or entry.rank == 1:
        return ()
    own = {share.label: share.value for share in entry.shares}
    first = {share.label: share.value for share in explained.entry(1).shares}
    changes = ((label, own.get(label, 0), first.get(label, 0)) for label in {**first, **own})
    different = [change for change in changes if change[1] != change[2]]
    return tuple(sorted(different, key=lambda change: (-abs(change[1] - change[2]), change[0])))


# The lines of the panel.


def why_lines(
    why: Why, width: int, words: Mapping[str, int] | None = None, *, tree: bool = False
) -> list[Line]:
    """Everything there is to say of one document, for a panel of `width` cells."""
    lines = [*_head(why, width), *_shares(why, width, words or {})]
    lines += [*_query(why, width), *_compared(why, width), *_more(why, width)]
    if tree and why.shares:
        lines += [[], [("the arithmetic", "strong")], *_tree(why.tree, 0, width)]
    return lines


def nothing_lines(explained: Explanation) -> list[Line]:
    """Why nothing matches."""
    lines: list[Line] = [[("No document matches.", "strong")], []]
    for status, words in (("unknown", "in no document"), ("ignored", "ignored, as any text has them")):
        labels = [escaped(word.text) for word in explained.words if word.status == status]
        if labels:
            lines.append([(", ".join(labels), "bad" if status == "unknown" else ""), (f"  {words}", "dim")])
    return lines


def why_title(why: Why) -> str:
    """The document's rank and the decision in a few words: `why 12: 304 needed, 10 left`."""
    entry = why.entry
    if entry.rank is None:
        return "why: does not match"
    decided = "chosen" if entry.chosen else f"{entry.tokens:,} needed, {entry.left:,} left"
    return f"why {entry.rank:,}: {decided}"


def _decision(why: Why) -> Line:
    """Chosen or not, in numbers, and which budget would change it."""
    entry, left = why.entry, why.entry.left or 0
    if entry.rank is None:
        return [("○ does not match", "bad")]
    if entry.chosen:
        return [("● chosen", "good"), (f" · {left - entry.tokens:,} left after it", "")]
    line: Line = [("○ left out", "warn"), (f" · needs {entry.tokens:,}, {left:,} left", "")]
    if why.next_budget is not None:
        more = why.next_budget - (why.explained.budget or 0)
        line += [(f" · chosen at {why.next_budget:,}", "accent"), (f" (+{more:,})", "")]
    if why.fits_from != why.next_budget:
        line.append((f" · also at {why.fits_from:,}, where others are not", "dim"))
    return line


def _head(why: Why, width: int) -> Iterator[Line]:
    entry = why.entry
    title, id_ = section_title(entry.title, entry.id), escaped(entry.id)
    yield from wrap_spans([(title, "strong"), (f"   {id_}" if id_ != title else "", "dim")], width)
    line = _decision(why)
    if entry.rank is not None:
        rank = f" · rank {entry.rank:,} of {why.explained.matches:,}, score {entry.score:.3f}"
        line.append((rank, "soft"))
    yield from wrap_spans(line, width)
    if why.aliases:
        others = ", ".join(map(escaped, why.aliases[:5]))
        yield from _field("same text", f"{others}{' …' if len(why.aliases) > 5 else ''}", "", width)


def _shares(why: Why, width: int, words: Mapping[str, int]) -> Iterator[Line]:
    """A bar for each term that finds documents, its share of the total, and what it was made of."""
    shares = [share for share in why.shares if share.note != ORDERS_ONLY]
    label = min(max((cell_len(escaped(share.label)) for share in shares), default=0), max(8, width // 3))
    whole = sum(share.value for share in why.shares)
    made_of = [_made_of(share) for share in shares]
    longest = max(map(len, made_of), default=0)
    is_wide = width >= WIDE and width - label - 9 - longest >= MIN_BAR
    room = width - label - 7 - (longest + 2 if is_wide else 0)
    for share, made in zip(shares, made_of, strict=True):
        part = share.value / whole
        role = slot(words[share.label]) if share.label in words else "bar"
        line: Line = [(padded(escaped(share.label), label), "term"), (" ", "")]
        line += [*_bar(part, min(max(MIN_BAR, room), 24), role), (f"{round(100 * part):>4} %", "")]
        if is_wide:
            yield [*line, ("  ", ""), (made, "dim")]
            continue
        yield line
        yield from ([("  ", ""), (part_, "dim")] for part_ in wrap(made, max(10, width - 2)))


def _bar(part: float, room: int, role: str) -> Line:
    """A bar of `room` cells, filled to an eighth of a cell."""
    full, rest = divmod(round(part * room * 8), 8)
    drawn = "█" * full + (EIGHTHS[rest] if rest else "")
    return [(drawn, role), (" " * (room - len(drawn)), "")]


def _made_of(share: Share) -> str:
    """`3 times here, in the title; in 23 of 209`, documents that is."""
    here = []
    if share.body:
        where = "in its file" if share.unit == "files" else "here"
        here.append(f"{count(share.body, 'time')} {where}")
    if share.title:
        here.append("in the title" if share.title == 1 else f"{share.title} times in the title")
    parts = [", ".join(here)] if here else []
    if share.doc_freq is not None:
        unit = " files" if share.unit == "files" else ""
        parts.append(f"in {share.doc_freq:,} of {share.documents:,}{unit}")
    if share.note:
        parts.append(escaped(share.note))
    return "; ".join(parts)


def _query(why: Why, width: int) -> Iterator[Line]:
    """What became of the other words of the query."""
    holders = [(escaped(word.text), word.documents) for word in why.missing]
    missing = [f"{word} ({count(n, 'document')} {'has' if n == 1 else 'have'} it)" for word, n in holders]
    yield from _field("lacks", ", ".join(missing), "bad", width)
    yield from _field("unknown", ", ".join(_words_of(why, "unknown")), "bad", width)
    light = sum(share.value for share in why.shares if share.note == ORDERS_ONLY)
    part = round(100 * light / max(1, sum(share.value for share in why.shares)))
    order = f"; together {part} %, which only orders" if part else ""
    yield from _field("ignored", " ".join(_words_of(why, "ignored")) + order, "", width)


def _words_of(why: Why, status: str) -> list[str]:
    return [escaped(word.text) for word in why.words if word.status == status]


def _compared(why: Why, width: int) -> Iterator[Line]:
    """Which words make the difference to the first document, in hundredths of its total."""
    if not why.first:
        return
    total, ignored = why.explained.first(1)[0][1], _words_of(why, "ignored")
    changes = [(escaped(label), round(100 * (own - first) / total)) for label, own, first in why.first[:6]]
    parts = [f"{label} {change:+} %" for label, change in changes if change and label not in ignored]
    yield from _field("to the first", ", ".join(parts), "", width)


def _more(why: Why, width: int) -> Iterator[Line]:
    """Its other branches, its size, its length."""
    for part in why.tree.parts:
        if not isinstance(part, TermNode):
            yield from _field(f"{part.value:,}", escaped(part.reason), "dim", width)
    size = f"{count(why.entry.tokens, 'token')}, {count(why.entry.words, 'word')}"
    yield from _field("size", size, "", width)
    for node in term_nodes(why.tree):
        impact = node.impact
        if impact and impact.body and impact.length is not None and impact.unit == "documents":
            mean = impact.body.all_words // max(1, impact.doc_count)
            yield from _field("length", f"factor {impact.length / ONE:.2f}, mean {mean:,}", "", width)
            break


def _field(name: str, words: str, role: str, width: int) -> Iterator[Line]:
    """A name and what there is to say, in as many lines as that takes; nothing for nothing."""
    if not words:
        return
    at = max(12, len(name) + 1)
    for number, part in enumerate(wrap(words, max(10, width - at))):
        yield [("" if number else f"{name:{at}}", "dim"), (" " * at if number else "", ""), (part, role)]


def _tree(reason: ExplanationNode, depth: int, width: int) -> Iterator[Line]:
    """The tree, a number a line; long reasons go on below themselves."""
    indent, value = "  " * depth, f"{reason.value:,}"
    room = max(16, width - len(indent) - len(value) - 2)
    for number, part in enumerate(wrap(escaped(reason.reason), room)):
        head = " " * len(value) if number else value
        yield [(indent, ""), (head, "accent" if depth < 2 else ""), (f"  {part}", "dim")]
    for child in reason.parts:
        yield from _tree(child, depth + 1, width)
