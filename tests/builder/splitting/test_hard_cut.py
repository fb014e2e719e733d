"""What has no break in it is cut all the same, so that each part of it can be delivered."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcache.builder.splitting.sections import Section, split
from ctxcache.text import TokenCounter, token_counter

CHARACTERS = TokenCounter(len, "")
_ROWS = [f"| E{number:04} | what it means |" for number in range(1, 101)]
_TABLE = "\n".join(["# Errors", "", "| code | meaning |", "|------|---------|", *_ROWS, ""])


def _cut(text: str, limit: int = 400, kind: str = "markdown") -> list[Section]:
    sections = split(text, kind=kind, max_tokens=limit, counter=CHARACTERS)
    assert "".join(section.text for section in sections) == text
    return sections


def test_a_table_is_cut_at_row_ends_and_says_which_rows_a_part_holds() -> None:
    """The header row is none, and no byte is repeated; each part stands under the table's heading."""
    sections = _cut(_TABLE)
    assert [section.part for section in sections[:3]] == ["rows 1 to 13", "rows 14 to 28", "rows 29 to 43"]
    assert all(section.heading_path == ("Errors",) for section in sections)
    assert [section.slug for section in sections[:3]] == ["errors", "errors-1", "errors-2"]
    assert [bool(section.headings) for section in sections[:3]] == [True, False, False]
    for section in sections:
        assert len(section.text) == section.tokens <= 400
        assert section.text.endswith("|\n")


@pytest.mark.parametrize(
    ("kind", "line", "unit"),
    [
        ("markdown", "- item {}\n", "items"),
        ("markdown", "{}. item\n", "items"),
        ("markdown", "some text {}\n", "lines"),
        ("text", "{},value,of a row\n", "lines"),
        ("text", "Ann: says {}\n", "lines"),
        ("asciidoc", "|{} |value\n", "rows"),
        ("rst", "line {} of a paragraph\n", "lines"),
    ],
)
def test_lists_transcripts_and_rows_are_cut_at_line_ends(kind: str, line: str, unit: str) -> None:
    sections = _cut("".join(line.format(number) for number in range(1, 201)), 300, kind)
    assert len(sections) > 5
    for section in sections:
        assert section.text.endswith("\n")
        assert section.part.startswith(unit)
        assert section.tokens <= 300 * 9 // 8


@pytest.mark.parametrize("opening", ["```python\n", "~~~\n", "<pre>\n", "- ```\n"])
def test_code_is_cut_at_line_ends(opening: str) -> None:
    """The opening line is repeated nowhere."""
    text = opening + "".join(f"  key{number} = value\n" for number in range(200))
    sections = _cut(text, 300)
    assert len(sections) > 10
    assert sum(opening in section.text for section in sections) == 1


def test_a_block_up_to_twice_the_limit_stays_whole() -> None:
    """The boundary itself: a block of exactly twice the limit is not cut, one token more is."""
    line = "a" * 49 + "\n"
    assert len(_cut(line * 8, 200)) == 1
    assert [len(section.text) for section in _cut(line * 8 + "b", 200)] == [200, 201]


def test_a_last_crumb_joins_the_part_before_it() -> None:
    """A crumb is below an eighth of the limit; what is an eighth stands alone."""
    line = "a" * 39 + "\n"
    assert [len(section.text) for section in _cut(line * 12 + "b" * 24, 200)] == [200, 200, 104]
    assert [len(section.text) for section in _cut(line * 15 + "b" * 24, 200)] == [200, 200, 224]
    assert [len(section.text) for section in _cut(line * 15 + "b" * 25, 200)] == [200, 200, 200, 25]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("It is so. " * 60, "."),
        ('He said "no!" ' * 60, '"'),
        ("Is it (so?) " * 60, ")"),
        ("これは文です。" * 60, "。"),
        ("word " * 120, "d"),
        ('{"id":7,"tags":["a","b"]},' * 40, "},"),
        ('"key":"value",' * 80, ","),
        ("名前が値で，" * 60, "，"),  # noqa: RUF001 - the full-width comma is meant
        ("part-" * 200, "-"),
        ("x" * 1000, "x"),
    ],
)
def test_a_long_line_is_cut_at_the_best_place_that_it_has(text: str, ends: str) -> None:
    sections = _cut(text.strip(), 100)
    assert len(sections) > 3
    assert all(section.text.endswith(ends) and section.tokens <= 112 for section in sections)
    assert sections[1].part == "line 1, part 2"


