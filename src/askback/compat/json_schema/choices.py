"""Choices in a schema: `enum`, or `const` with a title in `oneOf` or `anyOf`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from askback.compat.json_schema.hints import Hints
from askback.compat.json_schema.keywords import Schema
from askback.compat.json_schema.resolver import RootSchema, resolve
from askback.compat.json_schema.unsupported import UnsupportedKeyword


@dataclass(frozen=True, slots=True)
class Choices:
    """The options of a field, the value of the schema for each option's value, and whether other texts are allowed."""

    options: list[dict[str, Any]]
    values: Mapping[Any, Any]
    allow_other: bool = False

    def read(self, value: Any) -> Any:
        """Return the value of the schema for a chosen option."""
        return self.values.get(value, value)

    def option_of(self, value: Any) -> Any:
        """Return the option's value for a value of the schema; None without one."""
        for option, original in self.values.items():
            if type(original) is type(value) and original == value:
                return option
        return value if self.allow_other and isinstance(value, str) else None


def read_choices(schema: Schema, hints: Hints, root: RootSchema) -> Choices | None:
    """Return the choices of a resolved schema; None if it is not a list of choices."""
    if "enum" in schema:
        names: Any = hints.get("enumNames") or schema.get("enumNames")
        return _choices(
            [(value, _label(value, names, index), None) for index, value in enumerate(schema["enum"])]
        )
    for keyword in ("oneOf", "anyOf"):
        if keyword in schema:
            return _alternatives(keyword, schema[keyword], hints, root)
    return None


def _alternatives(keyword: str, raw: Sequence[Any], hints: Hints, root: RootSchema) -> Choices | None:
    parts = [resolve(item, root).schema for item in raw]
    if parts and all("const" in part for part in parts):
        return _choices(
            [(p["const"], p.get("title") or _label(p["const"]), p.get("description")) for p in parts]
        )
    if len(parts) == 2 and keyword == "anyOf" and _is_any_text(parts[1]):
        choices_of_part = read_choices(parts[0], hints, root)
        if choices_of_part is not None:
            return Choices(choices_of_part.options, choices_of_part.values, allow_other=True)
    raise UnsupportedKeyword(
        "A form cannot ask for one of several shapes. Use one type, or choices (`enum`, or `oneOf` with `const`).",
        keyword,
    )


def _is_any_text(schema: Schema) -> bool:
    return (
        schema.get("type") == "string"
        and set(schema) <= {"type", "minLength"}
        and schema.get("minLength", 1) <= 1
    )


def _choices(entries: Sequence[tuple[Any, str, str | None]]) -> Choices:
    values: dict[Any, Any] = {}
    options: list[dict[str, Any]] = []
    for value, label, description in entries:
        if not isinstance(value, str | int | float):
            raise UnsupportedKeyword("An option of a form is a text, a number or a truth value.", "enum")
        key = _option_value(value)
        if key in values:
            raise UnsupportedKeyword("Two choices have the same value in a form.", "enum")
        values[key] = value
        options.append(
            {"value": key, "label": label} | ({} if description is None else {"description": description})
        )
    return Choices(options, values)


def _option_value(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _label(value: Any, names: Any = None, index: int = 0) -> str:
    """Return the label of a value: its name, else the value, else a dash for an empty text."""
    if isinstance(names, list) and index < len(cast("list[Any]", names)):
        value = cast("list[Any]", names)[index] or value
    return str(value) or "–"
