"""JSON Schemas as every client can read them: an object at the root, no unions, no null.

Some clients drop all tools of a server for one schema that they cannot read.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}


def described(schema: Schema, description: str) -> Schema:
    """The schema with a description for the model that fills it in."""
    return {**schema, "description": description}


def list_of(items: Schema) -> Schema:
    """A list of alike items."""
    return {"type": "array", "items": items}


def object_of(properties: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    """An object of exactly these properties, all required but those in `optional`."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
