"""Checks the structure of a body with Pydantic and translates its errors into our paths and codes.

Structure is what a JSON Schema can express: keys, JSON types, closed sets of words. A fault repeats nothing
of the body except keys in its path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, cast, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from askback.domain.faults import join
from askback.domain.fields import AnyField
from askback.domain.kinds import BUILT_IN
from askback.domain.validation.report import Report, join_key
from askback.domain.validation.texts import has_lone_surrogate

Steps = tuple[str | int, ...]
"""A place in the unparsed body: keys and indexes."""

AnyModel = TypeVar("AnyModel", bound=BaseModel)

MAX_ERRORS = 1000
"""The maximum number of errors that are reported one by one: a large body can have 100,000 of them."""

_QUOTED = re.compile(r"'([^']*)'")
_WRONG_TYPE = {
    "string_type": "string",
    "int_type": "integer",
    "float_type": "number",
    "bool_type": "boolean",
    "list_type": "list",
    "dict_type": "object",
    "model_type": "object",
    "model_attributes_type": "object",
}
_SIZES = {
    "string_too_long": ("too_long", "max_length", "max"),
    "string_too_short": ("empty", "min_length", "min"),
    "too_short": ("too_few", "min_length", "min"),
    "too_long": ("too_many", "max_length", "max"),
}
_BOUNDS = {
    "greater_than_equal": ("below_min", "ge", "min"),
    "greater_than": ("below_min.step", "gt", "min"),
    "less_than_equal": ("above_max", "le", "max"),
}
_SHORTHANDS = {"Option", "Agent"}
_FIELD_KEYS = frozenset(key for kind in get_args(get_args(AnyField)[0]) for key in kind.model_fields)


class ErrorLocation(NamedTuple):
    """The place of an error: its steps, the value there, the object around it, and the tag of that object."""

    steps: Steps
    value: Any
    parent: Any
    present: bool


def parse(model: type[AnyModel], body: object) -> AnyModel:
    """Return `body` as a `model`, or raise `Faults` with all errors in its structure."""
    try:
        return model.model_validate(body, by_name=False)  # `is_` is for Python only
    except ValidationError as error:
        report = Report()
        report_structure(error, body, report, path="")
        report.finish()
        raise


def encode_body(body: object) -> bytes | None:
    """Return the body as compact JSON in UTF-8; None if it has a text without a UTF-8 form."""
    try:
        return to_json(body)
    except (PydanticSerializationError, UnicodeEncodeError, ValueError):
        return None


def report_structure(error: ValidationError, body: object, report: Report, *, path: str) -> set[Steps]:
    """Report Pydantic's errors about `body`, which is at `path`; returns their places in the body."""
    if error.error_count() > MAX_ERRORS:
        report.add(path, "too_many.faults", max=MAX_ERRORS)
        report.finish()
    reported_steps: set[Steps] = set()
    errors = error.errors(include_input=False, include_url=False)
    texts = {loc[: loc.index(_LANGUAGES)] for error in errors if _LANGUAGES in (loc := error["loc"])}
    for item in errors:
        location = _error_location(body, item["loc"], item["type"])
        if item["loc"][-1:] == ("str",) and item["loc"][:-1] in texts:
            if isinstance(location.value, Mapping):
                continue  # the languages of a text have their own errors
            item["loc"] = item["loc"][:-1]
        if _is_implied(location, item["type"]):
            continue
        steps, key, params = _fault_of(location, cast("dict[str, Any]", item))
        report.add(path_of(steps, path), key, **params)
        reported_steps.add(steps)
    return reported_steps


def report_surrogates(body: object, report: Report, *, path: str) -> set[Steps]:
    """Report every string in `body` that has half a surrogate pair."""
    steps_with_surrogates = {steps for steps, text in _strings(body, ()) if has_lone_surrogate(text)}
    for steps in sorted(steps_with_surrogates, key=str):
        report.add(path_of(steps, path), "lone_surrogate")
    return steps_with_surrogates


def path_of(steps: Steps, path: str) -> str:
    """Write steps as a path that begins with `path`."""
    for step in steps:
        path = join(path, step) if isinstance(step, int) else join_key(path, step)
    return path


def _error_location(body: object, location: Sequence[str | int], kind: str) -> ErrorLocation:
    """Find Pydantic's location in the body, without the names of union members that it inserts."""
    if location and location[-1] in ("int", "float") and kind in _NUMBER_ERRORS:
        location = location[:-1]
    current = ErrorLocation((), body, None, present=True)
    for index, step in enumerate(location):
        last = index == len(location) - 1
        in_list = not last and index and isinstance(location[index - 1], int)
        if in_list and _is_branch(current.value, step, location[index + 1]):
            continue
        is_present, value = _member(current.value, step)
        if is_present or (last and (kind == "missing" or step == _IMPLIED_KEY)):
            current = ErrorLocation((*current.steps, step), value, current.value, present=is_present)
    return current


