"""The panel *why* as lines of pieces."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from rich.cells import cell_len

from .pieces import Piece, count, padded, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..resolver.explained import Explained
    from ..resolver.explanation import Reason
    from .reasons import Share, Why

Line = list[Piece]

WIDE = 62
"""Cells from which what belongs together stands on one line."""
EIGHTHS = " ▏▎▍▌▋▊▉█"


def why_lines(why: Why, width: int, *, tree: bool = False) -> list[Line]:
    """Everything there is to say of one document, for a panel of `width` cells."""
    is_wide = width >= WIDE
    lines = [*_head(why, width, is_wide=is_wide), []]
    if why.shares:
        lines += [*_shares(why, width, is_wide=is_wide), []]
    lines += _query(why, width)
    if tree and why.shares:
        lines += [[], [("the arithmetic", "strong")], *_tree(why.tree, 0, width)]
    return lines


def nothing_lines(explained: Explained) -> list[Line]:
    """Why nothing matches."""
    lines: list[Line] = [[("No document matches.", "strong")], []]
    for status, words in (("unknown", "in no document"), ("ignored", "ignored, as any text has them")):
        found = [shown(word.text) for word in explained.words if word.status == status]
        if found:
            lines.append([(", ".join(found), "bad" if status == "unknown" else ""), (f"  {words}", "dim")])
    return lines


def fate(why: Why) -> Line:
    """Chosen or not, in numbers."""
    if why.rank is None:
        return [("○ does not match", "bad")]
    if why.left is None:
        return [("○ ", "dim"), (f"chosen at {why.fits_from:,}", "")]
    if why.chosen:
        return [("● chosen", "good"), (f" · {why.left - why.tokens:,} left after it", "")]
    return [("○ left out", "warn"), (f" · needs {why.tokens:,}, {why.left:,} left", "")]


def _head(why: Why, width: int, *, is_wide: bool) -> Iterator[Line]:
    name, title = shown(why.id), shown(why.title)
    if is_wide and cell_len(name) + cell_len(title) + 3 <= width:
        yield [(name, "strong"), ("   ", ""), (title, "dim")]
    else:
        yield from ([(part, "strong")] for part in wrap(name, width))
        yield from ([(part, "dim")] for part in wrap(title, width))
    place: Line = []
    fits: Line = []
    if why.rank is not None:
        place = [(f"rank {why.rank:,} of {why.matches:,} · score {why.score}", "")]
        if not why.chosen and why.left is not None:
            fits = [(f"chosen at {why.fits_from:,}", "accent")]
            if why.budget is not None and why.fits_from is not None and why.fits_from < why.budget:
                fits.append((", where others are not", "dim"))
    if is_wide:
        yield [*fate(why), ("   ", ""), *place, ("   ", ""), *fits]
    else:
        yield from filter(None, (fate(why), fits, place))


def _shares(why: Why, width: int, *, is_wide: bool) -> Iterator[Line]:
    """A bar for each term, its share of the total, and what it was made of."""
    label = min(max(cell_len(shown(share.label)) for share in why.shares), max(8, width // 3))
    made_of = [_made_of(share) for share in why.shares]
    room = width - label - 8 - (max(map(len, made_of)) + 3 if is_wide else 0)
    for share, made in zip(why.shares, made_of, strict=True):
        part = share.value / share.total
        line = [(padded(shown(share.label), label), "term"), (" ", ""), *_bar(part, min(max(4, room), 30))]
        line.append((f"{round(100 * part):>4} %", ""))
        if is_wide:
            yield [*line, ("   ", ""), (made, "dim")]
        else:
            yield line
            yield [("  ", ""), (made, "dim")]


def _bar(part: float, room: int) -> Line:
    """A bar of `room` cells, filled to an eighth of a cell."""
    eighths = round(part * room * 8)
    full, rest = divmod(eighths, 8)
    drawn = "█" * full + (EIGHTHS[rest] if rest else "")
    return [(drawn, "bar"), (" " * (room - len(drawn)), "")]


def _made_of(share: Share) -> str:
    """`6 ×, in the title · in 9 of 42 documents`."""
    parts = [f"{share.body:,} ×"] if share.body else []
    if share.title:
        parts.append("in title" if share.title == 1 else f"{share.title} × in title")
    if share.holding is not None:
        parts.append(f"in {share.holding:,} of {share.documents:,}")
    if share.weight % 2:
        parts.append("part of a name")
    return ", ".join(parts)


def _query(why: Why, width: int) -> Iterator[Line]:
    """What became of the other words of the query, and the length of the document."""
    missing = ", ".join(f"{shown(word)} (in {documents:,})" for word, documents in why.missing)
    yield from _field("lacks", missing, "bad", width)
    yield from _field("unknown", ", ".join(map(shown, why.unknown)), "bad", width)
    yield from _field("ignored", " ".join(map(shown, why.ignored)), "", width)
    yield from _field("size", f"{count(why.tokens, 'token')}, {count(why.words, 'word')}", "", width)
    if why.length is not None:
        length = f"factor {why.length_factor}, mean {why.average:,}"
        yield from _field("length", length, "", width)


def _field(name: str, words: str, role: str, width: int) -> Iterator[Line]:
    """A name and what there is to say, in as many lines as that takes; nothing for nothing."""
    for number, part in enumerate(wrap(words, max(10, width - 9))):
        yield [("" if number else f"{name:9}", "dim"), (" " * 9 if number else "", ""), (part, role)]


def _tree(reason: Reason, depth: int, width: int) -> Iterator[Line]:
    """The tree, a number a line; long reasons go on below themselves."""
    indent, value = "  " * depth, f"{reason.value:,}"
    room = max(16, width - len(indent) - len(value) - 2)
    for number, part in enumerate(wrap(shown(reason.reason), room) or [""]):
        head = " " * len(value) if number else value
        yield [(indent, ""), (head, "accent" if depth < 2 else ""), (f"  {part}", "dim")]
    for child in reason.parts:
        yield from _tree(child, depth + 1, width)
