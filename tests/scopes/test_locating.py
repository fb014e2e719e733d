"""Which directory a scope names, and that none lies outside the project (rule C16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctxcache.scopes.project import ScopeProject
from ctxcache.scopes.queries import Answer, check_freshness, list_contexts, query_context

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Tree = Callable[[dict[str, str]], Path]
    Context = Callable[..., str]
    Failed = Callable[[Answer], str]

MISSING = (
    'No .context.yaml found at scope "{}". This scope may be below the min_tokens threshold; '
    "use list_contexts to see eligible scopes."
)
TRAVERSAL = "Invalid scope: path traversal detected"


@pytest.mark.parametrize("scope", ["src\\core", "src/core", "./src/core/", "src//core", "src/../src/core"])
def test_a_scope_is_found_however_it_is_spelled(tree: Tree, context: Context, scope: str) -> None:
    """And the answer repeats it as it was given."""
    project = ScopeProject(tree({"src/core/.context.yaml": context(scope="src/core")}))
    answer = query_context(project, scope)
    assert (answer.data["found"], answer.data["scope"]) == (True, scope)


@pytest.mark.parametrize(
    "scope",
    [
        "../../etc",
        "..",
        "..\\..\\etc",
        "/etc",
        "src/../../other",
        "../project",
        "C:\\Windows",
        "//host/share",
    ],
)
def test_a_scope_that_leaves_the_project_is_refused(
    tree: Tree, context: Context, scope: str, failed: Failed
) -> None:
    project = ScopeProject(tree({".context.yaml": context(), "src/.context.yaml": context()}))
    assert failed(query_context(project, scope)) == TRAVERSAL
    assert check_freshness(project, scope).data == {"scope": scope, "state": "missing", "error": TRAVERSAL}


def test_a_link_out_of_the_project_is_refused(
    tree: Tree, context: Context, tmp_path: Path, failed: Failed
) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / ".context.yaml").write_text(context())
    root = tree({"src/a.py": ""})
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "src" / ".context.yaml").symlink_to(tmp_path / "secret" / ".context.yaml")
    assert failed(query_context(ScopeProject(root), "out")) == TRAVERSAL
    assert failed(query_context(ScopeProject(root), "src")) == TRAVERSAL
    assert list_contexts(ScopeProject(root)).data["tracked"] == 0


def test_a_link_inside_the_project_is_followed(tree: Tree, context: Context) -> None:
    root = tree({"src/.context.yaml": context(scope="src")})
    (root / "alias").symlink_to("src")
    assert query_context(ScopeProject(root), "alias").data["found"]


def test_an_absolute_path_inside_the_project_is_a_scope(tree: Tree, context: Context) -> None:
    root = tree({"src/.context.yaml": context(scope="src")})
    assert query_context(ScopeProject(root), str(root / "src")).data["found"]


def test_a_name_with_dots_inside_is_no_traversal(tree: Tree, context: Context) -> None:
    project = ScopeProject(tree({"v1..v2/.context.yaml": context(), "..hidden/.context.yaml": context()}))
    assert query_context(project, "v1..v2").data["found"]
    assert query_context(project, "..hidden").data["found"]


@pytest.mark.parametrize("scope", ["src/unknown", "a.py/x", "a.py", "nul\0", "lone\udcff", "x" * 5000])
def test_a_missing_context_is_named(tree: Tree, scope: str, failed: Failed) -> None:
    project = ScopeProject(tree({"a.py": ""}))
    assert failed(query_context(project, scope)) == MISSING.format(scope)
    answer = check_freshness(project, scope)
    assert answer.data == {"scope": scope, "state": "missing", "error": MISSING.format(scope)}
    assert answer.is_error
    assert answer.to_json().encode()