_IMPLIED_KEY = "value"
_LANGUAGES = "dict[str,str]"
"""How Pydantic names the branch of a text in several languages."""
_NUMBER_ERRORS = frozenset({"int_type", "float_type", "finite_number"})


def _is_branch(value: object, step: str | int, next_step: str | int) -> bool:
    """Return whether a step is Pydantic's name of a union member, and not a key, such as `function` next to `type`."""
    member = _member(value, step)[1]
    return _tag(value) == step and (not isinstance(member, Mapping) or _member(value, next_step)[0])


def _tag(value: object) -> object:
    return cast("Mapping[str, object]", value).get("type") if isinstance(value, Mapping) else None


def _member(value: object, step: str | int) -> tuple[bool, Any]:
    if isinstance(value, Mapping):
        members = cast("Mapping[object, Any]", value)
        return step in members, members.get(step)
    if isinstance(value, (list, tuple)) and isinstance(step, int):
        items = cast("Sequence[Any]", value)
        return step < len(items), items[step] if step < len(items) else None
    return False, None


def _is_implied(location: ErrorLocation, kind: str) -> bool:
    """An option's default value is its label: only the fault of the label is reported."""
    if location.present or not location.steps:
        return False
    if kind != "missing":
        return True
    is_labelled = isinstance(_member(location.parent, "label")[1], str | Mapping)
    return location.steps[-1] == _IMPLIED_KEY and "options" in location.steps and not is_labelled


def _fault_of(location: ErrorLocation, error: dict[str, Any]) -> tuple[Steps, str, dict[str, Any]]:
    """Return the place, key and params of an error's fault."""
    kind, context = error["type"], error.get("ctx", {})
    steps = location.steps
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        return _fault_of_tag(location, context)
    if kind == "missing":
        needs_options = steps[-1:] == ("options",)
        return steps, "option_required" if needs_options else "missing_required", {}
    if kind in ("extra_forbidden", "none_required"):
        return _fault_of_extra_key(location)
    if kind == "literal_error":
        return _fault_of_word(location, context["expected"])
    if kind in _SIZES:
        key, bound, param = _SIZES[kind]
        return steps, key, {param: context[bound], "got": len(location.value)}
    if kind in _BOUNDS:
        key, bound, param = _BOUNDS[kind]
        return steps, key, {param: context[bound]}
    if kind == "string_type" and error["loc"][-1] == "str":
        return steps, "wrong_type.string_or_number", {}
    if kind == "bool_type" and error["loc"][-1] == "bool":
        return steps, "wrong_type.boolean_or_name", {}
    if kind == "finite_number":
        return steps, "non_finite_number", {}
    if kind in _NUMBER_ERRORS and error["loc"][-1] in ("int", "float"):
        return steps, "wrong_type.number", {}
    expected_type = _WRONG_TYPE.get(kind, "json")
    if context.get("class_name") in _SHORTHANDS:
        expected_type = "string_or_object"
    return steps, f"wrong_type.{expected_type}", {}


def _fault_of_tag(location: ErrorLocation, context: dict[str, Any]) -> tuple[Steps, str, dict[str, Any]]:
    steps = (*location.steps, "type")
    is_present, value = _member(location.value, "type")
    if not is_present:
        return steps, "missing_required", {}
    if not isinstance(value, str):
        return steps, "wrong_type.string", {}
    return steps, "unknown_type", {"allowed": _quoted_values(context["expected_tags"])}


def _fault_of_extra_key(location: ErrorLocation) -> tuple[Steps, str, dict[str, Any]]:
    tag = _tag(location.parent)
    is_field = "fields" in location.steps and location.steps[-2:-1] and isinstance(location.steps[-2], int)
    if is_field and location.steps[-3:-2] == ("fields",) and location.steps[-1] in _FIELD_KEYS:
        return location.steps, "constraint_not_allowed", {"type": tag}
    return location.steps, "unknown_field.key", {}


def _fault_of_word(location: ErrorLocation, expected_words: str) -> tuple[Steps, str, dict[str, Any]]:
    if not isinstance(location.value, str):
        return location.steps, "wrong_type.string", {}
    if location.steps == ("kind",):
        return location.steps, "unknown_type", {"allowed": ", ".join(BUILT_IN)}
    if location.steps[-1:] == ("type",):
        return location.steps, "unknown_type", {"allowed": _quoted_values(expected_words)}
    return location.steps, "unknown_value", {"allowed": _quoted_values(expected_words)}


def _quoted_values(expected_words: str) -> str:
    return ", ".join(_QUOTED.findall(expected_words))


def _strings(value: object, steps: Steps) -> Iterable[tuple[Steps, str]]:
    if isinstance(value, str):
        yield steps, value
    elif isinstance(value, Mapping):
        for key, member in cast("Mapping[str, object]", value).items():
            yield from _strings(member, (*steps, key))
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(cast("Sequence[object]", value)):
            yield from _strings(item, (*steps, index))
