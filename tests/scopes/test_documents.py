"""Contexts as documents of a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxcache.scopes.project import ScopeProject
from ctxcache.scopes.queries import scope_documents

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Tree = Callable[[dict[str, str]], Path]
    Context = Callable[..., str]


def test_each_valid_context_is_a_document(tree: Tree, context: Context) -> None:
    project = {"name": "harbour", "description": "x", "language": "Python"}
    root = tree(
        {
            ".context.yaml": context(project=project),
            "quay/.context.yaml": context(
                scope="quay",
                files=[{"name": "berth.py", "purpose": "One berth"}],
                decisions=[{"what": "Metres.", "why": "Charts", "tradeoff": "Feet"}],
                dependencies={"internal": ["tide"]},
                data_models=["Berth"],
            ),
            "bad/.context.yaml": "[",
            "none/a.py": "",
        }
    )
    found = scope_documents(ScopeProject(root))
    assert [(document.id, document.title) for document in found] == [(".", "harbour"), ("quay", "quay")]
    assert found[1].content == (
        "# quay\n\nWhat the harbour master keeps.\n\n## Files\n\n- berth.py: One berth\n\n"
        "## Decisions\n\n- Metres. Charts. Feet.\n\n## Depends on\n\n- tide\n\n## Data models\n\n- Berth\n"
    )
