"""JSON Schemas of replies that no model describes, and bodies that are one of several models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TEXT: Mapping[str, Any] = {"type": "string"}
INTEGER: Mapping[str, Any] = {"type": "integer"}
NAME_OR_NULL: Mapping[str, Any] = {"type": ["string", "null"]}
ANYTHING: Mapping[str, Any] = {"type": "object"}
OBJECTS: Mapping[str, Any] = {"type": "array", "items": ANYTHING}
REQUEST: Mapping[str, Any] = {"$ref": "#/components/schemas/InputRequest"}


def nullable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a value that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A body that is one of several models."""

    models: tuple[type, ...]


def shape(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with all of these members."""
    return {"type": "object", "properties": properties, "required": list(properties)}
