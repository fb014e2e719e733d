"""The least that is written to a terminal, held against a terminal that obeys everything."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxcache.tui.screen_diff import ScreenDiff

WIDTH, HEIGHT = 12, 4
COLOURS = ["", "31", "91", "38;5;3", "38;2;1;2;3"]
BEHIND = ["", "44", "104", "48;5;3", "48;2;9;8;7"]
STYLES = [";".join(filter(None, parts)) for parts in product(["", "1", "1;3", "7"], COLOURS, BEHIND)]
"""As Textual writes them: attributes, the colour of the text, the colour behind it."""


class Terminal:
    """Shows what it is told: a style and a character for each cell."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], tuple[str, dict[str, str]]] = {}
        self.x = self.y = 0

    def write(self, data: str) -> None:
        """Obey moves, styles and texts; what is left of half a wide character is a blank."""
        style: dict[str, str] = {}
        for params, kind, text in re.findall(r"\x1b\[([0-9;]*)([mHG])|([^\x1b\n])", data):
            if kind == "H":
                self.y, self.x = (int(number) - 1 for number in params.split(";"))
            elif kind == "G":
                self.x = int(params) - 1
            elif kind == "m":
                obey(style, params)
            else:
                size = cell_len(text)
                self._break(self.x)
                self._break(self.x + size)
                for x in range(self.x, self.x + size):
                    self.cells[x, self.y] = (text if x == self.x else "", style.copy())
                self.x += size

    def _break(self, x: int) -> None:
        """Clear the wide character whose halves stand before and at a column."""
        if self.cells.get((x, self.y), (" ", {}))[0] == "":
            for half in (x - 1, x):
                self.cells[half, self.y] = (" ", self.cells[half, self.y][1])

    @property
    def looks(self) -> dict[tuple[int, int], tuple[str, str]]:
        """What can be seen of each cell."""
        return {at: (text, _seen(text, style)) for at, (text, style) in self.cells.items()}


def _seen(text: str, style: dict[str, str]) -> str:
    hidden = set() if "7" in style or text != " " else style.keys() - {"behind"}
    return " ".join(sorted(code for name, code in style.items() if name not in hidden))


def obey(style: dict[str, str], params: str) -> None:
    """Change a style as a terminal does."""
    for code in re.findall(r"[34]8;2;\d+;\d+;\d+|[34]8;5;\d+|\d+", params or "0"):
        if code == "0":
            style.clear()
        elif code in ("39", "49"):
            style.pop("text" if code == "39" else "behind", None)
        elif len(code) == 1:
            style[code] = code
        else:
            style["text" if code[0] in "39" else "behind"] = code


@st.composite
def updates(draw: st.DrawFn) -> str:
    """Pieces of text at places, as Textual writes them."""
    data = ""
    for _ in range(draw(st.integers(1, 5))):
        x, y = draw(st.integers(0, WIDTH - 1)), draw(st.integers(0, HEIGHT - 1))
        data += f"\x1b[{y + 1};{x + 1}H"
        for text in draw(st.lists(st.text("ab█ 世界", min_size=1, max_size=6), max_size=3)):
            style = draw(st.sampled_from(STYLES))
            data += f"\x1b[{style}m{text}\x1b[0m" if style else text
        data += "\n"
    return data


@given(st.lists(updates(), max_size=6))
def test_a_terminal_shows_the_same_as_if_everything_were_written(written: list[str]) -> None:
    diff, plain, spared = ScreenDiff(), Terminal(), Terminal()
    for data in written:
        plain.write(data)
        spared.write(diff.filter(data))
        assert spared.looks == plain.looks
        assert (spared.x, spared.y) == (plain.x, plain.y)


def test_what_is_shown_already_is_not_written_again() -> None:
    diff = ScreenDiff()
    assert "hello" in diff.filter("\x1b[1;1Hhello")
    assert diff.filter("\x1b[1;1Hhello") == "\x1b[1;6H"
    assert diff.filter("\x1b[1;1Hhallo") == "\x1b[1;2Ha\x1b[1;6H"


def test_what_the_terminal_may_have_lost_is_written_again() -> None:
    diff = ScreenDiff()
    diff.filter("\x1b[1;1Hhello")
    diff.forget()
    assert "hello" in diff.filter("\x1b[1;1Hhello")
    assert "hello" in diff.filter("\x1b[2J\x1b[1;1Hhello")


def test_other_sequences_pass_in_their_order() -> None:
    data = ScreenDiff().filter("\x1b[?2026h\x1b[1;1Ha\x1b[?2026l\x1b]52;c;eA==\x07")
    assert data.index("?2026h") < data.index("a") < data.index("?2026l") < data.index("\x1b]52")


def test_of_a_line_with_wide_letters_only_what_differs_is_written() -> None:
    diff = ScreenDiff()
    diff.filter("\x1b[1;1Hab世界e\u0301 x")
    assert diff.filter("\x1b[1;8Hy") == "\x1b[1;8Hy\x1b[1;9H"
    assert diff.filter("\x1b[1;3H天") == "\x1b[1;3H天\x1b[1;5H"


def test_half_a_wide_letter_that_was_written_over_is_cleared() -> None:
    diff = ScreenDiff()
    diff.filter("\x1b[1;1Ha世b世")
    assert diff.filter("\x1b[1;3Hx\x1b[1;5Hy") == "\x1b[1;2H xby \x1b[1;6H"


@pytest.mark.parametrize("sign", ["🚀", "⚠\ufe0f", "का"])
def test_a_line_is_written_to_its_end_from_a_sign_whose_width_is_not_certain(sign: str) -> None:
    """Terminals differ in how wide they draw it, and a move behind it would land elsewhere."""
    diff = ScreenDiff()
    diff.filter(f"\x1b[1;1Hab{sign}cdefghij")
    assert f"{sign}cdefghijk" in diff.filter(f"\x1b[1;{cell_len(f'ab{sign}cdefghij') + 1}Hk")
    assert diff.filter("\x1b[1;1HA") == "\x1b[1;1HA\x1b[1;2H"


def test_a_style_is_named_once_for_all_lines_that_have_it() -> None:
    """A list has a dozen styles in each row: one sequence for each cell would be half of what is written."""
    colours = ["38;2;1;2;3", "1;38;2;200;100;50", "38;2;9;9;9"]
    rows = [
        "".join(
            f"\x1b[{row};{5 * column + 1}H\x1b[{colour}mab{row}\x1b[0m"
            for column, colour in enumerate(colours)
        )
        for row in range(1, 10)
    ]
    written = ScreenDiff().filter("".join(rows))
    assert all(written.count(colour) <= 2 for colour in colours)  # one is a part of another
    assert len(written) < len("".join(rows)) / 2
