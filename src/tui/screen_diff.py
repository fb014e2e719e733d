"""Reduces what Textual writes to a terminal to the cells that differ from the terminal's screen.

Textual writes whole lines of every widget that changed, with a style before and after each piece of
text: 30 kB for a key, which takes long over a slow connection.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len, get_character_cell_size

if TYPE_CHECKING:
    from collections.abc import Iterable

TOKENS = re.compile(
    r"\x1b\[(?P<params>[0-9;:]*)(?P<kind>[mH])|(?P<other>\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[^@-~]*[@-~]|\x1b[^\[\]]|[\x00-\x1a\x1c-\x1f])"
    r"|(?P<text>[^\x00-\x1f]+)"
)
STYLE = re.compile(
    r"(?P<attributes>(?:[1-9](?:;|$))*)"
    r"(?P<text>(?:3[0-79]|9[0-7]|38;5;\d+|38;2;\d+;\d+;\d+))?;?"
    r"(?P<behind>(?:4[0-79]|10[0-7]|48;5;\d+|48;2;\d+;\d+;\d+))?"
)
"""A style as Textual writes it: attributes, foreground colour, background colour."""
VISIBLE_ON_BLANK = {"4", "7", "9"}
"""Attributes that are visible on a blank: underline, reverse, strike-through."""
UNKNOWN = "\0"
"""A cell to which nothing was written yet."""
GAP = 6
"""Unchanged cells between two changes that are written again: moving the cursor takes as many bytes."""

Row = tuple[list[str], list[str]]
"""The character of each cell of a line, and its style; the right half of a wide character is "".

The style of a blank has only its visible parts.
"""


@dataclass(slots=True)
class Run:
    """Neighbouring cells of one line that are written in one style."""

    y: int
    x: int
    style: str
    cells: list[str]

    @property
    def is_blank(self) -> bool:
        """Whether all cells are blanks."""
        return all(cell == " " for cell in self.cells)


class ScreenDiff:
    """Keeps a copy of a terminal's screen, and filters what is written to the terminal."""

    def __init__(self) -> None:
        self._rows: dict[int, Row] = {}
        self._changed: dict[int, Row] = {}
        self._x = self._y = 0
        self._style = ""
        self._is_forgotten = False

    def forget(self) -> None:
        """Forget the screen: the next text is written whole. May be called from any thread."""
        self._is_forgotten = True

    def filter(self, data: str) -> str:
        """Fewer sequences that change the terminal's screen as `data` would."""
        if self._is_forgotten:
            self._is_forgotten = False
            self._rows.clear()
        written: list[str] = []
        moved = False
        for token in TOKENS.finditer(data):
            kind = token.lastgroup
            if kind == "text":
                self._put(token["text"])
                moved = True
            elif kind == "kind" and token["kind"] == "m":
                self._style = "" if token["params"] in ("", "0") else token["params"]
            elif kind == "kind":
                self._move(token["params"])
                moved = True
            elif token["other"] != "\n":
                written += [self._flush(moved=moved), token["other"]]
                moved = False
                if token["other"] in ("\x1b[?1049h", "\x1b[2J"):
                    self._rows.clear()
        return "".join([*written, self._flush(moved=moved)])

    def _move(self, params: str) -> None:
        row, _, column = params.partition(";")
        self._x, self._y = int(column or 1) - 1, int(row or 1) - 1

    def _put(self, text: str) -> None:
        """Write a text at the cursor, and move the cursor behind it."""
        characters, styles = self._row()
        if text.isascii() or (len(text) == cell_len(text) and all(map(get_character_cell_size, text))):
            cells = list(text)
        else:
            cells = _cells(text)
        end = self._x + len(cells)
        missing = end - len(characters)
        if missing > 0:
            characters += [UNKNOWN] * missing
            styles += [UNKNOWN] * missing
        for cut, half in ((self._x, self._x - 1), (end, end)):
            # A terminal clears the other half of a wide character that is overwritten.
            if cells and characters[cut : cut + 1] == [""]:
                characters[half], styles[half] = " ", _blank(styles[half])
        characters[self._x : end] = cells
        blank = _blank(self._style)
        styles[self._x : end] = [blank if cell == " " else self._style for cell in cells]
        self._x = end

    def _row(self) -> Row:
        """The changed copy of the line of the cursor, made if there is none yet."""
        row = self._changed.get(self._y)
        if row is None:
            characters, styles = self._rows.get(self._y, ([], []))
            row = self._changed[self._y] = (characters.copy(), styles.copy())
        return row

    def _flush(self, *, moved: bool) -> str:
        """The sequences that write the changed lines and, if it was moved, place the cursor."""
        ordered: list[Run] = []
        """Runs of lines with characters of uncertain width, which are written from left to right."""
        runs: list[Run] = []
        for y, row in self._changed.items():
            before, self._rows[y] = self._rows.get(y, ([], [])), row
            changed = [run for part in _changed_parts(before, row) for run in _runs(y, row, *part)]
            (runs if _certain_width(row) == len(row[0]) else ordered).extend(changed)
        self._changed.clear()
        # Sorted by style, the runs of a column or a border share one style sequence.
        runs.sort(key=lambda run: _style_order(run.style))
        return _sequences([*ordered, *runs]) + (f"\x1b[{self._y + 1};{self._x + 1}H" if moved else "")


