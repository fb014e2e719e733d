"""TOML of others is read within limits, or refused in one line."""

from __future__ import annotations

import tomllib

import pytest

from ctxcache.tomlio import MOST_PARTS, key_parts, parse, statements


@pytest.mark.parametrize(
    "text",
    ["x = " + "[" * 5_000, "x = " + "9" * 5_000, "a." * 100_000 + "a = 1", "[" + '"a".' * 300 + "a]"],
    ids=["deep", "digits", "dots", "quoted"],
)
def test_what_would_take_long_or_break_the_parser_is_refused(text: str) -> None:
    """`tomllib` ends in a RecursionError, a sentence about Python, or after minutes."""
    with pytest.raises(ValueError, match=r"^(nested|a number|a key)") as refused:
        parse(text)
    assert "\n" not in str(refused.value) and "sys." not in str(refused.value)


def test_dots_that_part_no_key_are_not_counted() -> None:
    dots = "." * (MOST_PARTS + 1)
    text = f'a = "{dots}" # {dots}\nb = [{"1.5, " * 300}]\nc = """\n{dots}\n"""\n'
    assert parse(text) == tomllib.loads(text)


def test_statements_are_found_where_they_stand() -> None:
    text = '# c\n[a."b.c"]  # d\nx = [\n  1, # ]\n]\ny = """\n[z]\n"""\n'
    assert [text[one.start : one.end] for one in statements(text)] == [
        '[a."b.c"]',
        "x = [\n  1, # ]\n]",
        'y = """\n[z]\n"""',
    ]
    assert key_parts('a."b.c"') == ["a", "b.c"]
