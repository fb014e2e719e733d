"""What reaches the command line of an editor is never what a document says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctxcache.builder.build import build
from ctxcache.builder.config import BuildConfig
from ctxcache.resolver.cache import open_cache
from ctxcache.tui.session import Session, Start

if TYPE_CHECKING:
    from pathlib import Path


def test_a_document_that_names_a_command_as_its_line_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From front matter to the editor: the file is opened at a whole number, by an absolute path."""
    (tmp_path / "docs").mkdir()
    text = f'---\nsource_line: "!touch {tmp_path}/X"\n---\n# -c deployment\n\nOne.\n'
    (tmp_path / "docs" / "-c.md").write_text(text)
    build(tmp_path / "docs", tmp_path / "cache", config=BuildConfig(tokenizer="bytes4"), jobs=1)
    cache = open_cache(tmp_path / "cache")
    document = cache.document(next(iter(cache.summaries())).id)
    assert document is not None
    desk = Session(Start(root=str(tmp_path / "cache"), sources=str(tmp_path / "docs")))
    assert document.origin.line in range(8)
    assert desk.source_of(document.source) == (tmp_path / "docs" / "-c.md").resolve()


@pytest.mark.parametrize("source", ["a\0b", "x" * 5000, "/etc/passwd", "../../etc/passwd", "\udcff"])
def test_a_source_that_is_no_file_of_the_folder_is_none(tmp_path: Path, source: str) -> None:
    assert Session(Start(root="x", sources=str(tmp_path))).source_of(source) is None
