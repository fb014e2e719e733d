"""Judged queries: reading them, and the figures of a cache on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.inputs import read_corpus
from ctxcache.errors import IoError, UsageError
from ctxcache.resolver.evaluate import evaluate, read_qrels, read_queries

if TYPE_CHECKING:
    from pathlib import Path

    from ctxcache import Cache


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """Two pages on one thing, one of them in sections, and one on another."""
    lines = [
        '{"_id": "a.md", "title": "Rollback", "text": "roll back a deployment"}',
        '{"_id": "b.md", "title": "", "text": "' + "# Deploy\\\\n\\\\n" + "deployment steps. " * 200 + '"}',
        '{"_id": "c.rst", "text": "pager"}',
    ]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines), "utf-8")
    texts = read_corpus(tmp_path / "corpus.jsonl")
    ctxcache.build(texts, tmp_path / "cache", config=BuildConfig(tokenizer="bytes4", max_tokens=100))
    return ctxcache.open_cache(tmp_path / "cache")


def test_figures_are_those_of_files_however_they_are_split(cache: Cache) -> None:
    judged = {"1": {"b.md": 1}, "2": {"c.rst": 2, "a.md": 0, "gone.md": 1}, "3": {"a.md": 0}}
    queries = {"1": "deployment steps", "2": "pager", "3": "deployment", "4": "not judged"}
    found = evaluate(cache, queries, judged, budget=50)
    assert list(found.queries) == ["1", "2", "3"]
    assert found.queries["1"]["mrr"] == found.queries["1"]["recall@100"] == 1.0
    assert found.queries["2"]["recall@100"] == found.queries["2"]["recall@budget"] == 0.5
    assert set(found.queries["3"].values()) == {0.0}
    assert found.means["mrr"] == pytest.approx(2 / 3)
    assert found.unknown == ["gone.md"]
    assert '"mrr": 0.666667' in found.to_pretty()


def test_a_budget_of_nothing_finds_nothing(cache: Cache) -> None:
    found = evaluate(cache, {"1": "pager"}, {"1": {"c.rst": 1}}, budget=0)
    assert found.queries["1"]["recall@budget"] == 0.0 and found.queries["1"]["recall@100"] == 1.0


def test_queries_are_objects_or_plain_lines(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(
        '\ufeff{"_id": "x", "text": "one"}\n\n{"_id": "y", "text": ""}\n', "utf-8"
    )
    (tmp_path / "q.txt").write_text("one\n# a comment\n\ntwo words\r\n", "utf-8")
    assert read_queries(tmp_path / "q.jsonl") == {"x": "one", "y": ""}
    assert read_queries(tmp_path / "q.txt") == {"1": "one", "4": "two words"}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("q.jsonl", '{"_id": "x", "text": "one"}\n[]\n', "q.jsonl:2: not a JSON object"),
        ("q.jsonl", "{", "q.jsonl:1: not a JSON object"),
        ("q.jsonl", '{"_id": "x"}', 'q.jsonl:1: needs a new "_id" and a "text"'),
        ("q.jsonl", '{"_id": "x", "text": ""}\n{"_id": "x", "text": ""}', "q.jsonl:2: needs a new"),
        ("q.tsv", "query-id\tcorpus-id\tscore\na\tb\n", "q.tsv:2: not `query-id, corpus-id, score`"),
        ("q.tsv", "a\tb\tone\n", "q.tsv:1: not `query-id"),
        ("q.tsv", "a\tb\t" + "9" * 5000, "q.tsv:1: not `query-id"),
        ("q.tsv", "a\tb\t²\n", "q.tsv:1: not `query-id"),
        ("q.tsv", "a" * (17 << 20), "q.tsv: line 1 is longer than 16,777,216 bytes"),
        ("q.jsonl", "\n" + " " * (17 << 20), "q.jsonl: line 2 is longer than 16,777,216 bytes"),
        ("corpus.jsonl", "{", "corpus.jsonl: not a JSON object on each line"),
        ("corpus.jsonl", "3", 'corpus.jsonl:1: needs an "_id" and a "text"'),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    read = {"q.jsonl": read_queries, "q.tsv": read_qrels, "corpus.jsonl": read_corpus}[name]
    with pytest.raises(UsageError, match=said.replace("[", r"\[")):
        read(tmp_path / name)


def test_judgements_may_have_a_header_and_may_be_negative(tmp_path: Path) -> None:
    (tmp_path / "q.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta.md\t2\n1\tb.md\t-1\n", "utf-8")
    assert read_qrels(tmp_path / "q.tsv") == {"1": {"a.md": 2, "b.md": -1}}


def test_a_file_that_is_not_there_is_an_io_error(tmp_path: Path) -> None:
    with pytest.raises(IoError, match="No such file"):
        read_queries(tmp_path / "none.jsonl")
    (tmp_path / "bytes.txt").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_queries(tmp_path / "bytes.txt")


def test_a_judgement_may_name_a_section_a_folder_or_a_pattern(tmp_path: Path) -> None:
    """Each counts once, where the first of its documents stands."""
    page = "# Pager\n\nThe pager wakes you.\n\n## Night\n\n" + "pager at night " * 30 + "\n"
    for name, text in {
        "a/one.md": page,
        "a/two.md": page.replace("wakes", "calls"),
        "b.md": "# Bee\n",
    }.items():
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_text(text)
    config = ctxcache.BuildConfig(tokenizer="bytes4", max_tokens=60)
    ctxcache.build(tmp_path / "docs", tmp_path / "cache", config=config)
    cache = ctxcache.open_cache(tmp_path / "cache")
    for name in ("a/one.md#night", "a/one.md", "a/", "two.md", "a/*.md"):
        found = evaluate(cache, {"1": "pager"}, {"1": {name: 1}}, budget=4000)
        assert found.unknown == [], name
        assert found.queries["1"]["recall@budget"] == found.queries["1"]["recall@100"] == 1, name
    assert evaluate(cache, {"1": "pager"}, {"1": {"a/": 1}}, budget=4000).queries["1"]["mrr"] == 1
    assert evaluate(cache, {"1": "pager"}, {"1": {"a/gone.md": 1}}, budget=4000).unknown == ["a/gone.md"]
