"""Facts of Java source files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..prose import first_sentence, one_line
from .facts import Export, FileFacts, Import
from .tree import children, first, head_of, name_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        members=tuple(member for node in types if _is_public(node) for member in _methods(node)),
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


def _methods(owner: Any) -> Iterator[Export]:
    body = owner.child_by_field_name("body")
    for node in children(body, "method_declaration") if body is not None else ():
        if _is_public(node) or owner.type == "interface_declaration":
            yield Export(f"{name_of(owner)}.{name_of(node)}", f"{name_of(owner)}: {_head(node)}")
