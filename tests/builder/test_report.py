"""The build report is JSON for programs and one safe line an item for people."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import ctxcache
from ctxcache.builder.compile import GivenText
from ctxcache.builder.report import DUPLICATE, LARGE, BuildReport, Finding, Notice, Skipped

if TYPE_CHECKING:
    from pathlib import Path

REPORT = BuildReport(
    documents=3,
    sources=2,
    tokens=40,
    words=30,
    cache_version="sha256:00",
    skipped=(
        Skipped("a\n\x1b[31m.md", "unreadable (permission denied)", fault=True, unreadable=True),
        Skipped("b/", ".gitignore:1 b/"),
    ),
    warnings=(Notice("c.md", "line 2: a is there twice"), Notice("", "exclude pattern x matches nothing")),
)


def test_the_report_as_json_holds_everything() -> None:
    assert REPORT.to_json().endswith("}\n")
    assert json.loads(REPORT.to_json()) == {
        "documents": 3,
        "sources": 2,
        "tokens": 40,
        "words": 30,
        "cache_version": "sha256:00",
        "skipped": [
            {
                "path": "a\n\x1b[31m.md",
                "rule": "unreadable (permission denied)",
                "fault": True,
                "unreadable": True,
            },
            {"path": "b/", "rule": ".gitignore:1 b/", "fault": False, "unreadable": False},
        ],
        "warnings": [
            {"path": "c.md", "message": "line 2: a is there twice"},
            {"path": "", "message": "exclude pattern x matches nothing"},
        ],
        "findings": [],
    }


def test_the_report_in_lines_is_safe_to_show() -> None:
    """A name may hold an escape sequence or a line end; each item is one line all the same."""
    assert REPORT.lines() == [
        "skipped a\\n\\x1b[31m.md: unreadable (permission denied)",
        "skipped b/: .gitignore:1 b/",
        "warning: c.md: line 2: a is there twice",
        "warning: exclude pattern x matches nothing",
    ]


def test_many_inputs_that_one_rule_left_out_are_one_line() -> None:
    """What should have been a document comes first, each by name."""
    images = [Skipped(f"{number}.png", "not a text format (.png)") for number in range(1200)]
    folders = [Skipped(f"{number}/", ".gitignore:1 \x1b*/") for number in range(6)]
    faults = [Skipped(f"{number}.md", "unreadable", fault=True) for number in range(7)]
    few = [Skipped(f"{number}.py", "no include pattern matches") for number in range(5)]
    lines = replace(REPORT, skipped=(*images, *folders, *few, *faults)).lines()
    assert lines[:7] == [f"skipped {number}.md: unreadable" for number in range(7)]
    assert lines[7:9] == [
        "skipped 1,200 files: not a text format (.png)",
        "skipped 6 files and folders: .gitignore:1 \\x1b*/",
    ]
    assert lines[9:14] == [f"skipped {number}.py: no include pattern matches" for number in range(5)]


def test_findings_are_told_by_kind_with_the_first_names() -> None:
    """The report as JSON has all of them."""
    findings = [Finding("above 9", f"{n}.md", f"{n} tokens") for n in range(10, 15)]
    report = replace(
        REPORT, skipped=(), warnings=(), findings=(*findings, Finding("of no use", "a\x1b", "x"))
    )
    assert report.lines() == [
        "note: 5 documents above 9: 10.md (10 tokens), 11.md (11 tokens), 12.md (12 tokens) and 2 more",
        "note: 1 document of no use: a\\x1b (x)",
    ]
    assert len(json.loads(report.to_json())["findings"]) == 6


def test_large_and_equal_documents_are_found(tmp_path: Path) -> None:
    texts = [
        GivenText("a.md", "A", "the same"),
        GivenText("b.md", "B", "the same"),
        GivenText("c.md", "C", "word " * 4_000),
        GivenText("d.md", "D", "word " * 3_200),
    ]
    config = ctxcache.BuildConfig(tokenizer="bytes4", split="none")
    assert ctxcache.build(texts, tmp_path / "cache", config=config).findings == (
        Finding(LARGE, "c.md", "5,000 tokens"),
        Finding(DUPLICATE, "b.md", "a.md"),
    )
