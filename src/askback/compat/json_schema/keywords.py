"""The types that the values of JSON Schema's keywords have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from askback.compat.json_schema.unsupported import UnsupportedKeyword

Schema = Mapping[str, Any]

_ANY_VALUE = ("const", "default")
"""Keywords for which null is a value; elsewhere it means that the keyword is not there, as many programs write it."""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int | float) and _is_number(value) and value >= 0 and value == value // 1


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_list_of(kind: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(map(kind, cast("list[object]", value)))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_type(value: object) -> bool:
    return _is_text(value) or _is_list_of(_is_text)(value)


_TYPES: Mapping[str, tuple[Callable[[object], bool], str]] = {
    **dict.fromkeys(
        ("$ref", "title", "description", "format", "pattern", "formatMinimum", "formatMaximum"),
        (_is_text, "a text"),
    ),
    **dict.fromkeys(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), (_is_number, "a number")
    ),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), (_is_count, "a whole number from 0")),
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), (_is_list_of(_is_object), "a list of schemas")),
    "enum": (lambda value: isinstance(value, list) and value != [], "a list of at least one value"),
    "required": (_is_list_of(_is_text), "a list of names"),
    "type": (_is_type, "a text, or a list of texts"),
    "properties": (_is_object, "an object"),
}


def well_formed(schema: object) -> dict[str, Any]:
    """Return a copy of one schema without keywords that are null.

    Raises `UnsupportedKeyword` for a value of a wrong type.
    """
    if not _is_object(schema):
        raise UnsupportedKeyword("A form needs a type here, such as string.")
    merged = {
        keyword: value
        for keyword, value in cast("Schema", schema).items()
        if value is not None or keyword in _ANY_VALUE
    }
    for keyword, (is_valid, expected_type) in _TYPES.items():
        if keyword in merged and not is_valid(merged[keyword]):
            raise UnsupportedKeyword(f"It must be {expected_type}.", keyword)
    return merged
