"""Format 1 caches answer in the bytes of the program that they come from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig, Cache
from ctxcache.builder.compile import GivenText
from ctxcache.builder.report import SourceError
from ctxcache.errors import CacheInvalid, UsageError
from ctxcache.jsonio import decimal
from ctxcache.resolver.format1 import float32
from ctxcache.resolver.shares import Share

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = {
    "a.md": "Release notes, release plan",
    "b.md": "release",
    "c.md": "Something else entirely",
    "d.md": "",
    "e.md": "one release two",
}


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """A format 1 cache of five short documents."""
    texts = [GivenText(id_, "", content) for id_, content in TEXTS.items()]
    ctxcache.build(texts, tmp_path / "cache", config=BuildConfig(profile="v0"))
    return ctxcache.open_cache(tmp_path / "cache")


def test_scores_are_shares_of_words_as_32_bit_floats(cache: Cache) -> None:
    """All documents take part, those with a score of 0 too; equal scores are in id order."""
    result = cache.resolve("Release", 4000)
    shown = [(document.id, decimal(document.score), document.tokens) for document in result.documents]
    assert shown == [
        ("b.md", "1.0", 2),
        ("a.md", "0.5", 7),
        ("e.md", "0.33333334", 4),
        ("c.md", "0.0", 6),
        ("d.md", "0.0", 0),
    ]


def test_the_bytes_of_an_answer(cache: Cache) -> None:
    """Golden: field order, repeats of query words kept, numbers in their shortest form."""
    assert cache.resolve("two two", 5).to_json() == (
        '{"documents":[{"id":"e.md","version":"sha256:'
        'ca8ed6d2582cbe409f48f51f12ddd02f3c4e9cd542a5c2568cadd6de8d27c320","content":"one release two",'
        '"score":0.6666667,"tokens":4,"why":{"query_terms":["two","two"],"term_matches":2,"total_words":3}},'
        '{"id":"d.md","version":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",'
        '"content":"","score":0.0,"tokens":0,"why":{"query_terms":["two","two"],"term_matches":0,"total_words":0}}],'
        '"selection":{"query":"two two","budget":5,"tokens_used":4,"documents_considered":5,'
        '"documents_selected":2,"documents_excluded_by_budget":3}}\n'
    )


def test_a_budget_of_nothing_selects_nothing(cache: Cache) -> None:
    """Not even the empty document; everything else counts as excluded."""
    result = cache.resolve("release", 0)
    assert (result.documents, result.documents_excluded_by_budget, result.documents_considered) == ([], 5, 5)


def test_explanations_count_the_same_words(cache: Cache) -> None:
    """`why` on a format 1 cache shows matches, and which words a document lacks."""
    explained = cache.explain("release plan", 4000)
    first = explained.entry(1)
    assert (first.id, first.total, first.reason.value) == ("b.md", 1, 1)
    assert [word.text for word in first.missing] == ["plan"]
    assert first.shares == [Share("release", 1, 1, 0, None, 0, "documents", "")]
    assert [(word.text, word.status, word.documents) for word in explained.words] == [
        ("release", "scored", 3),
        ("plan", "scored", 1),
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"), (1.0, "1.0"), (2.0, "2.0"), (1 / 3, "0.33333334"), (0.1, "0.1"), (0.75, "0.75"),
        (1 / 1024, "0.0009765625"), (1 / 100_000, "0.00001"), (1 / 3_000_000, "3.3333333e-7"), (12.5, "12.5"),
        (16777216.0, "16777216.0"),
    ],
)  # fmt: skip
def test_a_32_bit_float_is_written_in_its_shortest_form(value: float, text: str) -> None:
    """The form that the other program's serializer has."""
    assert decimal(float32(value)) == text


def test_only_markdown_becomes_a_document_and_ids_are_lower_case(tmp_path: Path) -> None:
    """What is left out is named."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/README.md").write_text("read me")
    (tmp_path / "docs/notes.txt").write_text("not me")
    config = BuildConfig(profile="v0")
    report = ctxcache.build(tmp_path / "docs", tmp_path / "cache", config=config)
    assert [document.id for document in ctxcache.open_cache(tmp_path / "cache").documents()] == ["readme.md"]
    assert [item.path for item in report.skipped] == ["notes.txt"]


def test_two_documents_of_one_content_are_an_error_of_the_build(tmp_path: Path) -> None:
    """They would be one file; both are named and nothing is left behind."""
    with pytest.raises(UsageError, match=r"'a\.md' and 'b\.md' have the same content"):
        ctxcache.build(
            [GivenText("a.md", "", "same"), GivenText("b.md", "", "same")],
            tmp_path / "cache",
            config=BuildConfig(profile="v0"),
        )
    assert not (tmp_path / "cache").exists()


def test_a_manifest_that_lists_a_document_twice_is_invalid(cache: Cache, tmp_path: Path) -> None:
    path = tmp_path / "cache" / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["documents"].insert(0, manifest["documents"][0])
    manifest["document_count"] += 1
    path.write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(CacheInvalid, match="an id stands twice"):
        ctxcache.open_cache(tmp_path / "cache")


def test_two_texts_of_one_id_are_an_error_of_the_build(tmp_path: Path) -> None:
    """One of them would be lost."""
    texts = [GivenText("a.md", "", "one"), GivenText("a.md", "", "other")]
    with pytest.raises(SourceError, match=r"two documents have the id 'a\.md'"):
        ctxcache.build(texts, tmp_path / "cache", config=BuildConfig(profile="v0"))
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("epoch", ["999999999999", "9" * 30, "9" * 5000, "-1", "now"])
def test_a_time_that_cannot_be_written_is_wrong_usage(
    epoch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too late for the form of the field, or no number."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH"):
        ctxcache.build([], tmp_path / "cache", config=BuildConfig(profile="v0"))


def test_a_document_takes_the_name_of_another_in_whole_steps(cache: Cache, tmp_path: Path) -> None:
    """Equal contents change their ids in a circle; nothing passing is left."""
    ids = [*TEXTS][1:] + [*TEXTS][:1]
    texts = [GivenText(id_, "", content) for id_, content in zip(ids, TEXTS.values(), strict=True)]
    before = {path.name for path in (tmp_path / "cache/documents").iterdir()}
    ctxcache.build(texts, tmp_path / "cache", config=BuildConfig(profile="v0"), force=True)
    assert ctxcache.verify(tmp_path / "cache").valid
    assert {path.name for path in (tmp_path / "cache/documents").iterdir()} == before
    assert cache.document("a.md") != ctxcache.open_cache(tmp_path / "cache").document("a.md")


def test_the_time_of_the_build_can_be_fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the variable that reproducible builds use."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    ctxcache.build([GivenText("a.md", "", "text")], tmp_path / "cache", config=BuildConfig(profile="v0"))
    manifest = json.loads((tmp_path / "cache/manifest.json").read_bytes())
    assert manifest["created_at"] == "2026-01-01T00:00:00.000000Z"
