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

    from ...resolver.explain import Explanation, RankedDocument
    from ...resolver.shares import Share
    from ...scoring import ExplanationNode

WIDE = 62
"""Cells from which what belongs together stands on one line."""
MIN_BAR = 6
EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True, kw_only=True, slots=True)
class Why:
    """Where one document stands for a question, and everything that says why."""

    id: str
    title: str
    rank: int | None
    """None when it does not match."""
    matches: int
    score: str
    tokens: int
    words: int
    chosen: bool
    left: int | None
    fits_from: int | None
    """The smallest budget at which it is chosen; at a larger one others may come before it."""
    budget: int | None
    next_budget: int | None
    """The smallest budget, not below the present one, at which it is chosen."""
    shares: tuple[Share, ...]
    branches: tuple[tuple[str, int], ...]
    """What else its total is made of, in the words of the explanation: its file, exact forms."""
    first: tuple[tuple[str, int, int], ...]
    """(word, what it gives here, what it gives the first document), the largest difference first."""
    first_total: int
    missing: tuple[tuple[str, int], ...]
    """Words that it lacks, each with the number of documents that hold it."""
    ignored: tuple[str, ...]
    unknown: tuple[str, ...]
    length: int | None
    """The body's length factor in 1/4096; None where the scorer has none."""
    average: int
    """Words of an average document, rounded down."""
    aliases: tuple[str, ...]
    """Other ids of the same text."""
    tree: ExplanationNode

    @property
    def length_factor(self) -> str:
        """The length factor as a decimal: `0.84`."""
        return "" if self.length is None else f"{self.length / ONE:.2f}"


def explain_document(explained: Explanation, entry: RankedDocument, next_budget: int | None = None) -> Why:
    """Sort what the library says of one document. Raises `CacheInvalid`."""
    words = explained.words
    tree = entry.reason
    shares = entry.shares
    length, average = _length(tree)
    return Why(
        id=entry.id,
        title=entry.title,
        rank=entry.rank,
        matches=explained.matches,
        score=f"{entry.score:.3f}",
        tokens=entry.tokens,
        words=entry.words,
        chosen=entry.chosen,
        left=entry.left,
        fits_from=entry.fits_from,
        budget=explained.budget,
        next_budget=next_budget,
        shares=tuple(sorted(shares, key=lambda share: -share.value)),
        branches=tuple((part.reason, part.value) for part in tree.parts if not isinstance(part, TermNode)),
        first=_against_first(explained, entry, shares),
        first_total=explained.first(1)[0][1] if explained.matches else 0,
        missing=tuple((word.text, word.documents) for word in entry.missing if word.status == "scored"),
        ignored=tuple(word.text for word in words if word.status == "ignored"),
        unknown=tuple(word.text for word in words if word.status == "unknown"),
        length=length,
        average=average,
        aliases=_aliases(explained, entry),
        tree=tree,
    )


def _aliases(explained: Explanation, entry: RankedDocument) -> tuple[str, ...]:
    """The ids of documents with the same text."""
    number = explained.store.number_of(entry.id)
    return () if number is None else explained.store.summary(number).aliases


def _length(tree: ExplanationNode) -> tuple[int | None, int]:
    """The length factor of the body, and the words of an average document."""
    for node in term_nodes(tree):
        impact = node.impact
        if impact is not None and impact.body is not None and impact.unit == "documents":
            return impact.length, impact.body.all_words // max(1, impact.doc_count)
    return None, 0


def _against_first(
    explained: Explanation, entry: RankedDocument, shares: list[Share]
) -> tuple[tuple[str, int, int], ...]:
    """Which words make the difference to the document at rank 1."""
    if not explained.matches or entry.rank == 1:
        return ()
    own = {share.label: share.value for share in shares}
    first = {share.label: share.value for share in explained.entry(1).shares}
    changes = ((label, own.get(label, 0), first.get(label, 0)) for label in {**first, **own})
    different = [change for change in changes if change[1] != change[2]]
    return tuple(sorted(different, key=lambda change: (-abs(change[1] - change[2]), change[0])))


# The lines of the panel.


def why_lines(
    why: Why, width: int, words: Mapping[str, int] | None = None, *, tree: bool = False
) -> list[Line]:
    """Everything there is to say of one document, for a panel of `width` cells."""
    lines = [*_head(why, width)]
    if why.shares:
        lines += [*_shares(why, width, words or {})]
    lines += [*_query(why, width), *_compared(why, width), *_more(why, width)]
    if tree and why.shares:
        lines += [[], [("the arithmetic", "strong")], *_tree(why.tree, 0, width)]
    return lines


def nothing_lines(explained: Explanation) -> list[Line]:
    """Why nothing matches."""
    lines: list[Line] = [[("No document matches.", "strong")], []]
    for status, words in (("unknown", "in no document"), ("ignored", "ignored, as any text has them")):
        found = [escaped(word.text) for word in explained.words if word.status == status]
        if found:
            lines.append([(", ".join(found), "bad" if status == "unknown" else ""), (f"  {words}", "dim")])
    return lines


