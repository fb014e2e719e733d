"""The least that is written to a terminal to make it show something else.

Textual writes whole lines of every widget that changed, with a style before and after each piece of
text: 30 kB for a key. Over a slow line that is what a typist waits for.
"""

from __future__ import annotations

import re

from rich.cells import cell_len, get_character_cell_size

TOKENS = re.compile(
    r"\x1b\[(?P<params>[0-9;:]*)(?P<kind>[mH])|(?P<other>\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[^@-~]*[@-~]|\x1b[^\[\]]|[\x00-\x1a\x1c-\x1f])"
    r"|(?P<text>[^\x00-\x1f]+)"
)
UNKNOWN = "\0"
"""A cell of which nothing is known: nothing was written there yet."""
GAP = 8
"""Cells without a change that are written again rather than passed over: a move takes as many bytes."""

Row = tuple[list[str], list[str]]
"""What each cell of a line shows, and its style; the right half of a wide character shows nothing."""


class ScreenDiff:
    """What a terminal shows, and the least that makes it show something else."""

    def __init__(self) -> None:
        self._rows: dict[int, Row] = {}
        self._changed: dict[int, Row] = {}
        self._x = self._y = 0
        self._style = ""
        self._is_forgotten = False

    def forget(self) -> None:
        """What the terminal shows is not known any more; may be called in any thread."""
        self._is_forgotten = True

    def filter(self, data: str) -> str:
        """The sequences that do to the terminal what `data` would."""
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
        """Write a text at the cursor, which goes on behind it."""
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
        characters[self._x : end] = cells
        styles[self._x : end] = [self._style] * len(cells)
        self._x = end

    def _row(self) -> Row:
        """The line of the cursor, to be changed."""
        row = self._changed.get(self._y)
        if row is None:
            characters, styles = self._rows.get(self._y, ([], []))
            row = self._changed[self._y] = (characters.copy(), styles.copy())
        return row

    def _flush(self, *, moved: bool) -> str:
        """What shows the lines that were changed, and puts the cursor where it belongs."""
        written: list[str] = []
        style = ""
        for y, row in self._changed.items():
            for start, end in _differences(self._rows.get(y, ([], [])), row):
                written.append(f"\x1b[{y + 1};{start + 1}H")
                for text, wanted in _runs(row, start, end):
                    if wanted != style:
                        written.append(f"\x1b[0;{wanted}m" if wanted else "\x1b[0m")
                        style = wanted
                    written.append(text)
            self._rows[y] = row
        self._changed.clear()
        if style:
            written.append("\x1b[0m")
        if moved:
            written.append(f"\x1b[{self._y + 1};{self._x + 1}H")
        return "".join(written)


def _cells(text: str) -> list[str]:
    """What each cell of a text shows; what takes no cell belongs to the one before."""
    cells: list[str] = []
    for character in text:
        size = get_character_cell_size(character)
        if size:
            cells += [character, *[""] * (size - 1)]
        elif cells:
            lead = next(index for index in range(len(cells) - 1, -1, -1) if cells[index])
            cells[lead] += character
    return cells


def _differences(before: Row, after: Row) -> list[tuple[int, int]]:
    """The parts of a line that differ, those that lie close together as one."""
    if before == after:
        return []
    known = len(before[0])
    if any(len(cell) != 1 for cell in (*before[0], *after[0])):
        known = 0  # terminals differ in how wide they draw such characters: the line is written whole
    parts: list[tuple[int, int]] = []
    for index, cell in enumerate(after[0]):
        same = index < known and before[0][index] == cell and before[1][index] == after[1][index]
        if same or cell == UNKNOWN:
            continue
        if parts and index - parts[-1][1] <= GAP and UNKNOWN not in after[0][parts[-1][1] : index]:
            parts[-1] = (parts[-1][0], index + 1)
        else:
            parts.append((index, index + 1))
    return parts


def _runs(row: Row, start: int, end: int) -> list[tuple[str, str]]:
    """A part of a line as texts of one style each."""
    characters, styles = row
    runs: list[tuple[str, str]] = []
    begin = start
    for index in range(start + 1, end + 1):
        if index == end or styles[index] != styles[begin]:
            runs.append(("".join(characters[begin:index]), styles[begin]))
            begin = index
    return runs
