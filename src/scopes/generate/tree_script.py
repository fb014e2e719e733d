"""Facts of TypeScript and JavaScript modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .facts import Export, FileFacts, Import
from .tree import children, first, head_of, name_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

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
            members += [member for inner in children(node, *_CLASSES) for member in _methods(inner)]
        else:
            found = list(_common(node))
        exports |= {export.name: export for export in found if export.name not in exports}
    imports = [Import("JavaScript", target) for target in _imported(root)]
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


def _methods(node: Any) -> Iterator[Export]:
    """The public methods of an exported class."""
    body = node.child_by_field_name("body")
    for method in children(body, "method_definition") if body is not None else ():
        name = name_of(method)
        access = first(method, "accessibility_modifier")
        hidden = access is not None and text_of(access) != "public"
        if name and not hidden and name != "constructor" and not name.startswith(("_", "#")):
            yield Export(f"{name_of(node)}.{name}", f"{name_of(node)}.{head_of(method)}")


def _imported(root: Any) -> Iterator[str]:
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