def why_title(why: Why) -> str:
    """The document's rank and the decision in a few words: `why 12: 304 needed, 10 left`."""
    if why.rank is None:
        return "why: does not match"
    if why.left is None or why.chosen:
        return f"why {why.rank:,}: {'chosen' if why.chosen else f'chosen at {why.fits_from:,}'}"
    return f"why {why.rank:,}: {why.tokens:,} needed, {why.left:,} left"


def decision(why: Why) -> Line:
    """Chosen or not, in numbers, and which budget would change it."""
    if why.rank is None:
        return [("○ does not match", "bad")]
    if why.left is None:
        return [("○ ", "dim"), (f"chosen at {why.fits_from:,}", "")]
    if why.chosen:
        return [("● chosen", "good"), (f" · {why.left - why.tokens:,} left after it", "")]
    line: Line = [("○ left out", "warn"), (f" · needs {why.tokens:,}, {why.left:,} left", "")]
    if why.next_budget is not None and why.budget is not None:
        more = why.next_budget - why.budget
        line += [(f" · chosen at {why.next_budget:,}", "accent"), (f" (+{more:,})", "")]
    if why.fits_from is not None and why.fits_from != why.next_budget:
        line.append((f" · also at {why.fits_from:,}, where others are not", "dim"))
    return line


def _head(why: Why, width: int) -> Iterator[Line]:
    title = section_title(why.title, why.id)
    name: Line = [(title, "strong")]
    if escaped(why.id) != title:
        name.append((f"   {escaped(why.id)}", "dim"))
    yield from wrap_spans(name, width)
    line = decision(why)
    if why.rank is not None:
        line.append((f" · rank {why.rank:,} of {why.matches:,}, score {why.score}", "soft"))
    yield from wrap_spans(line, width)
    if why.aliases:
        others = ", ".join(map(escaped, why.aliases[:5]))
        yield from _field("same text", f"{others}{' …' if len(why.aliases) > 5 else ''}", "", width)


def _shares(why: Why, width: int, words: Mapping[str, int]) -> Iterator[Line]:
    """A bar for each term that finds documents, its share of the total, and what it was made of."""
    shares = [share for share in why.shares if share.note != ORDERS_ONLY]
    label = min(max((cell_len(escaped(share.label)) for share in shares), default=0), max(8, width // 3))
    whole = sum(share.value for share in why.shares)
    is_wide = width >= WIDE
    made_of = [_made_of(share) for share in shares]
    longest = max(map(len, made_of), default=0)
    is_wide = is_wide and width - label - 9 - longest >= MIN_BAR
    room = width - label - 7 - (longest + 2 if is_wide else 0)
    for share, made in zip(shares, made_of, strict=True):
        part = share.value / whole
        role = slot(words[share.label]) if share.label in words else "bar"
        line = [
            (padded(escaped(share.label), label), "term"),
            (" ", ""),
            *_bar(part, min(max(MIN_BAR, room), 24), role),
        ]
        line.append((f"{round(100 * part):>4} %", ""))
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
        place = "in its file" if share.unit == "files" else "here"
        here.append(f"{count(share.body, 'time')} {place}")
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
    missing = ", ".join(
        f"{escaped(word)} ({documents:,} {'document has' if documents == 1 else 'documents have'} it)"
        for word, documents in why.missing
    )
    yield from _field("lacks", missing, "bad", width)
    yield from _field("unknown", ", ".join(map(escaped, why.unknown)), "bad", width)
    light = sum(share.value for share in why.shares if share.note == ORDERS_ONLY)
    part = round(100 * light / max(1, sum(share.value for share in why.shares)))
    order = f"; together {part} %, which only orders" if part else ""
    yield from _field("ignored", " ".join(map(escaped, why.ignored)) + order, "", width)


def _compared(why: Why, width: int) -> Iterator[Line]:
    """Which words make the difference to the first document, in hundredths of its total."""
    if not why.first_total:
        return
    changes = [(label, round(100 * (own - first) / why.first_total)) for label, own, first in why.first[:6]]
    parts = [
        f"{escaped(label)} {change:+} %" for label, change in changes if change and label not in why.ignored
    ]
    yield from _field("to the first", ", ".join(parts), "", width)


def _more(why: Why, width: int) -> Iterator[Line]:
    """Its other branches, its size, its length."""
    for reason, value in why.branches:
        yield from _field(f"{value:,}", escaped(reason), "dim", width)
    yield from _field("size", f"{count(why.tokens, 'token')}, {count(why.words, 'word')}", "", width)
    if why.length is not None:
        yield from _field("length", f"factor {why.length_factor}, mean {why.average:,}", "", width)


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