def _runs(y: int, row: Row, start: int, end: int) -> list[Run]:
    """A part of a line, cut where the style changes; a blank joins a run in which it looks the same."""
    runs: list[Run] = []
    for x, cell, style in zip(range(start, end), row[0][start:end], row[1][start:end], strict=True):
        if runs and _looks_same(cell, style, runs[-1].style):
            runs[-1].cells.append(cell)
        elif runs and _blank(style) == runs[-1].style and runs[-1].is_blank:
            runs[-1].style = style
            runs[-1].cells.append(cell)
        else:
            runs.append(Run(y, x, style, [cell]))
    return runs


def _sequences(runs: Iterable[Run]) -> str:
    """The sequences that write some runs, in the given order."""
    written: list[str] = []
    style, y, x = "", -1, -1
    for run in runs:
        if run.y != y:
            written.append(f"\x1b[{run.y + 1};{run.x + 1}H")
        elif run.x != x:
            written.append(f"\x1b[{run.x + 1}G")
        written += [_style_change(style, run.style), *run.cells]
        style, y, x = run.style, run.y, run.x + len(run.cells)
    return "".join([*written, "\x1b[0m"] if style else written)


def _looks_same(cell: str, wanted: str, style: str) -> bool:
    """Whether a cell written in `style` looks as in the wanted style: a blank has no foreground colour."""
    return wanted == style or (cell == " " and wanted == _blank(style))


@lru_cache(maxsize=4096)
def _blank(style: str) -> str:
    """The visible parts of a style on a blank: the background; everything if an attribute shows on blanks."""
    match = STYLE.fullmatch(style)
    return style if match is None or VISIBLE_ON_BLANK & set(match["attributes"]) else match["behind"] or ""


@lru_cache(maxsize=4096)
def _style_order(style: str) -> tuple[str, str, str]:
    """A sort key by which neighbouring styles have most in common."""
    match = STYLE.fullmatch(style)
    return (match["behind"] or "", match["attributes"], match["text"] or "") if match else (style, "", "")


@lru_cache(maxsize=4096)
def _style_change(before: str, after: str) -> str:
    """The sequence that changes one style to another: usually only the colours that differ."""
    if before == after:
        return ""
    if not after:
        return "\x1b[0m"
    old, new = STYLE.fullmatch(before), STYLE.fullmatch(after)
    if old is None or new is None:
        return f"\x1b[0;{after}m"
    attributes, wanted = old["attributes"].rstrip(";"), new["attributes"].rstrip(";")
    if attributes not in ("", wanted):  # attributes cannot be removed without a reset
        return f"\x1b[0;{after}m"
    codes = [wanted] if wanted != attributes else []
    for name, default in (("text", "39"), ("behind", "49")):
        if old[name] != new[name]:
            codes.append(new[name] or default)
    return f"\x1b[{';'.join(codes)}m"


def _cells(text: str) -> list[str]:
    """The character of each cell of a text; a character of no width is joined to the one before."""
    cells: list[str] = []
    for character in text:
        size = get_character_cell_size(character)
        if size:
            cells += [character, *[""] * (size - 1)]
        elif cells:
            lead = next(index for index in range(len(cells) - 1, -1, -1) if cells[index])
            cells[lead] += character
            cells += [""] * (cell_len(cells[lead]) - len(cells) + lead)  # the mark may widen it to an emoji
    return cells


def _changed_parts(before: Row, after: Row) -> list[tuple[int, int]]:
    """(start, end) of the parts of a line that differ; parts with a small gap between them are joined."""
    if before == after:
        return []
    parts: list[tuple[int, int]] = []
    for index in _changed_cells(before, after):
        end = parts[-1][1] if parts else 0
        if parts and index - end <= GAP and _is_plain(after, end, index):
            parts[-1] = (parts[-1][0], index + 1)
        else:
            parts.append((index, index + 1))
    return parts


def _changed_cells(before: Row, after: Row) -> list[int]:
    """The indices of the cells of a line that must be written."""
    cells = len(before[0])
    changed: list[int] = []
    for index, (cell, style) in enumerate(zip(*after, strict=True)):
        if cell == UNKNOWN:
            continue
        is_same = index < cells and before[0][index] == cell and before[1][index] == style
        if not is_same or (not cell and changed and changed[-1] == index - 1):
            changed.append(index)
    certain = min(_certain_width(before), _certain_width(after))
    if changed and changed[-1] >= certain:  # a cursor move beyond would land elsewhere in some terminals
        rest = range(certain, len(after[0]))
        changed = [index for index in changed if index < certain]
        changed += [index for index in rest if after[0][index] != UNKNOWN]
    return changed


def _certain_width(row: Row) -> int:
    """The number of cells before the first character that terminals draw in different widths."""
    uncertain = {cell for cell in set(row[0]) if not _is_certain(cell)}
    return next((index for index, cell in enumerate(row[0]) if cell in uncertain), len(row[0]))


@lru_cache(maxsize=4096)
def _is_certain(cell: str) -> bool:
    """Whether all terminals draw a character in the same width: not so emoji and joined characters."""
    base, marks = cell[:1], cell[1:]
    is_symbol = bool(base) and unicodedata.category(base) in ("So", "Sk")
    is_emoji = is_symbol and (base >= "\U0001f000" or get_character_cell_size(base) == 2)
    return not is_emoji and all(
        unicodedata.category(mark) == "Mn" and not "\ufe00" <= mark <= "\ufe0f" for mark in marks
    )


def _is_plain(row: Row, start: int, end: int) -> bool:
    """Whether a part of a line can be written in the style of the cell before it."""
    style = row[1][start - 1]
    return all(
        cell != UNKNOWN and _looks_same(cell, wanted, style)
        for cell, wanted in zip(row[0][start:end], row[1][start:end], strict=True)
    )
