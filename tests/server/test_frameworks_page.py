"""The examples of `docs/frameworks.md`: what can be said of them where no framework is installed.

`clients/frameworks.py` runs them with the frameworks.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from ctxcache.server.serve import ServeOptions, toolbox_of

if TYPE_CHECKING:
    from collections.abc import Iterator

REPO = Path(__file__).parents[2]
PAGE = (REPO / "docs" / "frameworks.md").read_text("utf-8")
EXAMPLES = re.findall(r"^## ([^\n]+)\nPackages: .*?\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


class Retriever:
    """What both frameworks' base classes do here: take fields, and ask the method of the subclass."""

    def __init__(self, **fields: Any) -> None:
        vars(self).update(fields)

    def invoke(self, query: str) -> Any:
        """As LangChain asks."""
        return self._get_relevant_documents(query)  # type: ignore[attr-defined]  # the example's

    def retrieve(self, query: str) -> Any:
        """As LlamaIndex asks."""
        return self._retrieve(SimpleNamespace(query_str=query))  # type: ignore[attr-defined]  # the example's


class Node(SimpleNamespace):
    """A node with a score, which has the id of its node."""

    @property
    def node_id(self) -> Any:
        """The id of the node."""
        return self.node.id_


MODULES: dict[str, dict[str, Any]] = {
    "langchain_core.documents": {"Document": SimpleNamespace},
    "langchain_core.retrievers": {"BaseRetriever": Retriever},
    "llama_index.core.retrievers": {"BaseRetriever": Retriever},
    "llama_index.core.schema": {"NodeWithScore": Node, "QueryBundle": object, "TextNode": SimpleNamespace},
}


@pytest.fixture
def frameworks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand-ins for the modules that the retrievers import."""
    for name, members in MODULES.items():
        parts = name.split(".")
        for length in range(1, len(parts)):
            monkeypatch.setitem(sys.modules, ".".join(parts[:length]), ModuleType(parts[0]))
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    yield


def test_there_is_an_example_for_each_framework() -> None:
    assert len(EXAMPLES) == 10


@pytest.mark.parametrize(("name", "code"), EXAMPLES)
def test_an_example_is_python_and_serves_with_options_that_there_are(name: str, code: str) -> None:
    compile(code, name, "exec")
    known = {"serve", "--cache-root", ".ctx/caches", "--tool-names", "underscore", "--no-structured-content"}
    for arguments in re.findall(r'\["serve", [^]]*\]', code):
        assert set(re.findall(r'"([^"]*)"', arguments)) <= known


@pytest.mark.parametrize("name", ["A retriever for LangChain", "A retriever for LlamaIndex"])
@pytest.mark.usefixtures("frameworks")
def test_a_retriever_gives_the_documents_of_the_answer(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".ctx").mkdir()
    (tmp_path / ".ctx" / "caches").symlink_to(REPO / "sample_caches")
    monkeypatch.chdir(tmp_path)
    exec(compile(dict(EXAMPLES)[name], name, "exec"), {"__name__": "example"})  # the page's own code
    assert capsys.readouterr().out == "deploy/rollback.md#roll-back-a-deployment\n"


def test_the_names_that_the_examples_call_are_listed() -> None:
    options = ServeOptions(cache_root=str(REPO / "sample_caches"))
    assert "context.resolve" in toolbox_of(options).listed
