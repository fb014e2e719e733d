"""Facts of Go source files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..prose import first_sentence
from .facts import Export, FileFacts, Import
from .tree import children, first, head_of, name_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator


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
