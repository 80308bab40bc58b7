"""Makes one plain schema of a schema with references, one-element compositions and null."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from askback.compat.json_schema.keywords import Schema, well_formed
from askback.compat.json_schema.unsupported import UnsupportedKeyword

MAX_PARTS = 50_000
"""The JSON values that the references of one schema may bring in together. A few can double many times."""


class RootSchema:
    """A whole schema, which counts what its references bring in."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._parts_left = MAX_PARTS

    def target(self, reference: object) -> Schema:
        """Return the part to which a reference leads; raises `UnsupportedKeyword`."""
        target = _target(reference, self.schema)
        self._parts_left -= _part_count(target)
        if self._parts_left < 0:
            raise UnsupportedKeyword(
                f"With this reference, the schema has more than {MAX_PARTS:,} parts. Refer to fewer schemas.",
                "$ref",
            )
        return target


class ResolvedSchema(NamedTuple):
    """A schema without `$ref`, whether it also allows null, and the references that led to it."""

    schema: dict[str, Any]
    nullable: bool
    references: frozenset[str]


def resolve(
    schema: object, root: RootSchema, seen_references: frozenset[str] = frozenset()
) -> ResolvedSchema:
    """Follow local references and merge `allOf`, and take null out of types and alternatives.

    Raises `UnsupportedKeyword` for a schema that is not valid, for a reference that leads elsewhere or to itself, for
    references that bring in too much, and for parts that contradict each other.
    """
    well_formed_schema = well_formed(schema)
    if "$ref" in well_formed_schema:
        reference = well_formed_schema.pop("$ref")
        if reference in seen_references:
            raise UnsupportedKeyword("A schema that refers to itself has no end in a form.", "$ref")
        seen_references = seen_references | {reference}
        well_formed_schema = {**root.target(reference), **well_formed_schema}
        return resolve(well_formed_schema, root, seen_references)
    for index, part in enumerate(well_formed_schema.pop("allOf", [])):
        well_formed_schema = _merged(
            well_formed_schema, resolve(part, root, seen_references).schema, "allOf", index
        )
    nullable = well_formed_schema.pop("nullable", False) is True
    if isinstance(well_formed_schema.get("type"), list):
        types = cast("list[str]", well_formed_schema["type"])
        other_types = [type_ for type_ in types if type_ != "null"]
        nullable = nullable or len(other_types) < len(types)
        if len(other_types) != 1:
            raise UnsupportedKeyword("A field of a form has one type. Choose one.", "type")
        well_formed_schema["type"] = other_types[0]
    if None in (values := well_formed_schema.get("enum", [])):
        well_formed_schema["enum"], nullable = [value for value in values if value is not None], True
    for keyword in ("anyOf", "oneOf"):
        if keyword not in well_formed_schema:
            continue
        alternatives = [item for item in well_formed_schema[keyword] if not _is_null(item)]
        nullable = nullable or len(alternatives) < len(well_formed_schema[keyword])
        well_formed_schema[keyword] = alternatives
        if len(alternatives) == 1 and "const" not in alternatives[0]:
            single_alternative = resolve(alternatives[0], root, seen_references)
            del well_formed_schema[keyword]
            return ResolvedSchema(
                {**single_alternative.schema, **well_formed_schema},
                nullable or single_alternative.nullable,
                single_alternative.references,
            )
    return ResolvedSchema(well_formed_schema, nullable, seen_references)


def _is_null(schema: Schema) -> bool:
    return schema.get("type") == "null" or schema.get("const", ...) is None


def _target(reference: object, root: Schema) -> Schema:
    if not isinstance(reference, str) or not reference.startswith("#"):
        raise UnsupportedKeyword("Only references within the schema (#/…) are followed.", "$ref")
    node: Any = root
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        node = cast("Schema", node).get(name) if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping):
        raise UnsupportedKeyword("The reference leads nowhere.", "$ref")
    return cast("Schema", node)


def _part_count(value: object) -> int:
    if isinstance(value, Mapping):
        return 1 + sum(map(_part_count, cast("Schema", value).values()))
    return 1 + sum(map(_part_count, cast("list[object]", value))) if isinstance(value, list) else 1


def _merged(first: dict[str, Any], second: dict[str, Any], *steps: str | int) -> dict[str, Any]:
    merged = dict(first)
    for key, value in second.items():
        if key == "properties":
            merged[key] = {**merged.get(key, {}), **value}
        elif key == "required":
            merged[key] = [*merged.get(key, []), *value]
        elif key in ("title", "description", "default"):
            merged.setdefault(key, value)
        elif key in merged and merged[key] != value:
            raise UnsupportedKeyword(
                f"It contradicts or narrows `{key}` beside it. Write one schema.", *steps
            )
        else:
            merged[key] = value
    return merged