def test_an_embedded_image_does_not_take_its_paragraph_with_it() -> None:
    """A `data:` URI is a part of its own, undeliverable, and the text around it is not."""
    uri = "data:image/png;base64," + "iVBORw0KGgo" * 300
    text = f"# Logo\n\nThe walrus is our logo.\n![logo]({uri})\nThe quokka is not.\n"
    before, image, after = _cut(text, 400)
    assert before.text.endswith("![logo](")
    assert image.text == f"{uri})\n"
    assert after.text == "The quokka is not.\n"


def test_a_small_text_after_an_image_is_no_crumb_of_it() -> None:
    uri = "data:image/svg+xml,%3Csvg%20" + "A" * 2000
    assert [section.text[:5] for section in _cut(f"a ![x]({uri}) end", 400)] == ["a ![x", "data:", "end"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_numbers_and_ends_hold_for_every_kind_of_line_end(end: str) -> None:
    sections = _cut(end.join(["# H", "", *("a" * 20 for _ in range(60))]), 200)
    assert [section.line for section in sections] == [
        1 + sum(len(before.text.split(end)) - 1 for before in sections[:number])
        for number in range(len(sections))
    ]
    assert sections[1].part.startswith(f"lines {sections[1].line} to ")


@given(st.text(alphabet=" \n\r.!a。é|-\U0001f600", max_size=400), st.integers(4, 60))
def test_parts_keep_to_the_limit(text: str, limit: int) -> None:
    """But for a last crumb, and a block that is not above twice the limit."""
    for section in split(text, kind="markdown", max_tokens=limit, counter=CHARACTERS):
        assert section.tokens == len(section.text)
        if section.part:
            assert section.tokens <= max(limit, 64) + limit // 8


def test_parts_of_a_real_encoding_stay_near_the_limit() -> None:
    """The sum of its fragments' counts is what a part is measured by; its own count is exact."""
    counter = token_counter("o200k_base")
    text = "".join(f"key{number}: value of the key {number * 7919}\n" for number in range(500))
    sections = split(text, kind="markdown", max_tokens=300, counter=counter)
    assert len(sections) > 10
    assert all(section.tokens == counter(section.text) <= 310 for section in sections)


def test_a_sentence_of_exactly_the_limit_is_not_cut_further() -> None:
    """And a data: URI within the limit is text like any other."""
    sentence = "word " * 19 + "end."
    assert _cut(f"{sentence} {sentence[:-2]}. x" * 2, 99)[0].text == sentence
    uri = "data:image/gif;base64,R0lGOD"
    assert f"({uri})" in _cut(f"a ({uri}) b. " + "word " * 60, 100)[0].text


def test_a_heading_path_is_shortened_at_its_boundary() -> None:
    """300 characters of a heading are shown; one more is one too many."""
    for length, shown in ((299, 299), (300, 300), (301, 300)):
        text = f"# {'h' * length}\n\n{'words ' * 40}\n\n## B\n\n{'words ' * 40}\n"
        assert [len(section.heading_path[0]) for section in _cut(text, 600)] == [shown, shown]


def test_a_later_part_stands_below_all_headings_of_its_block() -> None:
    sections = _cut("# A\n\n## B\n\n" + "a line\n" * 100, 200)
    assert [section.heading_path for section in sections[:2]] == [("A",), ("A", "B")]
    assert [section.slug for section in sections[:3]] == ["a", "b-1", "b-2"]


@pytest.mark.parametrize("blank", [" ", "\t", "\u00a0"], ids=["spaces", "tabs", "no-break spaces"])
def test_a_line_of_blanks_takes_a_time_that_grows_with_its_length(blank: str) -> None:
    """No part of it looks for the end of all of them, which for these took minutes."""
    began = process_time()
    sections = _cut(blank * 3_000_000 + "x")
    assert len(sections) > 7_000
    assert process_time() - began < 30


@given(st.text("ab. \t_,\u00a0\x1c", max_size=300), st.sampled_from(["", " ", "\t" * 130]))
def test_white_space_at_the_end_of_a_line_stays_with_what_is_before_it(text: str, end: str) -> None:
    sections = _cut(f"x{text}x{end}", 64)
    assert all(section.text.strip() for section in sections[1:])
