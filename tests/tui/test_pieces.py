"""Text cut and padded by what a terminal draws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxcache.tui.pieces import count, cropped, padded, short_id, shown, size


@given(st.text(max_size=40), st.integers(0, 30))
def test_padding_takes_exactly_the_cells_that_it_says(text: str, to: int) -> None:
    """Wide and combining characters included, or columns would not stand below each other."""
    assert cell_len(padded(shown(text), to)) == to
    assert cell_len(cropped(shown(text), to)) <= to


def test_an_id_loses_its_folders_before_its_name() -> None:
    assert short_id("deploy/rollback.md#when", 40) == "deploy/rollback.md#when"
    assert short_id("handbook/deploy/rollback.md#when", 20) == "…/rollback.md#when"
    assert short_id("handbook/deploy/rollback.md#when-to-roll-back", 20) == "…/rollback.md#when-…"
    assert short_id("rollback.md#when-to-roll-back", 12) == "rollback.md…"


def test_untrusted_text_is_spelled_out_and_cut() -> None:
    assert shown("a\x1b[31m\nb") == r"a\x1b[31m\nb"
    assert len(shown("x" * 10_000)) == 2001


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 B"), (812, "812 B"), (4200, "4.2 kB"), (601_000, "601 kB"), (1.3e9, "1.3 GB")]
)
def test_sizes_are_short(number: int, text: str) -> None:
    assert size(number) == text


def test_one_is_not_plural() -> None:
    assert count(1, "document") == "1 document"
    assert count(1204, "document") == "1,204 documents"
