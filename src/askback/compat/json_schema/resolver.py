"""Makes one plain schema of a schema with references, one-element compositions and null."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from askback.compat.json_schema.keywords import Schema, well_formed
from askback.compat.json_schema.unsupported import Unsupported


class Resolved(NamedTuple):
    """A schema without `$ref`, whether it also allows null, and the references that led to it."""

    schema: dict[str, Any]
    nullable: bool
    references: frozenset[str]


def resolve(schema: object, root: Schema, seen: frozenset[str] = frozenset()) -> Resolved:
    """Follow local references and merge `allOf`, and take null out of types and alternatives.

    Raises `Unsupported` for a schema that is not valid, for a reference that leads elsewhere or to itself, and for
    parts that contradict each other.
    """
    plain = well_formed(schema)
    if "$ref" in plain:
        reference = plain.pop("$ref")
        if reference in seen:
            raise Unsupported("A schema that refers to itself has no end in a form.", "$ref")
        seen = seen | {reference}
        plain = {**_target(reference, root), **plain}
        return resolve(plain, root, seen)
    for index, part in enumerate(plain.pop("allOf", [])):
        plain = _merged(plain, resolve(part, root, seen).schema, "allOf", index)
    nullable = plain.pop("nullable", False) is True
    if isinstance(plain.get("type"), list):
        types = cast("list[str]", plain["type"])
        others = [each for each in types if each != "null"]
        nullable = nullable or len(others) < len(types)
        if len(others) != 1:
            raise Unsupported("A field of a form has one type. Choose one.", "type")
        plain["type"] = others[0]
    if None in (values := plain.get("enum", [])):
        plain["enum"], nullable = [each for each in values if each is not None], True
    for keyword in ("anyOf", "oneOf"):
        if keyword not in plain:
            continue
        alternatives = [each for each in plain[keyword] if not _is_null(each)]
        nullable = nullable or len(alternatives) < len(plain[keyword])
        plain[keyword] = alternatives
        if len(alternatives) == 1 and "const" not in alternatives[0]:
            only = resolve(alternatives[0], root, seen)
            del plain[keyword]
            return Resolved({**only.schema, **plain}, nullable or only.nullable, only.references)
    return Resolved(plain, nullable, seen)


def _is_null(schema: Schema) -> bool:
    return schema.get("type") == "null" or schema.get("const", ...) is None


def _target(reference: object, root: Schema) -> Schema:
    if not isinstance(reference, str) or not reference.startswith("#"):
        raise Unsupported("Only references within the schema (#/…) are followed.", "$ref")
    node: Any = root
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        node = cast("Schema", node).get(name) if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping):
        raise Unsupported("The reference leads nowhere.", "$ref")
    return cast("Schema", node)


def _merged(one: dict[str, Any], other: dict[str, Any], *steps: str | int) -> dict[str, Any]:
    merged = dict(one)
    for key, value in other.items():
        if key == "properties":
            merged[key] = {**merged.get(key, {}), **value}
        elif key == "required":
            merged[key] = [*merged.get(key, []), *value]
        elif key in ("title", "description", "default"):
            merged.setdefault(key, value)
        elif key in merged and merged[key] != value:
            raise Unsupported(f"It contradicts or narrows `{key}` beside it. Write one schema.", *steps)
        else:
            merged[key] = value
    return merged
