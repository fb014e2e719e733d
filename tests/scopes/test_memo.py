"""What was read is kept while a file is the same, and only once its times can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxcache.scopes import fingerprint
from ctxcache.scopes.project import ScopeProject
from ctxcache.scopes.queries import check_freshness, query_context

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    Tree = Callable[[dict[str, str]], Path]
    Context = Callable[..., str]


def test_a_settled_file_is_read_once_until_it_changes(
    tree: Tree, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprint, "_SETTLED_NS", -(10**18))
    project = ScopeProject(tree({"a.py": "x", ".context.yaml": context(summary="Before.")}))
    first = check_freshness(project, ".")
    assert check_freshness(project, ".") == first
    assert query_context(project, ".").data["context"]["summary"] == "Before."
    tree({"a.py": "longer", ".context.yaml": context(summary="And after.")})
    assert query_context(project, ".").data["context"]["summary"] == "And after."
    assert check_freshness(project, ".") != first


def test_a_young_file_is_not_kept(tmp_path: Path) -> None:
    """Two writes within one tick of the clock have the same times."""
    path = tmp_path / "a.py"
    path.write_text("x")
    kept: fingerprint.Memo[str] = fingerprint.Memo()
    kept.keep(str(path), fingerprint.state_of(path.stat()), "value")
    assert kept.get(str(path), fingerprint.state_of(path.stat())) is None


def test_only_a_regular_file_has_a_state(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "a.py")
    assert fingerprint.state_at(str(tmp_path / "link")) is None
    assert fingerprint.state_at(str(tmp_path / "gone")) is None
