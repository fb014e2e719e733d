"""Text with roles instead of colours: what every view is made of before it is painted.

A role is a word such as `dim` or `slot2`; `render` alone knows how it looks. Text that comes from
documents, names or queries enters a span through `escaped`.
"""

from __future__ import annotations

from rich.cells import cell_len

from ...text.display import escape_control

Span = tuple[str, str]
"""A text and its role; the empty role is plain text."""
Line = list[Span]

SLOTS = 6
"""How many colours tell the chosen documents, and the words of a query, apart; they repeat in order."""

EMOJI = "\ufe0f"
"""Makes an emoji of the character before it, which may take more room then."""


def escaped(text: str, *, limit: int = 2000) -> str:
    """Untrusted text on one line: safe, and cut where nobody would read on."""
    return escape_control(text[:limit]) + ("…" if len(text) > limit else "")


def has_words(text: str, words: str) -> bool:
    """Whether a text holds each of some words, or parts of words, in any case."""
    text = text.casefold()
    return all(word in text for word in words.casefold().split())


def slot(index: int) -> str:
    """The role of the chosen document, or of the word of the query, at an index from 0."""
    return f"slot{index % SLOTS + 1}"


def width(spans: Line) -> int:
    """Terminal cells that spans take."""
    return sum(cell_len(text) for text, _ in spans)


def cell_size(text: str, index: int) -> int:
    """Terminal cells that the character at an index adds: what makes an emoji of the one before adds some."""
    before = text[index - 1] if index and text[index] == EMOJI else ""
    return cell_len(before + text[index]) - cell_len(before)


def padded(text: str, to: int, *, right: bool = False) -> str:
    """`text` filled with spaces, or cut with an ellipsis, to exactly `to` cells."""
    cut = cropped(text, to)
    space = " " * (to - cell_len(cut))
    return space + cut if right else cut + space


def cropped(text: str, to: int) -> str:
    """`text` in at most `to` cells; an ellipsis stands for what was cut from its end."""
    if cell_len(text) <= to:
        return text
    return _head(text, to - 1) + "…" if to > 0 else ""


def cropped_middle(text: str, to: int) -> str:
    """`text` in at most `to` cells; an ellipsis stands for what was cut from its middle."""
    if cell_len(text) <= to:
        return text
    if to < 4:
        return cropped(text, to)
    end = _tail(text, to // 2)
    return _head(text, to - 1 - cell_len(end)) + "…" + end


def cropped_start(text: str, to: int) -> str:
    """`text` in at most `to` cells; an ellipsis stands for what was cut from its start."""
    if cell_len(text) <= to:
        return text
    return "…" + _tail(text, to - 1) if to > 0 else ""


def short_id(id_: str, to: int) -> str:
    """A document's id in at most `to` cells: the outer folders go first, then the middle."""
    left = escaped(id_)
    while cell_len(left) > to:
        outer, slash, rest = left.removeprefix("…/").partition("/")
        if not slash or "#" in outer:
            return cropped_middle(left, to)
        left = f"…/{rest}"
    return left


def wrap(text: str, to: int) -> list[str]:
    """`text` in lines of at most `to` cells, at spaces where there are some; one line at least."""
    lines, line = [], ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= to or not line:
            line = joined
        else:
            lines.append(line)
            line = word
        while cell_len(line) > max(2, to):
            head = _head(line, max(2, to))
            lines.append(head)
            line = line[len(head) :]
    return [*lines, line]


def wrap_spans(spans: Line, to: int) -> list[Line]:
    """Spans in lines of at most `to` cells, cut at the spaces in them."""
    lines: list[Line] = [[]]
    room = to
    for text, role in spans:
        for word in _words(text):
            cells = cell_len(word)
            if cells > room and lines[-1]:
                lines.append([])
                room = to
                word = word.lstrip(" ")
                cells = cell_len(word)
            for number, part in enumerate(wrap(word, room) if cells > room else [word]):
                if number:
                    lines.append([])
                    room = to
                lines[-1].append((part, role))
                room -= cell_len(part)
    return lines


def _words(text: str) -> list[str]:
    """The words of a text, each with the spaces before it."""
    words, start = [], 0
    for index in range(1, len(text)):
        if text[index] == " " and text[index - 1] != " ":
            words.append(text[start:index])
            start = index
    return [*words, text[start:]]


def _head(text: str, to: int) -> str:
    """The longest beginning of at most `to` cells."""
    cells = 0
    for index in range(len(text)):
        cells += cell_size(text, index)
        if cells > to:
            return text[:index]
    return text


def _tail(text: str, to: int) -> str:
    """The longest end of at most `to` cells."""
    cells = 0
    for index in range(len(text) - 1, -1, -1):
        cells += cell_size(text, index)
        if cells > to:
            return text[index + 1 :]
    return text


def count(number: int, noun: str) -> str:
    """`1 document`, `1,204 documents`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(number: int) -> str:
    """Bytes for people: `812 B`, `4.2 kB`, `1.3 GB`."""
    value = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"
