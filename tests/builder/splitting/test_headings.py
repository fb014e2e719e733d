"""The plain text of headings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcache.builder.splitting.headings import plain


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("`foo<T>` and **bold** *it* __too__ ~~old~~", "foo<T> and bold it too old"),
        ("[link](http://a.b/c_(d)) and [ref][1] and [none]", "link and ref and [none]"),
        ("[![badge](src)](url) Name", "badge Name"),
        ("[`Result[T]`](url)", "Result[T]"),
        ('BatchGetItem<a name="API_BatchGetItem"></a>', "BatchGetItem"),
        ("Features { #features }", "Features"),
        ("Past contributors {/*past-contributors*/}", "Past contributors"),
        ("low\\-level \\*API\\*", "low-level *API*"),
        ("snake_case_name, 2 * 3 * 4, *args", "snake_case_name, 2 * 3 * 4, *args"),
        ("AT&amp;T", "AT&T"),
        ("[[A note]] and [[folder/note|another]]", "A note and another"),
        ("The attribute [[nodiscard]] and `[[likely]]`", "The attribute nodiscard and [[likely]]"),
        ("<https://example.org>", "https://example.org"),
        ("two\tlines  of space", "two lines of space"),
    ],
)
def test_markdown_is_read_without_its_marks(written: str, read: str) -> None:
    assert plain(written, "markdown") == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (":mod:`!csv` --- CSV files", "csv --- CSV files"),
        (":func:`~os.path.join` and :ref:`here <label>`", "join and here"),
        ("`Title <url>`_ and ``*code*`` and *it* [#note]_", "Title and *code* and it"),
        ("Exception\\ s and __init__", "Exceptions and __init__"),
        ("The <stdin> file", "The <stdin> file"),
    ],
)
def test_restructuredtext_is_read_without_its_marks(written: str, read: str) -> None:
    assert plain(written, "rst") == read


def test_asciidoc_anchors_and_links_are_left_out() -> None:
    assert plain("[[id]]See link:http://a.b[the *tool*]", "asciidoc") == "See the tool"
    assert plain("See <<id,the *other*>> and <<next>>", "asciidoc") == "See the other and next"


@given(st.text(alphabet="ab `*_[]()<>{}#:\\!~&;\n"), st.sampled_from(["markdown", "rst", "asciidoc"]))
def test_any_heading_becomes_one_short_line(written: str, kind: str) -> None:
    read = plain(written, kind)
    assert read == " ".join(read.split())
    assert len(plain(written * 50, kind)) <= 300
