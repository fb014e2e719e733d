"""`ctx why`: the ranking in words, one document to the last number."""

from __future__ import annotations

import json
from collections.abc import Callable
from subprocess import CompletedProcess
from typing import TYPE_CHECKING

import ctxcache

if TYPE_CHECKING:
    from pathlib import Path

Ctx = Callable[..., CompletedProcess[str]]
QUERY = "how do I roll back a deployment zebra"


def test_the_ranking_marks_what_was_chosen_and_says_why_not(ctx: Ctx, cache: str) -> None:
    ran = ctx("why", "-c", cache, "-q", QUERY, "-b", "100")
    explained = ctxcache.open_cache(cache).explain(QUERY, 100)
    rows = [line.split() for line in ran.stdout.splitlines()[1 : len(explained) + 1]]
    assert [(row[1] == "●", row[2]) for row in rows] == [(e.chosen, e.id) for e in explained.entries()]
    left_out = next(entry for entry in explained.entries() if not entry.chosen)
    assert f"needs {left_out.tokens}, {left_out.left} left · chosen at {left_out.fits_from}" in ran.stdout


def test_the_words_of_the_query_are_accounted_for(ctx: Ctx, cache: str) -> None:
    shown = ctx("why", "-c", cache, "-q", QUERY, "-b", "100").stdout
    assert "\nignored: how, do, i, a" in shown
    assert "\nin no document: zebra\n" in shown
    assert "searched for: roll (in 1), back (in 1), deployment (in 2)" in shown


def test_a_name_is_in_the_documents_that_hold_the_whole(ctx: Ctx, tmp_path: Path) -> None:
    """Its parts are looked for too, and may be anywhere."""
    (tmp_path / "docs").mkdir()
    for number in range(3):
        (tmp_path / f"docs/{number}.md").write_text(f"# Topic\n\nAbout topic{number}.\n")
    topics = str(tmp_path / "topics")
    ctx("build", str(tmp_path / "docs"), "-c", topics)
    assert "searched for: topic2 (in 1)\n" in ctx("why", "-c", topics, "-q", "topic2").stdout
    assert "searched for: topic7 (in 3)\n" in ctx("why", "-c", topics, "-q", "topic7").stdout


def test_what_the_answer_takes_on_the_wire_is_counted(ctx: Ctx, cache: str) -> None:
    answer = ctxcache.resolve(cache, QUERY, 100).to_json()
    tokens = -(-len(answer.encode()) // 4)
    shown = ctx("why", "-c", cache, "-q", QUERY, "-b", "100").stdout
    assert f"the answer takes {tokens} tokens, in {len(answer)} characters" in shown


def test_without_a_budget_each_says_the_smallest_that_chooses_it(ctx: Ctx, cache: str) -> None:
    shown = ctx("why", "-c", cache, "-q", "deployment", "-b", "none").stdout
    assert "●" not in shown and shown.count("chosen at") == 2


def test_the_ranking_can_be_cut(ctx: Ctx, cache: str) -> None:
    shown = ctx("why", "-c", cache, "-q", "deployment", "--limit", "1", "-b", "none").stdout
    assert shown.count("chosen at") == 1 and "\n… and 1 more\n" in shown
    cut = ctx("why", "-c", cache, "-q", "deployment", "--limit", "1", "--format", "json").stdout
    assert len(json.loads(cut)["documents"]) == 1
    negative = ctx("why", "-c", cache, "-q", "deployment", "--limit", "-1")
    assert (negative.returncode, negative.stderr) == (1, "error: --limit: -1 is negative\n")


def test_one_document_is_explained_to_the_last_number(ctx: Ctx, cache: str) -> None:
    shown = ctx("why", "-c", cache, "-q", "deployment", "-b", "100", "deploy/guide.md").stdout
    entry = ctxcache.open_cache(cache).explain("deployment", 100).document("deploy/guide.md")
    assert shown.startswith("deploy/guide.md\nrank 1 of 2 · ")
    assert f"\n{entry.total:,}  {entry.reason.reason}\n    " in shown
    written = ctx("why", "-c", cache, "-q", "deployment", "-b", "100", "deploy/guide.md", "--format", "json")
    assert json.loads(written.stdout)["explanation"] == entry.reason.to_dict()


def test_its_terms_are_the_words_of_the_query(ctx: Ctx, cache: str) -> None:
    """Not the branches of the explanation: a reader joins them with `words`."""
    asked = ("why", "-c", cache, "-q", "how do I roll back a deploymnt", "--json")
    first = json.loads(ctx(*asked).stdout)["documents"][0]
    notes = {term["term"]: term.get("note") for term in first["terms"]}
    assert (notes["roll"], notes["back"], notes["a"]) == (None, None, "orders only")
    assert notes["deploymnt"] == "read as deployment"
    assert sum(term["value"] for term in first["terms"]) == first["total"]


def test_a_document_that_does_not_match_says_what_it_lacks(ctx: Ctx, cache: str) -> None:
    shown = ctx("why", "-c", cache, "-q", "deployment", "oncall.md").stdout
    assert "\ndoes not match · " in shown and "\nlacks: deployment (in 2)\n" in shown


def test_nothing_matches_is_said(ctx: Ctx, cache: str) -> None:
    assert ctx("why", "-c", cache, "-q", "zebra").stdout.startswith(
        "nothing matches · 4 documents searched\n"
    )


def test_an_unknown_document_is_wrong_usage(ctx: Ctx, cache: str) -> None:
    ran = ctx("why", "-c", cache, "-q", "deployment", "no\x1bsuch.md")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert r"no\x1bsuch.md: no document" in ran.stderr


def test_a_document_may_be_asked_for_by_its_file_or_a_pattern(ctx: Ctx, cache: str) -> None:
    line = ("-c", cache, "-q", "roll back", "--json")
    by_id = ctx("why", "deploy/rollback.md", *line).stdout
    for name in ("rollback.md", "deploy/r*.md", "deploy/rollback.md#roll-back"):
        assert ctx("why", name, *line).stdout == by_id, name
    ran = ctx("why", "deploy/rolback.md", *line)
    assert ran.returncode == 1 and "did you mean deploy/rollback.md?" in ran.stderr
