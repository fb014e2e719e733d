"""The pages of `--html`: one file each, no script, nothing from elsewhere, every text escaped."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

import ctxcache

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from subprocess import CompletedProcess

    Ctx = Callable[..., CompletedProcess[str]]

HOSTILE = '<script>alert("1")</script>\x1b[31m&amp;\u202e{{ 7 * 7 }}'
VOID = {"meta", "br", "line", "polyline"}
FETCHING = {"script", "link", "img", "iframe", "object", "embed", "form", "base"}


class _Checker(HTMLParser):
    """Notes the texts of a page, and fails where an element is not closed or would fetch something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.elements: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in FETCHING
        assert not {name for name, _ in attrs} & {"src", "href", "srcset", "action", "data"}
        assert not any(name.startswith("on") for name, _ in attrs)
        assert not any("url(" in (value or "") for _, value in attrs)
        self.elements.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def checked(file: Path) -> _Checker:
    """The page in a file, once it is found to be sound."""
    page = file.read_text("utf-8")
    assert "Content-Security-Policy" in page and "default-src 'none'" in page
    assert "@import" not in page and "url(" not in page and "\x1b" not in page and "\u202e" not in page
    checker = _Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    return checker


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two caches, of which the second has changed, with a page whose name and text are hostile."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "<b>&.md").write_text(f"# {HOSTILE}\n\nThe pager wakes you. {HOSTILE}\n", "utf-8")
    (docs / "rollback.md").write_text("# Roll back\n\nTo roll back, run `deploy rollback`.\n")
    config = ctxcache.BuildConfig(tokenizer="bytes4")
    ctxcache.build(docs, tmp_path / ".ctx/caches/before", config=config)
    (docs / "rollback.md").unlink()
    (docs / "<b>&.md").write_text(f"# {HOSTILE}\n\nThe pager wakes all of you. {HOSTILE}\n", "utf-8")
    (docs / "new.md").write_text("# New\n\nThe pager, again.\n")
    ctxcache.build(docs, tmp_path / ".ctx/caches/after", config=config)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_explanation_becomes_a_page(ctx: Ctx, project: Path) -> None:
    query = f"pager {HOSTILE}"
    ran = ctx("why", "-c", "after", "-q", query, "--html", "why.html")
    assert ran.returncode == 0
    page = checked(project / "why.html")
    assert "<b>&.md" in page.texts and "svg" in page.elements
    assert sum("{{ 7 * 7 }}" in text for text in page.texts) > 1
    assert ctx("why", "-c", "after", "-q", "nowhere", "--html", "why.html").returncode == 0
    assert "Nothing matches." in checked(project / "why.html").texts


def test_a_comparison_becomes_a_page(ctx: Ctx, project: Path) -> None:
    line = ("diff", "before", "after", "-q", "pager", "-q", "roll back", "--html", "diff.html")
    assert ctx(*line).returncode == 0
    texts = "".join(checked(project / "diff.html").texts)
    for expected in (
        "1 added",
        "1 removed",
        "1 changed",
        "-The pager wakes you",
        "+The pager wakes all of you",
    ):
        assert expected in texts
    assert "entered: not in the cache before" in texts and "left: no longer in the cache" in texts


def test_query_tests_become_a_page(ctx: Ctx, project: Path) -> None:
    (project / "tests.toml").write_text(
        f"[[tests]]\ncache = 'after'\nquery = {json.dumps(HOSTILE.replace(chr(27), ''))}\n"
        "expect = ['rollback.md']\n[[tests]]\ncache = 'after'\nquery = 'pager'\nexpect = ['new.md']\n"
    )
    assert ctx("test", "tests.toml", "--html", "test.html").returncode == 9
    texts = "".join(checked(project / "test.html").texts)
    assert "1 passed" in texts and "1 error" in texts and "no document of the cache has this name" in texts


def test_an_evaluation_becomes_a_page_with_the_curves_of_its_baseline(ctx: Ctx, project: Path) -> None:
    (project / "q.jsonl").write_text(
        json.dumps({"_id": "<1>", "text": HOSTILE}) + '\n{"_id": "2", "text": "pager"}\n', "utf-8"
    )
    (project / "r.tsv").write_text("query-id\tcorpus-id\tscore\n<1>\tgone.md\t1\n2\tnew.md\t1\n")
    line = ("eval", "q.jsonl", "--qrels", "r.tsv", "--html", "eval.html")
    assert ctx(*line, "-c", "before", "--save", "before.json").returncode == 0
    assert "Against the baseline" not in checked(project / "eval.html").texts
    assert ctx(*line, "-c", "after", "--baseline", "before.json").returncode == 0
    page = checked(project / "eval.html")
    texts = "".join(page.texts)
    assert "1 won" in texts and "0 lost" in texts and "gone.md" in texts
    assert page.elements.count("polyline") == 4
    saved = json.loads((project / "before.json").read_text())
    del saved["curve"]  # as older versions saved it
    (project / "before.json").write_text(json.dumps(saved))
    assert ctx(*line, "-c", "after", "--baseline", "before.json").returncode == 0
    assert checked(project / "eval.html").elements.count("polyline") == 2


def test_a_page_is_a_function_of_what_it_shows(ctx: Ctx, project: Path) -> None:
    """No clock, no path: a CI may compare two of them."""
    for name in ("a.html", "b.html"):
        assert ctx("why", "-c", "after", "-q", "pager", "--html", name).returncode == 0
    assert (project / "a.html").read_bytes() == (project / "b.html").read_bytes()


def test_a_page_that_cannot_be_written_is_refused_before_the_work(ctx: Ctx, project: Path) -> None:
    ran = ctx("why", "-c", "after", "-q", "pager", "--html", "no/such/why.html")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "there is no folder no/such to write it in" in ran.stderr
