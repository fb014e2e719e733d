"""Front matter is kept as written and can never cost the body."""

from __future__ import annotations

import random

import pytest

from ctxcache.builder.sources.front_matter import front_matter

BODY = "# Body\n\ntext\n"


def read(block: str) -> dict[str, str]:
    """The metadata of a YAML block, in which nothing may be wrong."""
    text = f"---\n{block}\n---\n{BODY}"
    found = front_matter(text)
    assert found.problem is None
    assert text[found.end :] == BODY
    return found.metadata


@pytest.mark.parametrize(
    "value",
    [
        *("2024-01-02", "2024-01-02T03:04:05Z", "no", "yes", "on", "null", "~", "true", "1.10", "0123",),
        *("12:30:45", "0x1F", ".nan", ".inf", "-0", "1_000", "v2.10.1", "C#", "see #12", "1e3", "a: b",),
        *("it's", 'say "x"', "100 %", "% and @", "@home", "`code`", "| not a block", "日本語", "{a: 1}"),
        *("http://x.y/z?a=b#c",),
        *("[a, b]", "[2024-01-02, no, 1.10]", "a -- b", "- x", "*Bold* start", "! wow", "& co"),
    ],
)  # fmt: skip
def test_a_value_stays_as_written(value: str) -> None:
    assert read(f"key: {value}") == {"key": value}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('"a: b"', "a: b"),
        ("'it''s'", "it's"),
        (r'"say \"x\" \\ C:\new \u00e9 \ud800"', r'say "x" \ C:\new \u00e9 \ud800'),
        ('"a # b"  # comment', "a # b"),
        ("a  # comment", "a"),
        ("# only a comment", ""),
        ("", ""),
        ('""', ""),
        ("|\n  a\n   b\n\n  c\n", "a\n b\n\nc"),
        (">-\n  a\n  b\n\n  c", "a b\nc"),
        ("|  # as it stands\n  # a", "# a"),
        ("a\n  b\n  c", "a b c"),
        ('"a\n  b"', "a b"),
        ("\n  - a\n  - b: 1\n    c: 2", "- a\n- b: 1\n  c: 2"),
        ("\n- a\n- b", "- a\n- b"),
        ("\n  a: 1\n  b: 2", "a: 1\nb: 2"),
        ("[a,\n  b\n]", "[a, b ]"),
        ("&anchor\n  - a", "- a"),
        ("!!python/object/apply:os.system ['true']", "!!python/object/apply:os.system ['true']"),
    ],
)
def test_quotes_comments_and_folds_are_removed(written: str, value: str) -> None:
    """An escape other than of a quote or backslash stays: it could name half a character."""
    assert read(f"before: 1\nkey: {written}\nafter: 2") == {"before": "1", "key": value, "after": "2"}


def test_keys_are_those_of_the_top_level_in_order() -> None:
    block = "# about\ntitle: T\n\"quoted\": 1\n'single': 2\nexternal help file: a\nms.date: b\n"
    block += "og:title: c\nm:\n  n: d\nключ: e"
    assert list(read(block).items()) == [
        ("title", "T"),
        ("quoted", "1"),
        ("single", "2"),
        ("external help file", "a"),
        ("ms.date", "b"),
        ("og:title", "c"),
        ("m", "n: d"),
        ("ключ", "e"),
    ]


@pytest.mark.parametrize("before", ["", "\ufeff", "\n", "\r\n", "\ufeff\r\n \n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("closing", ["---", "...", "---  "])
def test_a_mark_and_line_ends_change_nothing(before: str, newline: str, closing: str) -> None:
    text = before + newline.join(["--- ", "title: T", "tags:", "  - a", closing, "# Body"])
    found = front_matter(text)
    assert found.metadata == {"title": "T", "tags": "- a"}
    assert found.problem is None
    assert text[found.end :] == "# Body"


def test_front_matter_may_be_empty_or_all_there_is() -> None:
    assert front_matter("---\n---\nx").end == 8
    assert front_matter("---\na: b\n---") == ({"a": "b"}, 12, None)


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", "---", "---\n", "---\n\n---\n", "text\n---\na: b\n---\n", "----\na: b\n----\n"),
        *("--- a\na: b\n---\n", "---\n\nSome text.\n\n---\n", "---\n# Heading\n---\n",),
        *("---\nSome text.\n", "---\n- a\n- b\n---\n"),
        *("---\n\nNote: a rule stands above.\n\n---\n", "---\n**Note:** x\n---\n", " ---\na: b\n---\n"),
        *("---\nNote: read this.\n\nA paragraph of prose.\n\n---\nmore\n", "---\nhttp://x.y\n---\n"),
    ],
)  # fmt: skip
def test_a_rule_in_line_1_is_not_front_matter(text: str) -> None:
    assert front_matter(text) == ({}, 0, None)


