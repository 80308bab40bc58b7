"""The schemas of the tools' arguments, in words that every client reads.

Some clients read only `type`, `items` and `nullable` of an argument. For smolagents, an `anyOf` of a list and null is a
text, and every argument that is not `nullable` is required. Others do not resolve `$ref`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from askback.domain.model import Model

Json = dict[str, Any]


def schema_of(arguments: type[Model]) -> Json:
    """Return the schema of arguments, where null is the same as no argument (`given`)."""
    schema = arguments.model_json_schema()
    plain = cast("Json", _simplify(schema, schema.get("$defs", {})))
    required = plain.get("required", ())
    properties = {
        name: part if name in required else {**part, "nullable": True}
        for name, part in plain["properties"].items()
    }
    kept = {key: value for key, value in plain.items() if key not in {"$defs", "title", "description"}}
    return {**kept, "properties": properties}


def given(arguments: type[Model], values: Mapping[str, Any]) -> Json:
    """Return the arguments of a call without those that are optional and null."""
    fields = arguments.model_fields
    return {
        name: value
        for name, value in values.items()
        if value is not None or name not in fields or fields[name].is_required()
    }


def _simplify(node: Any, definitions: Json) -> Any:
    """Return a part of a schema with the definitions in their places, and `nullable` for a choice of null."""
    if isinstance(node, list):
        return [_simplify(item, definitions) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    part = cast("Json", node)
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        part = {**definitions[name], **{key: value for key, value in part.items() if key != "$ref"}}
    choices = part.get("anyOf", [])
    others = [choice for choice in choices if choice != {"type": "null"}]
    if len(others) == 1 and len(choices) > 1:
        kept = {key: value for key, value in part.items() if key not in {"anyOf", "default"}}
        part = {**others[0], **kept, "nullable": True}
    return {key: _simplify(value, definitions) for key, value in part.items() if key != "$defs"}
