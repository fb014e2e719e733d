"""The exports, imports and comments of Go, Java, Rust, TypeScript and JavaScript files, by tree-sitter.

Each language has a query, `queries/LANGUAGE.scm`, with these captures:

- `@export` or `@member`: a public declaration, with its `@name` and, for a member, its `@owner`;
- `@import`: the target of an import;
- `@declaration`: the declaration of a name that is exported in another statement.

`(#set! signature "…")` is the template of a signature: names in braces are captures, and `{head}`, which is
the default template, is the declaration before its body, without the matches of the expression in
`(#set! without "…")`. If several patterns match one declaration, the first one counts. The functions
`_LANGUAGE_comment` read the comment about the whole file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .prose import first_sentence, one_line
from .python import Export, FileFacts, Import

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Match = tuple[int, dict[str, list[Any]]]

_LONGEST = 200
_CHUNK = 4096
"""The number of bytes that a parser is given at once."""
_FREE_STEPS = 1000
"""The number of steps that a file of any size may take; a step is some hundred operations."""
_QUERIES = Path(__file__).with_name("queries")
_MARKUP = re.compile(r"<[^>]+>|\{@\w+\s+([^}]*)\}")


def _text(node: Any) -> str:
    """The source text of a node."""
    return str(node.text.decode("utf-8", "replace"))


def _head(node: Any, without: str = r"\A\Z") -> str:
    """A declaration on one line, without its body and the matches of `without`, cut if it is too long."""
    body = node.child_by_field_name("body")
    end = body.start_byte - node.start_byte if body is not None else None
    head = re.sub(without, "", one_line(node.text[:end].decode("utf-8", "replace")).rstrip(" {;=")).strip()
    return head if len(head) <= _LONGEST else head[: _LONGEST - 1].rstrip() + "…"


def _go_comment(root: Any) -> str:
    """The comment directly above `package`, without comment marks."""
    lines: list[str] = []
    line = None
    for node in root.named_children:
        if node.type == "package_clause":
            return "\n".join(lines).strip() if line is not None and line + 1 >= node.start_point[0] else ""
        if node.type == "comment":
            if line is not None and node.start_point[0] > line + 1:
                lines = []
            text = _text(node).strip()
            lines.append(text.removeprefix("//").removeprefix("/*").removesuffix("*/").strip())
            line = node.end_point[0]
    return ""


def _java_comment(root: Any) -> str:
    """The first paragraph of the `/** … */` comment above the first type, else above the package."""
    types = [node for node in root.named_children if node.child_by_field_name("body") is not None]
    packages = [node for node in root.named_children if node.type == "package_declaration"]
    before = next((node.prev_named_sibling for node in (*types, *packages)), None)
    if before is None or before.type != "block_comment" or not before.text.startswith(b"/**"):
        return ""
    lines = [line.strip().removeprefix("*").strip() for line in _text(before)[3:-2].splitlines()]
    paragraph = re.split(r"\n\s*\n|<p>|\n@", "\n".join(lines).strip())[0]
    return one_line(_MARKUP.sub(lambda match: match[1] or "", paragraph))


def _rust_comment(root: Any) -> str:
    """The first paragraph of the `//!` lines at the start of a file."""
    lines: list[str] = []
    for node in root.named_children:
        text = _text(node).strip()
        if node.type == "line_comment" and text.startswith("//!"):
            lines.append(text[3:].strip())
        elif lines or node.type not in ("line_comment", "block_comment", "inner_attribute_item"):
            break
    return "\n".join(lines).strip().split("\n\n")[0].lstrip("# ")


class Grammar(NamedTuple):
    """A grammar of tree-sitter with our queries."""

    name: str
    module: str
    function: str
    """The function of `module` that returns the grammar."""
    queries: tuple[str, ...]
    comment: Callable[[Any], str] | None = None
    """Reads the comment about the file from the root of its tree; without it, `leading_comment` does."""


_TYPESCRIPT = ("JavaScript", "tree_sitter_typescript")
_MODULES = ("typescript", "modules")
_GRAMMARS = {
    "go": Grammar("Go", "tree_sitter_go", "language", ("go",), _go_comment),
    "java": Grammar("Java", "tree_sitter_java", "language", ("java",), _java_comment),
    "rs": Grammar("Rust", "tree_sitter_rust", "language", ("rust",), _rust_comment),
    "js jsx mjs cjs": Grammar("JavaScript", "tree_sitter_javascript", "language", ("javascript", "modules")),
    "ts mts cts": Grammar(*_TYPESCRIPT, "language_typescript", _MODULES),
    "tsx": Grammar(*_TYPESCRIPT, "language_tsx", _MODULES),
}
_BY_SUFFIX = {f".{name}": grammar for names, grammar in _GRAMMARS.items() for name in names.split()}
SUFFIXES = frozenset(_BY_SUFFIX)
"""The suffixes of the files that are read here."""


def tree_facts(suffix: str, text: str) -> FileFacts:
    """The facts of a file; empty for another language, or if the extra is not installed."""
    grammar = _BY_SUFFIX.get(suffix)
    loaded = _load(grammar) if grammar else None
    if grammar is None or loaded is None:
        return FileFacts()
    language, query = loaded
    root = _root(language, text.encode())
    if root is None:
        return FileFacts()
    about = grammar.comment(root) if grammar.comment else ""
    matches = import_module("tree_sitter").QueryCursor(query).matches(root)
    exports: dict[str, Export] = {}
    for export in _declarations("export", query, matches):
        exports.setdefault(export.name, export)
    imports = (_text(node).strip("\"'`") for _, nodes in matches for node in nodes.get("import", ()))
    return FileFacts(
        purpose=first_sentence(about),
        about=about,
        exports=tuple(exports.values()),
        members=tuple(_declarations("member", query, matches)),
        imports=tuple(Import(grammar.name, target) for target in imports),
    )


def _declarations(kind: str, query: Any, matches: list[Match]) -> Iterator[Export]:
    """The captured declarations of a kind, `export` or `member`, in the order of the file."""
    declarations = {
        _text(nodes["name"][0]): nodes["declaration"][0] for _, nodes in matches if "declaration" in nodes
    }
    candidates = [
        (nodes[kind][0], nodes["name"][0], pattern, nodes) for pattern, nodes in matches if kind in nodes
    ]
    seen: set[tuple[int, int]] = set()
    for node, name_node, pattern, nodes in sorted(candidates, key=_by_position):
        name, settings = _text(name_node), query.pattern_settings(pattern)
        if (position := (node.start_byte, name_node.start_byte)) in seen or not name:
            continue
        seen.add(position)
        if "declared" in settings:
            signature = _head(declarations[name]) if name in declarations else name
        else:
            head = _head(node, settings.get("without", r"\A\Z"))
            signature = _signature(settings.get("signature", "{head}"), head, nodes)
        owner = f"{_text(nodes['owner'][0])}." if kind == "member" else ""
        yield Export(owner + name, signature)


def _by_position(item: tuple[Any, Any, int, dict[str, list[Any]]]) -> tuple[int, int, int]:
    node, name, pattern, _ = item
    return node.start_byte, name.start_byte, pattern


def _signature(template: str, head: str, captures: dict[str, list[Any]]) -> str:
    """A template with the captures filled in; missing captures are empty."""
    texts = defaultdict(str, {name: one_line(_text(nodes[0])) for name, nodes in captures.items()})
    return template.format_map(texts | {"head": head}).strip()


def _root(language: Any, data: bytes) -> Any:
    """The root of the syntax tree; None if parsing takes too many steps.

    Recovering from errors, a parser may take time that grows with the square of a file that is no code. Steps
    and bytes read are limited to ten times what code needs. Memory is limited by `tree_worker`.
    """
    steps = read = 0

    def chunk(offset: int, _: object) -> bytes:
        nonlocal read
        part = data[offset : offset + _CHUNK]
        read += len(part)
        return part

    def is_over(*_: object) -> bool:
        nonlocal steps
        steps += 1
        return steps > _FREE_STEPS + len(data) // 10 or read > 20 * (_CHUNK + len(data))

    parser = import_module("tree_sitter").Parser(language)  # a new one, since parsers are not thread-safe
    try:
        return parser.parse(chunk, progress_callback=is_over).root_node
    except ValueError:  # `is_over` stopped the parser
        return None


@cache
def _load(grammar: Grammar) -> tuple[Any, Any] | None:
    """A language and its query; None if it is not installed."""
    try:
        tree_sitter = import_module("tree_sitter")
        language = tree_sitter.Language(getattr(import_module(grammar.module), grammar.function)())
    except ImportError:
        return None
    text = "".join((_QUERIES / f"{name}.scm").read_text("utf-8") for name in grammar.queries)
    return language, tree_sitter.Query(language, text)
