"""What source files of Go, Java, Rust, TypeScript and JavaScript offer, read with tree-sitter."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .prose import first_sentence, one_line
from .python import Export, FileFacts, Import

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LONGEST = 200
_CHUNK = 4096
"""Bytes that a parser is given at once."""
_FREE = 1000
"""Steps, of some hundred operations each, that any file may take."""


def text_of(node: Any) -> str:
    """The source text of a node."""
    return str(node.text.decode("utf-8", "replace"))


def name_of(node: Any) -> str:
    """The declared name; "" if there is none."""
    name = node.child_by_field_name("name")
    return text_of(name) if name is not None else ""


def head_of(node: Any, *, until: str = "body") -> str:
    """A declaration without its body, on one line, cut where it is too long."""
    body = node.child_by_field_name(until)
    end = body.start_byte - node.start_byte if body is not None else None
    head = one_line(node.text[:end].decode("utf-8", "replace")).rstrip(" {;=")
    return head if len(head) <= _LONGEST else head[: _LONGEST - 1].rstrip() + "…"


def children(node: Any, *types: str) -> Iterator[Any]:
    """The named children of these types, all named ones if none is given."""
    for child in node.named_children:
        if not types or child.type in types:
            yield child


def first(node: Any, *types: str) -> Any:
    """The first named child of these types, or None."""
    return next(children(node, *types), None)


def go_facts(root: Any) -> FileFacts:
    """Exported functions, types and methods, the package comment, and imports."""
    about = _package_comment(root)
    return FileFacts(
        purpose=first_sentence(about),
        about=about,
        exports=tuple(_exports(root)),
        members=tuple(_methods(root)),
        imports=tuple(Import("Go", target) for target in _imported(root)),
    )


def _package_comment(root: Any) -> str:
    """The comment directly above `package`, without its marks."""
    lines: list[str] = []
    line = None
    for node in root.named_children:
        if node.type == "package_clause":
            return "\n".join(lines).strip() if line is not None and line + 1 >= node.start_point[0] else ""
        if node.type == "comment":
            if line is not None and node.start_point[0] > line + 1:
                lines = []
            text = text_of(node).strip()
            lines.append(text.removeprefix("//").removeprefix("/*").removesuffix("*/").strip())
            line = node.end_point[0]
    return ""


def _exports(root: Any) -> Iterator[Export]:
    for node in root.named_children:
        if node.type == "function_declaration" and name_of(node)[:1].isupper():
            yield Export(name_of(node), head_of(node))
        elif node.type == "type_declaration":
            for spec in children(node, "type_spec", "type_alias"):
                if name_of(spec)[:1].isupper():
                    yield Export(name_of(spec), f"type {name_of(spec)}{_kind(spec)}")


def _kind(spec: Any) -> str:
    """` struct`, ` interface`, or nothing for other types."""
    kind = spec.child_by_field_name("type")
    named = {"struct_type": " struct", "interface_type": " interface"}
    return named.get(kind.type, "") if kind is not None else ""


def _methods(root: Any) -> Iterator[Export]:
    for node in children(root, "method_declaration"):
        receiver = text_of(node.child_by_field_name("receiver")).strip("()").split(" ")[-1].lstrip("*")
        if name_of(node)[:1].isupper() and receiver[:1].isupper():
            yield Export(f"{receiver.partition('[')[0]}.{name_of(node)}", head_of(node))


def _imported(root: Any) -> Iterator[str]:
    for node in children(root, "import_declaration"):
        specs = first(node, "import_spec_list") or node
        for spec in children(specs, "import_spec"):
            yield text_of(spec.child_by_field_name("path")).strip('"`')


_TYPES = (
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "annotation_type_declaration",
)
_ANNOTATION = re.compile(r"@(?!interface)\w[\w.]*(?:\([^)]*\))?\s*")
_MARKUP = re.compile(r"<[^>]+>|\{@\w+\s+([^}]*)\}")


def java_facts(root: Any) -> FileFacts:
    """Public types, what the comment above the first type says, public methods, and imports."""
    types = list(children(root, *_TYPES))
    about = _documentation(types[0]) if types else _documentation(first(root, "package_declaration"))
    imports = (
        text_of(inner) for node in children(root, "import_declaration") for inner in node.named_children[:1]
    )
    return FileFacts(
        purpose=first_sentence(about),
        about=about,
        exports=tuple(Export(name_of(node), _head(node)) for node in types if _is_public(node)),
        members=tuple(member for node in types if _is_public(node) for member in _java_methods(node)),
        imports=tuple(Import("Java", target) for target in imports),
    )


def _documentation(node: Any) -> str:
    """The first paragraph of the `/** … */` comment above a declaration."""
    before = node.prev_named_sibling if node is not None else None
    if before is None or before.type != "block_comment" or not before.text.startswith(b"/**"):
        return ""
    lines = [line.strip().removeprefix("*").strip() for line in text_of(before)[3:-2].splitlines()]
    text = "\n".join(lines).strip()
    paragraph = re.split(r"\n\s*\n|<p>|\n@", text)[0]
    return one_line(_MARKUP.sub(lambda match: match[1] or "", paragraph))


def _head(node: Any) -> str:
    return _ANNOTATION.sub("", head_of(node)).strip()


def _is_public(node: Any) -> bool:
    modifiers = first(node, "modifiers")
    return modifiers is not None and "public" in text_of(modifiers).split()


def _java_methods(owner: Any) -> Iterator[Export]:
    body = owner.child_by_field_name("body")
    for node in children(body, "method_declaration") if body is not None else ():
        if _is_public(node) or owner.type == "interface_declaration":
            yield Export(f"{name_of(owner)}.{name_of(node)}", f"{name_of(owner)}: {_head(node)}")


_KINDS = {
    "struct_item": "pub struct",
    "enum_item": "pub enum",
    "union_item": "pub union",
    "trait_item": "pub trait",
    "type_item": "pub type",
    "const_item": "pub const",
    "static_item": "pub static",
    "mod_item": "pub mod",
}


def rust_facts(root: Any) -> FileFacts:
    """Public items, the inner documentation (`//!`), public methods, and `use` paths."""
    about = _inner_docs(root)
    return FileFacts(
        purpose=first_sentence(about),
        about=about,
        exports=tuple(_rust_exports(root)),
        members=tuple(_rust_methods(root)),
        imports=tuple(Import("Rust", target) for target in _used(root)),
    )


def _inner_docs(root: Any) -> str:
    """The first paragraph of the `//!` lines at the start."""
    lines: list[str] = []
    for node in root.named_children:
        text = text_of(node).strip()
        if node.type == "line_comment" and text.startswith("//!"):
            lines.append(text[3:].strip())
        elif lines or node.type not in ("line_comment", "block_comment", "inner_attribute_item"):
            break
    return "\n".join(lines).strip().split("\n\n")[0].lstrip("# ")


def _rust_exports(root: Any) -> Iterator[Export]:
    for node in root.named_children:
        name = name_of(node)
        if node.type == "function_item" and _rust_is_public(node):
            yield Export(name, head_of(node))
        elif node.type in _KINDS and _rust_is_public(node):
            yield Export(name, f"{_KINDS[node.type]} {name}")
        elif node.type == "macro_definition" and _is_macro_export(node):
            yield Export(name, f"macro {name}!")


def _rust_methods(root: Any) -> Iterator[Export]:
    """Public functions of `impl` blocks that implement no trait."""
    for block in children(root, "impl_item"):
        body, owner = block.child_by_field_name("body"), block.child_by_field_name("type")
        if body is None or owner is None or block.child_by_field_name("trait") is not None:
            continue
        for node in children(body, "function_item"):
            if _rust_is_public(node):
                name = text_of(owner).partition("<")[0]
                yield Export(f"{name}.{name_of(node)}", f"{name}::{head_of(node).removeprefix('pub ')}")


def _rust_is_public(node: Any) -> bool:
    """Whether it is `pub` to everyone, not only to the crate."""
    modifier = first(node, "visibility_modifier")
    return modifier is not None and text_of(modifier) == "pub"


def _is_macro_export(node: Any) -> bool:
    before = node.prev_named_sibling
    return before is not None and before.type == "attribute_item" and b"macro_export" in before.text


def _used(root: Any) -> Iterator[str]:
    """The paths of `use`, up to the first brace, glob or alias."""
    for node in children(root, "use_declaration"):
        argument = node.child_by_field_name("argument")
        if argument is not None:
            yield text_of(argument).partition("{")[0].partition("*")[0].partition(" as ")[0].rstrip(":")


_VARIABLES = ("lexical_declaration", "variable_declaration")
_FUNCTIONS = ("arrow_function", "function_expression", "generator_function")
_CLASSES = ("class_declaration", "abstract_class_declaration", "class")


def script_facts(root: Any) -> FileFacts:
    """Exports (`export`, `module.exports`) and imports (`import`, `require`) of a module."""
    declared = {name_of(node): node for node in root.named_children if name_of(node)}
    exports: dict[str, Export] = {}
    members: list[Export] = []
    for node in root.named_children:
        if node.type == "export_statement":
            found = list(_exported(node, declared))
            members += [member for inner in children(node, *_CLASSES) for member in _script_methods(inner)]
        else:
            found = list(_common(node))
        exports |= {export.name: export for export in found if export.name not in exports}
    imports = [Import("JavaScript", target) for target in _script_imported(root)]
    return FileFacts(exports=tuple(exports.values()), members=tuple(members), imports=tuple(imports))


def _exported(statement: Any, declared: dict[str, Any]) -> Iterator[Export]:
    """What one `export` statement exports; names alone where they are declared elsewhere."""
    for node in statement.named_children:
        if node.type == "export_clause":
            for specifier in children(node, "export_specifier"):
                inner = name_of(specifier)
                alias = specifier.child_by_field_name("alias")
                name = text_of(alias) if alias is not None else inner
                known = name == inner and inner in declared
                yield Export(name, head_of(declared[inner]) if known else name)
        elif node.type == "ambient_declaration":
            yield from (
                Export(name_of(inner), head_of(inner)) for inner in node.named_children if name_of(inner)
            )
        elif node.type in _VARIABLES:
            yield from (_variable(item) for item in children(node, "variable_declarator"))
        elif name_of(node):
            yield Export(name_of(node), _signature(node))


def _signature(node: Any) -> str:
    """A whole alias where it is short, else what stands before the body."""
    if node.type == "type_alias_declaration":
        return f"type {name_of(node)}"
    return head_of(node)


def _variable(item: Any) -> Export:
    """`const name` or, for a function, its arguments and result."""
    name, value = name_of(item), item.child_by_field_name("value")
    kind = item.child_by_field_name("type")
    if value is not None and value.type in _FUNCTIONS and kind is None:
        head = head_of(value).removesuffix("=>").strip().removeprefix("function").strip()
        is_async = head.startswith("async")
        head = head.removeprefix("async").strip()
        return Export(
            name,
            f"{'async ' if is_async else ''}{name}{head if head.startswith(('(', '<')) else f'({head})'}",
        )
    return Export(name, f"const {name}{text_of(kind) if kind is not None else ''}")


def _common(node: Any) -> Iterator[Export]:
    """`module.exports = {a, b}`, `module.exports = a`, `exports.a = …`."""
    assignment = first(node, "assignment_expression") if node.type == "expression_statement" else None
    if assignment is None:
        return
    left = text_of(assignment.child_by_field_name("left"))
    right = assignment.child_by_field_name("right")
    if left == "module.exports":
        names = [right] if right.type == "identifier" else []
        if right.type == "object":
            names = [pair.child_by_field_name("key") or pair for pair in right.named_children]
        yield from (Export(text_of(name), text_of(name)) for name in names if text_of(name).isidentifier())
    elif left.removeprefix("module.").startswith("exports.") and left.rpartition(".")[2].isidentifier():
        name = left.rpartition(".")[2]
        yield Export(name, name)


def _script_methods(node: Any) -> Iterator[Export]:
    """The public methods of an exported class."""
    body = node.child_by_field_name("body")
    for method in children(body, "method_definition") if body is not None else ():
        name = name_of(method)
        access = first(method, "accessibility_modifier")
        hidden = access is not None and text_of(access) != "public"
        if name and not hidden and name != "constructor" and not name.startswith(("_", "#")):
            yield Export(f"{name_of(node)}.{name}", f"{name_of(node)}.{head_of(method)}")


def _script_imported(root: Any) -> Iterator[str]:
    """The strings that are imported, re-exported or required at the top level."""
    for node in root.named_children:
        source = node.child_by_field_name("source")
        if node.type in ("import_statement", "export_statement") and source is not None:
            yield text_of(source)[1:-1]
        elif node.type in _VARIABLES:
            for item in children(node, "variable_declarator"):
                call = item.child_by_field_name("value")
                if call is not None and call.type == "call_expression" and call.text.startswith(b"require("):
                    yield text_of(call)[len("require(") : -1].strip("\"'` ")


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
    language = _language(module, function)
    if language is None:
        return FileFacts()
    root = _root(language, text.encode())
    return FileFacts() if root is None else facts(root)


def _root(language: Any, data: bytes) -> Any:
    """The root of the syntax tree; None for what is no code and would take time that grows with its square.

    To recover from errors a parser tries much and reads again: steps and bytes are counted. Code takes a
    tenth of what is allowed.
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
        return steps > _FREE + len(data) // 10 or read > 20 * (_CHUNK + len(data))

    parser = import_module("tree_sitter").Parser(language)  # one a call: a parser is for one thread
    try:
        return parser.parse(chunk, progress_callback=is_over).root_node
    except ValueError:  # it was told to stop
        return None


@cache
def _language(module: str, function: str) -> Any:
    """A grammar, None where it is not installed."""
    try:
        tree_sitter = import_module("tree_sitter")
        grammar = getattr(import_module(module), function)()
    except ImportError:
        return None
    return tree_sitter.Language(grammar)
