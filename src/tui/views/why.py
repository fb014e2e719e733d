"""The explanation of one document's rank, sorted for reading, and its lines on the screen.

Every number comes from the library's explanation; this module computes none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from ...resolver.explanation import ORDERS_ONLY
from ...resolver.shares import Share, term_nodes
from ...scoring import ONE, ExplanationNode, TermNode
from ...text.display import pluralize
from .documents import section_title
from .spans import Line, escaped, padded, slot, wrap, wrap_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...resolver.explain import ExplainedWord, Explanation, RankedDocument

WIDE = 62
"""The width of the panel, in cells, from which a word has its bar and its figures on one line."""
MIN_BAR = 6
EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True, kw_only=True, slots=True)
class Why:
    """The explanation of one document."""

    explained: Explanation
    entry: RankedDocument
    fits_from: int | None
    """The smallest budget that chooses the document; a larger one may choose others instead."""
    next_budget: int | None
    """The smallest budget, from the present one on, that chooses the document."""
    shares: tuple[Share, ...]
    """The part of the score that each word gives, the largest first."""
    first: tuple[tuple[str, int, int], ...]
    """(word, its share here, its share of the first document), the largest difference first."""
    words: tuple[ExplainedWord, ...]
    """The words of the query."""
    missing: tuple[ExplainedWord, ...]
    """The words that are in other documents and not in this one."""
    aliases: tuple[str, ...]
    """The other ids of the same text."""
    tree: ExplanationNode
    """The arithmetic of the score."""


def explain_document(explained: Explanation, entry: RankedDocument, next_budget: int | None = None) -> Why:
    """The explanation of a ranked document. Raises `CacheInvalid`."""
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
    """The words whose shares differ from those of the document at rank 1, as in `Why.first`."""
    if not explained.matches or entry.rank == 1:
        return ()
    own = {share.label: share.value for share in entry.shares}
    first = {share.label: share.value for share in explained.entry(1).shares}
    changes = ((label, own.get(label, 0), first.get(label, 0)) for label in {**first, **own})
    different = [change for change in changes if change[1] != change[2]]
    return tuple(sorted(different, key=lambda change: (-abs(change[1] - change[2]), change[0])))


def why_lines(
    why: Why, width: int, words: Mapping[str, int] | None = None, *, tree: bool = False
) -> list[Line]:
    """The explanation as lines of `width` cells; `words` are the indices of the query's coloured words."""
    lines = [*_head(why, width), *_shares(why, width, words or {})]
    lines += [*_query(why, width), *_compared(why, width), *_more(why, width)]
    if tree and why.shares:
        lines += [[], [("the arithmetic", "strong")], *_tree(why.tree, 0, width)]
    return lines


def nothing_lines(explained: Explanation) -> list[Line]:
    """The lines that say why no document matches."""
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
    """Whether the document is chosen, in numbers, and the budgets that choose it."""
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
    """For each term: a bar, its share of the score, and where the term occurs."""
    shares = [share for share in why.shares if share.note != ORDERS_ONLY]
    label = min(max((cell_len(escaped(share.label)) for share in shares), default=0), max(8, width // 3))
    whole = sum(share.value for share in why.shares)
    occurrences = [_occurrences(share) for share in shares]
    longest = max(map(len, occurrences), default=0)
    is_wide = width >= WIDE and width - label - 9 - longest >= MIN_BAR
    room = width - label - 7 - (longest + 2 if is_wide else 0)
    for share, occurrence in zip(shares, occurrences, strict=True):
        part = share.value / whole
        role = slot(words[share.label]) if share.label in words else "bar"
        line: Line = [(padded(escaped(share.label), label), "term"), (" ", "")]
        line += [*_bar(part, min(max(MIN_BAR, room), 24), role), (f"{round(100 * part):>4} %", "")]
        if is_wide:
            yield [*line, ("  ", ""), (occurrence, "dim")]
            continue
        yield line
        yield from ([("  ", ""), (text, "dim")] for text in wrap(occurrence, max(10, width - 2)))


def _bar(part: float, room: int, role: str) -> Line:
    """A bar of `room` cells, filled to an eighth of a cell."""
    full, rest = divmod(round(part * room * 8), 8)
    drawn = "█" * full + (EIGHTHS[rest] if rest else "")
    return [(drawn, role), (" " * (room - len(drawn)), "")]


def _occurrences(share: Share) -> str:
    """`3 times here, in the title; in 23 of 209`: the last two are numbers of documents."""
    here = []
    if share.body:
        where = "in its file" if share.unit == "files" else "here"
        here.append(f"{pluralize(share.body, 'time')} {where}")
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
    """The words of the query that give no share: missing, unknown and ignored ones."""
    holders = [(escaped(word.text), word.documents) for word in why.missing]
    missing = [f"{word} ({pluralize(n, 'document')} {'has' if n == 1 else 'have'} it)" for word, n in holders]
    yield from _field("lacks", ", ".join(missing), "bad", width)
    yield from _field("unknown", ", ".join(_words_of(why, "unknown")), "bad", width)
    light = sum(share.value for share in why.shares if share.note == ORDERS_ONLY)
    part = round(100 * light / max(1, sum(share.value for share in why.shares)))
    order = f"; together {part} %, which only orders" if part else ""
    yield from _field("ignored", " ".join(_words_of(why, "ignored")) + order, "", width)


def _words_of(why: Why, status: str) -> list[str]:
    return [escaped(word.text) for word in why.words if word.status == status]


def _compared(why: Why, width: int) -> Iterator[Line]:
    """The differences to the first document by word, in percent of its score."""
    if not why.first:
        return
    total, ignored = why.explained.first(1)[0][1], _words_of(why, "ignored")
    changes = [(escaped(label), round(100 * (own - first) / total)) for label, own, first in why.first[:6]]
    parts = [f"{label} {change:+} %" for label, change in changes if change and label not in ignored]
    yield from _field("to the first", ", ".join(parts), "", width)


def _more(why: Why, width: int) -> Iterator[Line]:
    """The parts of the score that are no words, then the size of the document and its length factor."""
    for part in why.tree.parts:
        if not isinstance(part, TermNode):
            yield from _field(f"{part.value:,}", escaped(part.reason), "dim", width)
    size = f"{pluralize(why.entry.tokens, 'token')}, {pluralize(why.entry.words, 'word')}"
    yield from _field("size", size, "", width)
    for node in term_nodes(why.tree):
        impact = node.impact
        if impact and impact.body and impact.length is not None and impact.unit == "documents":
            mean = impact.body.all_words // max(1, impact.doc_count)
            yield from _field("length", f"factor {impact.length / ONE:.2f}, mean {mean:,}", "", width)
            break


def _field(name: str, words: str, role: str, width: int) -> Iterator[Line]:
    """A name and a text, wrapped beside it; no line for an empty text."""
    if not words:
        return
    at = max(12, len(name) + 1)
    for number, part in enumerate(wrap(words, max(10, width - at))):
        yield [("" if number else f"{name:{at}}", "dim"), (" " * at if number else "", ""), (part, role)]


def _tree(reason: ExplanationNode, depth: int, width: int) -> Iterator[Line]:
    """The arithmetic as an indented tree, a number a line; long reasons are wrapped."""
    indent, value = "  " * depth, f"{reason.value:,}"
    room = max(16, width - len(indent) - len(value) - 2)
    for number, part in enumerate(wrap(escaped(reason.reason), room)):
        head = " " * len(value) if number else value
        yield [(indent, ""), (head, "accent" if depth < 2 else ""), (f"  {part}", "dim")]
    for child in reason.parts:
        yield from _tree(child, depth + 1, width)