@pytest.mark.parametrize(
    ("block", "metadata", "problem"),
    [
        ('title: "unclosed\ndate: 1', {"date": "1"}, "line 2: title: the quotation mark is not closed"),
        ("title: 'a' b\ndate: 1", {"date": "1"}, "line 2: title: the quotation mark is not closed"),
        ("a: 1\nstray words\nb: 2", {"a": "1", "b": "2"}, "line 3: neither a key nor the continuation"),
        ("a: 1\n<<: *x\nb: 2", {"a": "1", "b": "2"}, "line 3: neither a key nor the continuation"),
        ("a: 1\na: 2", {"a": "1"}, "line 3: a is there twice"),
        ("a: [1, 2\nb: }", {"a": "[1, 2", "b": "}"}, None),
        ("a: {{ template }}\nb: {% if x %}", {"a": "{{ template }}", "b": "{% if x %}"}, None),
        ("a: b: c: d", {"a": "b: c: d"}, None),
        ("a:\tb", {"a": "b"}, None),
    ],
)
def test_malformed_front_matter_costs_a_line_at_most(
    block: str, metadata: dict[str, str], problem: str | None
) -> None:
    text = f"---\n{block}\n---\n{BODY}"
    found = front_matter(text)
    assert found.metadata == metadata
    assert text[found.end :] == BODY
    assert (found.problem or "").startswith(problem or "") and bool(found.problem) == bool(problem)


def test_comments_and_a_blank_line_may_come_before_the_first_key() -> None:
    assert read("# Generated: do not edit.\n#\n\ntitle: Page\n\ntags:\n- a") == {
        "title": "Page",
        "tags": "- a",
    }


@pytest.mark.parametrize("text", ["Author: me\nWhat else is said.", "What is said.", "- an item"])
def test_a_heading_between_rules_is_no_comment_of_front_matter(text: str) -> None:
    """As in slides: every line must be one of front matter."""
    assert front_matter(f"---\n# Slide\n\n{text}\n\n---\n{BODY}") == ({}, 0, None)


def test_front_matter_that_does_not_end_is_body() -> None:
    found = front_matter("---\ntitle: T\n\n# Body\n")
    assert (found.metadata, found.end) == ({}, 0)
    assert found.problem == "front matter has no closing ---"
    assert "65536" in (front_matter("---\n" + "a: b\n" * 20000 + "---\n").problem or "")


BOMB = 'a: &a ["lol","lol"]\n' + "\n".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "block",
    [
        BOMB,
        "base: &b\n  x: 1\nkey: *b",
        "key:\n  - &a x\n  - *a",
        "key:\n  <<: *a",
        "key: {a: *b}",
        "key: " + "[" * 3000 + "]" * 3000,
        "key: " + "{a: " * 3000 + "}" * 3000,
        "key:\n  " + "- " * 3000 + "x",
        "key:\n" + "\n".join(" " * (n + 1) + f"k{n}:" for n in range(300)),
        "key:\n  " + "? " * 3000 + "x",
    ],
)
def test_bombs_are_refused_and_cost_no_body(block: str) -> None:
    text = f"---\ntitle: T\n{block}\n---\n{BODY}"
    found = front_matter(text)
    assert found.metadata["title"] == "T"
    assert "key" not in found.metadata and "i" not in found.metadata
    assert "aliases are not read" in (found.problem or "") or "nested deeper" in (found.problem or "")
    assert text[found.end :] == BODY


