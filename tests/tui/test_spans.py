"""Text cut and padded by what a terminal draws."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxcache.tui.views.spans import (
    cropped,
    cropped_middle,
    cropped_start,
    escaped,
    padded,
    size,
    width,
    wrap,
    wrap_spans,
)

TEXTS = st.text(max_size=40) | st.text("aé世🙂⚠❤\ufe0f\u0301", max_size=40)


@given(TEXTS, st.integers(0, 30))
def test_padding_takes_exactly_the_cells_that_it_says(text: str, to: int) -> None:
    """Wide and combining characters included, or columns would not stand below each other."""
    assert cell_len(padded(escaped(text), to)) == to
    assert cell_len(cropped(escaped(text), to)) <= to


def test_untrusted_text_is_spelled_out_and_cut() -> None:
    assert escaped("a\x1b[31m\nb") == r"a\x1b[31m\nb"
    assert len(escaped("x" * 10_000)) == 2001


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 B"), (812, "812 B"), (4200, "4.2 kB"), (601_000, "601 kB"), (1.3e9, "1.3 GB")]
)
def test_sizes_are_short(number: int, text: str) -> None:
    assert size(number) == text


@example("00\u0300\ufe0f", 2)  # an emoji, though a mark stands between
@given(TEXTS, st.integers(0, 30))
def test_a_text_that_is_cut_keeps_its_ends(text: str, to: int) -> None:
    for cut in (cropped_middle, cropped_start):
        short = cut(escaped(text), to)
        assert cell_len(short) <= to
        assert short == escaped(text) or "…" in short or to == 0


@given(st.text(alphabet="ab 世0\u0300\ufe0f", max_size=60), st.integers(2, 20))
def test_wrapped_lines_fit_and_lose_nothing_but_spaces(text: str, to: int) -> None:
    lines = wrap(text, to)
    assert all(cell_len(line) <= to for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    spans = wrap_spans([(text, "dim"), (text, "")], to)
    assert all(width(line) <= to for line in spans)
    assert "".join(part for line in spans for part, _ in line).replace(" ", "") == 2 * text.replace(" ", "")
