"""Facts of Rust source files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..prose import first_sentence
from .facts import Export, FileFacts, Import
from .tree import children, first, head_of, name_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        exports=tuple(_exports(root)),
        members=tuple(_methods(root)),
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


def _exports(root: Any) -> Iterator[Export]:
    for node in root.named_children:
        name = name_of(node)
        if node.type == "function_item" and _is_public(node):
            yield Export(name, head_of(node))
        elif node.type in _KINDS and _is_public(node):
            yield Export(name, f"{_KINDS[node.type]} {name}")
        elif node.type == "macro_definition" and _is_macro_export(node):
            yield Export(name, f"macro {name}!")


def _methods(root: Any) -> Iterator[Export]:
    """Public functions of `impl` blocks that implement no trait."""
    for block in children(root, "impl_item"):
        body, owner = block.child_by_field_name("body"), block.child_by_field_name("type")
        if body is None or owner is None or block.child_by_field_name("trait") is not None:
            continue
        for node in children(body, "function_item"):
            if _is_public(node):
                name = text_of(owner).partition("<")[0]
                yield Export(f"{name}.{name_of(node)}", f"{name}::{head_of(node).removeprefix('pub ')}")


def _is_public(node: Any) -> bool:
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
