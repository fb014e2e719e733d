"""What the readers of syntax trees share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..prose import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 200


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
