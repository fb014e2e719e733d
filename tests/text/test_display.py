"""Untrusted text on its way to a terminal, and numbers with their nouns."""

from __future__ import annotations

import unicodedata

import pytest

from ctxcache.text.display import escape_control, pluralize


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\x9bb", r"a\x9bb"),
        ("a\r\n\tb", r"a\r\n\tb"),
        ("exe\u202egpj", r"exe\u202egpj"),
        ("pay\u200bpal", r"pay\u200bpal"),
        ("\ufeffmark", r"\ufeffmark"),
        ("\udcff", r"\udcff"),
        ("\U000e0041", r"\U000e0041"),
        ("line\u2028break", r"line\u2028break"),
    ],
)
def test_what_acts_or_hides_is_spelled_out(raw: str, shown: str) -> None:
    assert escape_control(raw) == shown


@pytest.mark.parametrize("text", ["", "plain", "Größe", "部署", "naïve café", "🚀 ok", "items[/]", "\ufffd"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert escape_control(text) == text


def test_newlines_and_tabs_stay_where_asked() -> None:
    assert escape_control("a\n\tb\x07", newlines=True) == "a\n\tb\\x07"


def test_no_control_format_or_surrogate_character_gets_through() -> None:
    """The fixed set is at least what this Python's Unicode table calls by these names, but for the marks
    that prefix numbers in some scripts, which are drawn."""
    drawn = ("ARABIC ", "SYRIAC ", "KAITHI ", "EGYPTIAN ")
    hiding = [
        character
        for character in map(chr, range(0x110000))
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        and not unicodedata.name(character, "").startswith(drawn)
    ]
    assert escape_control("".join(hiding)).isascii()


def test_one_is_not_plural() -> None:
    assert pluralize(1, "document") == "1 document"
    assert pluralize(1204, "document") == "1,204 documents"
