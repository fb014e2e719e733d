"""Facts of TypeScript, JavaScript, Go, Rust and Java, from their syntax trees.

Needs the extra `code` (tree-sitter and its grammars); without it these
languages have no exports and imports, and the leading comment is all that is known.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .facts import FileFacts
from .tree_go import go_facts
from .tree_java import java_facts
from .tree_rust import rust_facts
from .tree_script import script_facts

if TYPE_CHECKING:
    from collections.abc import Callable

_TYPESCRIPT = ("tree_sitter_typescript", "language_typescript", script_facts)
_TSX = ("tree_sitter_typescript", "language_tsx", script_facts)
_JAVASCRIPT = ("tree_sitter_javascript", "language", script_facts)
_GRAMMARS: dict[str, tuple[str, str, Callable[[Any], FileFacts]]] = {
    ".ts": _TYPESCRIPT,
    ".mts": _TYPESCRIPT,
    ".cts": _TYPESCRIPT,
    ".tsx": _TSX,
    ".js": _JAVASCRIPT,
    ".jsx": _JAVASCRIPT,
    ".mjs": _JAVASCRIPT,
    ".cjs": _JAVASCRIPT,
    ".go": ("tree_sitter_go", "language", go_facts),
    ".rs": ("tree_sitter_rust", "language", rust_facts),
    ".java": ("tree_sitter_java", "language", java_facts),
}


def tree_facts(suffix: str, text: str) -> FileFacts:
    """The facts of a file of one of the five languages; none of any other, or without the extra."""
    if suffix not in _GRAMMARS:
        return FileFacts()
    module, function, facts = _GRAMMARS[suffix]
    parser = _parser(module, function)
    return facts(parser.parse(text.encode()).root_node) if parser else FileFacts()


@cache
def _parser(module: str, function: str) -> Any:
    """A parser for a grammar, None where it is not installed."""
    try:
        tree_sitter = import_module("tree_sitter")
        grammar = getattr(import_module(module), function)()
    except ImportError:
        return None
    return tree_sitter.Parser(tree_sitter.Language(grammar))