@pytest.mark.parametrize(
    "unit",
    [
        " ",
        "#",
        " #",
        "'",
        '"',
        '"\\',
        "*",
        "*a, ",
        "- ",
        "[",
        "a: ",
        ":",
        "\n",
        "\r",
        "\n ",
        "\n- ",
        "\n#",
        "&a ",
        "!",
    ],
)
@pytest.mark.parametrize(
    "start", ["---\na: ", "---\na: [", '---\na: "', "---\na:\n  - ", "+++\na = ", "---\n"]
)
def test_the_time_is_bounded(start: str, unit: str) -> None:
    """A quadratic step would take minutes here."""
    front_matter(start + unit * (60000 // len(unit)) + "\n" + start[:3] + "\nx")


def test_toml_front_matter_is_kept_as_written_too() -> None:
    text = (
        '+++\ntitle = "A # \\"b\\""\ndate = 2024-01-02T03:04:05Z  # when\n'
        'n = 1_000\ntags = [\n  "a",\n  "b",\n]\nlong = """\na\nb"""\n\n[params]\nx = 1\ny = 2\n+++\nbody'
    )
    found = front_matter(text)
    assert found.metadata["title"] == 'A # "b"'
    assert found.metadata["date"] == "2024-01-02T03:04:05Z"
    assert found.metadata["n"] == "1_000"
    assert found.metadata["tags"] == '[ "a", "b", ]'
    assert found.metadata["long"] == "a b"
    assert found.problem is None
    assert text[found.end :] == "body"


def test_no_text_breaks_the_reader() -> None:
    """Whatever the text, an end within it and strings that can be written as UTF-8."""
    chance = random.Random(7)
    atoms = [
        "---\n",
        "---\r\n",
        "...",
        "a: ",
        "b:",
        "- ",
        "  ",
        "\n",
        "\n",
        '"',
        "'",
        "[",
        "]",
        "{",
        "}",
        "*x",
        "&x ",
        "#",
    ]
    atoms += ["|\n", ">\n", ": ", "\t", "é", "+++\n", "k = ", "\ufeff", "\\", "!", "text", "\x00", "\u2028"]
    for _ in range(20000):
        text = "---\n" + "".join(chance.choices(atoms, k=chance.randint(0, 20)))
        found = front_matter(text)
        assert 0 <= found.end <= len(text)
        assert found.end or not found.metadata
        assert "".join(found.metadata.values()).encode() is not None


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: ~\n---\n", ""),
        ("---\ntitle: null\n---\n", ""),
        ("---\ntitle: NULL\n---\n", ""),
        ("---\ntitle:\n---\n", ""),
        ("---\nTitle: Capital\n---\n", "Capital"),
        ("---\nTITLE: Capitals\n---\n", "Capitals"),
        ("---\nTitle: Other\ntitle: One\n---\n", "One"),
        ("---\nTitle: Other\ntitle: ~\n---\n", "Other"),
        ("---\n\U0001f680: x\ntitle: After\n---\n", "After"),
        ("---\n$schema: x\ntitle: After\n---\n", "After"),
        ("---\n.hidden: x\ntitle: After\n---\n", "After"),
        ('+++\nweight = 1\n[menu]\ntitle = "Entry"\n+++\n', ""),
        ('+++\ntitle = "A"\n[menu.main]\ntitle = "B"\n[[x]]\ntitle = "C"\n+++\n', "A"),
    ],
)
def test_the_title_of_the_page(text: str, title: str) -> None:
    """Null is none, any case will do, and what stands in a table is not the page's."""
    front = front_matter(f"{text}# Heading\n")
    assert (front.title, front.problem, front.end) == (title, None, len(text))


@pytest.mark.parametrize("line", ["**Note: a**", "> a: b", "- a: b", "<b>: c", "`a`: b", "[a]: b", "* a: b"])
def test_marked_up_text_between_rules_is_no_front_matter(line: str) -> None:
    assert front_matter(f"---\n{line}\n---\n").end == 0
