"""What a notebook shows: the figures of the objects, as HTML that no document can break."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import ctxcache
from ctxcache.builder.config import BuildConfig

HANDBOOK = Path(__file__).parents[2] / "sample_caches" / "handbook"
HOSTILE = "<script>alert('x')</script> \"&amp; \x1b[31m\u202e"
TAGS = {"div", "b", "small", "span", "table", "thead", "tbody", "tr", "th", "td"}


class Reader(HTMLParser):
    """Texts, tags, and whether each tag is closed in its turn."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """A tag opens."""
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        """The last tag closes."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """A text."""
        self.text += data


@pytest.fixture(scope="module")
def handbook() -> ctxcache.Cache:
    return ctxcache.open_cache(HANDBOOK)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> ctxcache.Cache:
    """A cache whose ids are markup and control characters."""
    folder = tmp_path_factory.mktemp("hostile")
    documents = [ctxcache.GivenText(f"{HOSTILE}{n}", HOSTILE, f"{HOSTILE} words {n}") for n in range(3)]
    ctxcache.build(documents, folder / "cache", config=BuildConfig(tokenizer="bytes4"), jobs=1)
    return ctxcache.open_cache(folder / "cache")


def test_a_result_shows_its_documents_and_the_budget(handbook: ctxcache.Cache) -> None:
    result = handbook.resolve("roll back a deployment")
    shown = Reader(result._repr_html_())
    assert f"{result.tokens_used:,} of 4,000 tokens" in shown.text
    assert all(each.id in shown.text for each in result.documents[:20])
    assert f"{result.documents_excluded_by_budget:,} more match and did not fit" in shown.text


def test_an_explanation_shows_what_each_word_gives(handbook: ctxcache.Cache) -> None:
    """The bars of the first document are as long as a bar can be, but for what no word gives."""
    explained = handbook.explain("roll back a deployment", 1000)
    html = explained._repr_html_()
    first = html.partition("<tbody>")[2].partition("</tr>")[0]
    widths = [float(width) for width in re.findall(r"width:([\d.]+)px", first)]
    assert sum(widths) == pytest.approx(160, abs=1)
    assert {"roll", "back", "deployment"} <= set(re.findall(r'title="([^"]+)"', first))
    assert f"{len(explained):,} match" in Reader(html).text


def test_a_comparison_shows_what_entered_and_left(handbook: ctxcache.Cache) -> None:
    before, after = handbook.explain("roll back a deployment", 600), handbook.explain("on call", 600)
    shown = Reader(ctxcache.compare(before, after)._repr_html_())
    assert "roll back a deployment → on call" in shown.text
    assert "entered" in shown.text
    assert "left" in shown.text


def test_documents_of_the_older_format_are_shown_too() -> None:
    older = ctxcache.open_cache(HANDBOOK.with_name("handbook-v0"))
    explained = older.explain("roll back", 2000)
    assert "deploy/rollback.md" in Reader(older.resolve("roll back", 2000)._repr_html_()).text
    assert "deploy/rollback.md" in Reader(explained._repr_html_()).text


def test_no_document_and_no_query_can_break_the_markup(hostile: ctxcache.Cache) -> None:
    query = f"words {HOSTILE}"
    explained = hostile.explain(query, 100)
    for html in (
        hostile.resolve(query, 100)._repr_html_(),
        explained._repr_html_(),
        ctxcache.compare(explained, hostile.explain(HOSTILE, 1))._repr_html_(),
    ):
        shown = Reader(html)
        assert shown.tags <= TAGS
        assert "<script>" in shown.text
        assert not {"\x1b", "\u202e"} & set(html)


def test_nothing_chosen_and_no_budget_are_shown(hostile: ctxcache.Cache) -> None:
    assert "0 of 0 tokens" in Reader(hostile.resolve("words", 0)._repr_html_()).text
    assert "0 match" in Reader(hostile.explain("nothing", None)._repr_html_()).text
