"""YAML 1.2 core, read by two readers that never disagree."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcache.scopes.yaml_core import MAX_DEPTH, YamlError, load, resolve_plain
from ctxcache.scopes.yaml_simple import NotSimple, load_simple


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
        ('a: "\\ud800"', "lone surrogate"),
        ('a: "\\U00110000"', "not YAML"),
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


# the fast reader

WORDS = st.sampled_from(
    [
        *(
            "a",
            "b_c",
            "null",
            "12",
            "no",
            "x y",
            "a: b",
            "a #b",
            "#b",
            "a:b",
            "- a",
            "-",
            "é",
            "\u2028",
            "\xa0",
        ),
        *(
            "'",
            '"',
            "\\n",
            '"x"',
            "'x'",
            '"a\\tb"',
            "'it''s'",
            "|",
            "|-",
            ">",
            "[]",
            "{}",
            "&a",
            "*a",
            "!t",
            "%",
        ),
        *(
            "...",
            "---",
            "?",
            "? a",
            "a:",
            "a :",
            "  ",
            "\t",
            "@",
            "`",
            ",",
            "$x",
            "(y)",
            "0x1f",
            ".5",
            "~",
            "=",
            "<<",
        ),
    ]
)
LINES = st.builds(
    lambda indent, dash, key, value, end: " " * indent + dash + key + value + end,
    st.integers(0, 5),
    st.sampled_from(["", "", "- ", "-  "]),
    st.sampled_from(["", "a: ", "b: ", "c:", "d:  ", "null: ", "A: "]),
    st.one_of(st.just(""), WORDS, st.text("ab:# '\"-\\|", max_size=6)),
    st.sampled_from(["", "", " ", " # note"]),
)
TEXTS = st.builds(
    lambda lines, end: "\n".join(lines) + end, st.lists(LINES, max_size=7), st.sampled_from(["", "\n"])
)


@settings(max_examples=500, deadline=None)
@given(TEXTS)
def test_the_fast_reader_reads_what_the_general_one_reads(text: str) -> None:
    try:
        fast = load_simple(text)
    except NotSimple:
        return
    assert repr(load(text)) == repr(fast)


RECORD_LINES = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "  ", "- ", "  - ", "    "]),
    st.sampled_from(["a: ", "b: ", "c: ", "d:", "null: ", ""]),
    st.sampled_from(["x", '"y: z"', "12", "'q'", '"\\t"', ""]),
    st.sampled_from(["\n"] * 6 + ["\n\n", "\n    # note\n", " # note\n"]),
)


@settings(max_examples=1000, deadline=None)
@given(st.lists(RECORD_LINES, max_size=9).map("".join))
def test_runs_of_fields_and_records_end_where_they_end(text: str) -> None:
    """Lines that nearly always fit, so that runs are long and what breaks them comes late."""
    try:
        fast = load_simple("top: 1\nlist:\n" + text)
    except NotSimple:
        return
    assert repr(load("top: 1\nlist:\n" + text)) == repr(fast)


def test_the_fast_reader_knows_the_everyday_forms() -> None:
    """It must not quietly become the slow one."""
    text = (
        "# a comment\nversion: 1\nsummary: Berths: see 'x'\n".replace(": see", " -- see")
        + "plain: no\ndate: 2026-02-13T10:00:00Z\nquoted: \"a\\tb\"\nsingle: 'it''s'\n\n"
        'files:\n- name: a.py\n  purpose: "One: two"\n- name: b.py\n  purpose: Two\n'
        'list:\n  - one\n  - "two"\n  # note\n  - 3\nmap:\n  inner:\n    - x\nempty:\n'
        "block: |-\n  x\n    y\nkept: |\n  z\n"
        "mixed:\n  - name: a\n    why: b\n  - name: c\n    why: |-\n      d\n  - name: e\n"
    )
    assert load_simple(text) == load(text)


@pytest.mark.parametrize(
    "text", ["a: {b: c}", "a: >\n  b\n", "a: b # c", "a: b\n  c", "a:\tb", "a: *b", "\ufeffa: b"]
)
def test_the_fast_reader_leaves_the_rest_alone(text: str) -> None:
    with pytest.raises(NotSimple):
        load_simple(text)
