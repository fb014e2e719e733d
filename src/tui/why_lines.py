"""The panel *why* as lines of pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .pieces import Piece, count, cropped, padded, shown

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
    lines = [*_head(why, is_wide=is_wide), []]
    if why.shares:
        lines += [*_shares(why, width, is_wide=is_wide), []]
    lines += _query(why)
    if tree and why.shares:
        lines += [[], [("the arithmetic", "strong")], *_tree(why.tree, 0)]
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
        return [("○ ", "dim"), (f"fits from {why.fits_from:,}", "")]
    if why.chosen:
        return [("● chosen", "good"), (f" · {why.left - why.tokens:,} left after it", "")]
    return [("○ left out", "warn"), (f" · needs {why.tokens:,}, {why.left:,} left", "")]


def _head(why: Why, *, is_wide: bool) -> Iterator[Line]:
    place: Line = []
    if why.rank is not None:
        place = [(f"rank {why.rank:,} of {why.matches:,} · score {why.score}", "")]
        if not why.chosen:
            place += [(" · ", ""), (f"fits from {why.fits_from:,}", "accent")]
    title: Line = [(shown(why.title), "dim")] if why.title else []
    if is_wide:
        yield [(shown(why.id), "strong"), ("   ", ""), *title]
        yield [*fate(why), ("   ", ""), *place]
    else:
        yield from filter(None, ([(shown(why.id), "strong")], title, fate(why), place))


def _shares(why: Why, width: int, *, is_wide: bool) -> Iterator[Line]:
    """A bar for each term, its share of the total, and what it was made of."""
    label = min(max(len(shown(share.label)) for share in why.shares), max(8, width // 3))
    room = 20 if is_wide else max(4, width - label - 6)
    for share in why.shares:
        part = share.value / why.shares[0].total
        line = [(padded(shown(share.label), label), "term"), (" ", ""), *_bar(part, min(room, 30))]
        line.append((f"{round(100 * part):>3} %", ""))
        if is_wide:
            yield [*line, ("   ", ""), (_made_of(share), "dim")]
        else:
            yield line
            yield [("  ", ""), (_made_of(share), "dim")]


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
        parts.append("in the title" if share.title == 1 else f"{share.title} × in the title")
    if share.holding is not None:
        parts.append(f"in {share.holding:,} of {share.documents:,}")
    if share.weight % 2:
        parts.append("part of a name")
    return ", ".join(parts)


def _query(why: Why) -> Iterator[Line]:
    """What became of the other words of the query, and the length of the document."""
    if why.missing:
        words = ", ".join(f"{shown(word)} (in {documents:,})" for word, documents in why.missing)
        yield [("lacks    ", "dim"), (words, "bad")]
    if why.unknown:
        yield [("unknown  ", "dim"), (", ".join(map(shown, why.unknown)), "bad")]
    if why.ignored:
        yield [("ignored  ", "dim"), (" ".join(map(shown, why.ignored)), "")]
    yield [("size     ", "dim"), (f"{count(why.tokens, 'token')}, {count(why.words, 'word')}", "")]
    if why.length is not None:
        yield [("length   ", "dim"), (f"factor {why.length_factor}, average {why.average:,}", "")]


def _tree(reason: Reason, depth: int) -> Iterator[Line]:
    words = cropped(shown(reason.reason), 200)
    yield [("  " * depth, ""), (f"{reason.value:,}", "accent" if depth < 2 else ""), (f"  {words}", "dim")]
    for part in reason.parts:
        yield from _tree(part, depth + 1)
