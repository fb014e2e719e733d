"""YAML 1.2 core, with limits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcache.yamlio import MAX_DEPTH, YamlError, load, resolve_plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("y", "y"),
        ("true", True),
        ("False", False),
        ("tRue", "tRue"),
        ("null", None),
        ("~", None),
        ("", None),
        ("nULL", "nULL"),
        ("2026-02-13", "2026-02-13"),
        ("2026-02-13T10:00:00Z", "2026-02-13T10:00:00Z"),
        ("12:30:45", "12:30:45"),
        ("0123", 123),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("-7", -7),
        ("1.10", 1.1),
        ("12345678", 12345678),
        ("1234e567", math.inf),
        ("12e4", 120000.0),
        ("0badcafe", "0badcafe"),
        ("-.inf", -math.inf),
        (".", "."),
        ("=", "="),
        ("<<", "<<"),
    ],
)
def test_a_plain_scalar_means_what_the_core_schema_says(text: str, value: object) -> None:
    assert resolve_plain(text) == value
    assert type(resolve_plain(text)) is type(value)
    assert load(f"[{text}, a]")[0] == value if text else True  # type: ignore[index]  # a list


def test_not_a_number_is_one() -> None:
    value = resolve_plain(".NaN")
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: !!str 12", {"a": "12"}),
        ("a: ! 12", {"a": "12"}),
        ("a: !!int '12'", {"a": 12}),
        ("a: &x one\nb: *x", {"a": "one", "b": "one"}),
        ("? a\n: b", {"a": "b"}),
        ("a: [b, {c: d}]", {"a": ["b", {"c": "d"}]}),
        ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
        ("a: >-\n  x\n  y\n", {"a": "x y"}),
        ('a: "x\n  y"', {"a": "x y"}),
        ("%YAML 1.2\n---\na: b\n...\n", {"a": "b"}),
        ("<<: {a: b}", {"<<": {"a": "b"}}),
    ],
)
def test_the_general_reader_reads_all_of_yaml(text: str, value: object) -> None:
    assert load(text) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\na: 2", "line 2: the key 'a' stands twice"),
        ("1: a", "line 1: a key that is not a string"),
        ("? [a]\n: b", "a key that is not a string"),
        ("a: *x", "line 1: the alias [*]x stands for nothing"),
        ("a: &x [*x]", "the alias [*]x"),
        ("a: !!timestamp 2026-01-01", "the tag"),
        ("a: !!int x", "the tag"),
        ("a: !!set {b}", "the tag"),
        ("a: b: c", "line 1: "),
        ("---\n---\n", "several documents"),
        ("", "the file is empty"),
        ("[" * (MAX_DEPTH + 1), f"nested more than {MAX_DEPTH} deep"),
        ('a: "\\ud800"', "invalid Unicode character|lone surrogate"),
        ('a: "\\U00110000"', "line 1: found invalid Unicode"),
        ('a: "\\Uffffffff"', "line 1: found invalid Unicode"),
        ("a: \x07", "not YAML|special characters"),
    ],
)
def test_what_is_refused_says_why_and_where(text: str, said: str) -> None:
    with pytest.raises(YamlError, match=said):
        load(text)


def test_aliases_expand_to_a_bounded_size() -> None:
    """Weighed before anything is expanded: a megabyte, a thousand times over."""
    with pytest.raises(YamlError, match="expands to too much"):
        load("a: &a " + "x" * 30_000 + "\nb: [" + "*a, " * 1000 + "]")


def test_a_line_has_a_length_that_can_be_parsed_in_time() -> None:
    with pytest.raises(YamlError, match="line 2: longer than 32768 characters"):
        load("a: b\nc: " + "!" * 40_000)


PIECES = st.sampled_from(
    [
        *(
            "a",
            "b: ",
            "- ",
            "? ",
            ": ",
            "\n",
            "\n  ",
            "[",
            "]",
            "{",
            "}",
            ", ",
            "'",
            '"',
            "| ",
            "|-\n",
            ">\n",
        ),
        *("&a ", "*a", "!t ", "! ", "!!str ", "# c", "---\n", "...\n", "%YAML 1.2\n", "\\", "\t", "é", "12"),
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_any_text_is_a_value_or_one_line_of_error(text: str) -> None:
    """Whatever a parser does with a text, no other exception leaves."""
    try:
        load(text)
    except YamlError as error:
        assert "\n" not in str(error)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_the_pure_parser_reads_what_libyaml_reads(text: str) -> None:
    """A PyYAML without libyaml gives the same value wherever both give one."""
    with pytest.MonkeyPatch.context() as patch:
        fast = _value(text)
        patch.delattr("yaml.CSafeLoader", raising=False)
        slow = _value(text)
    assert slow is None or fast is None or repr(slow) == repr(fast)


def _value(text: str) -> list[object] | None:
    try:
        return [load(text)]
    except YamlError:
        return None
