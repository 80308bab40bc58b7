"""The arguments of `ask_user` as a form, with iHub's sentences for what it refuses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, cast

from pydantic import AfterValidator, Field
from pydantic_core import PydanticKnownError

from askback.domain.faults import Fault, Faults
from askback.domain.model import Model
from askback.domain.options import OptionValue
from askback.domain.patterns import has_nested_quantifiers
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.domain.validation.texts import is_blank
from askback.ports.systems import Json

TOOL = "ask_user"
FIELD = "answer"
TYPES = ("text", "select", "multiselect", "confirm", "number", "date")
CHOICES = ("select", "multiselect", "confirm")
MAX_OPTION = 100
CUT = {"placeholder": 200, "context": 500, "message": 200}
"""The longest texts of those that iHub cuts."""
_YES_NO = (
    {"value": "Yes", "label": {"en": "Yes", "de": "Ja"}},
    {"value": "No", "label": {"en": "No", "de": "Nein"}},
)
_NATIVE_TYPES = {"text": "textarea", "confirm": "select"}
_BOUNDS = {"text": "_length", "multiselect": "_choices"}
"""What `min` and `max` count, where that is not the value itself."""
_PATHS = (
    (r"form\.title", "question"),
    (r"form\.description", "context"),
    (r"form\.fields\[0\]\.messages\..*", "validation.message"),
    (r"form\.fields\[0\]\.(min|max|pattern)(_\w+)?", r"validation.\1"),
    (r"form\.(fields\[0\]\.)?", ""),
)
_NONE = "(missing_required|wrong_type|empty)"
_OPTION = r"options\[(?P<index>\d+)\]"
_NO_OPTIONS = (
    "Options array is required for input_type '{type}'. Either provide options like "
    '[{{label: "Option 1", value: "opt1"}}] or use input_type: \'text\' for open-ended questions.'
)
_SENTENCES = (
    (rf" |question {_NONE}", "Question is required and must be a string"),
    (r"input_type ", f"Invalid input_type. Supported types: {', '.join(TYPES)}"),
    (r"options too_many", "Too many options (max {max}, got {got})"),
    (r"options \w+ (?P<type>(multi)?select)", _NO_OPTIONS),
    (rf"{_OPTION} wrong_type", "Option at index {index} must be an object"),
    (rf"{_OPTION}\.label {_NONE}", "Option at index {index} must have a string label"),
    (rf"{_OPTION}\.(?P<name>\w+) too_long", "Option {name} at index {index} too long (max {max} chars)"),
    (r"validation\.pattern too_long", "Regex pattern too long (max {max} characters)"),
    (r".* unsafe_pattern", "Regex pattern contains potentially unsafe nested quantifiers (ReDoS risk)"),
    (r".* invalid_pattern", "Invalid regex pattern: {reason}"),
    (r"(validation\.)?(?P<name>\w+) too_long", "{name} too long (max {max} chars, got {got})"),
)
"""What iHub says of a path, a code and a type."""


def _check_text(text: str) -> str:
    if is_blank(text):
        raise PydanticKnownError("string_too_short", {"min_length": 1})
    return text


def _check_value(value: OptionValue) -> OptionValue:
    if isinstance(value, str) and len(value) > MAX_OPTION:
        raise PydanticKnownError("string_too_long", {"max_length": MAX_OPTION})
    return value


class AskedOption(Model, extra="ignore"):
    """An option; its value is its label where none is given."""

    label: Annotated[str, AfterValidator(_check_text)] = Field(max_length=MAX_OPTION)
    value: Annotated[OptionValue, AfterValidator(_check_value)] | None = None


class Rules(Model, extra="ignore"):
    """The rules of the answer; the native form checks the bounds."""

    pattern: str = Field(default="", max_length=200)
    min: Any = None
    max: Any = None
    message: str = Field(default="", max_length=CUT["message"])


class Arguments(Model, extra="ignore"):
    """The arguments of `ask_user`, in the order in which iHub checks them, with their native names."""

    title: Annotated[str, AfterValidator(_check_text)] = Field(alias="question", max_length=500)
    type: str = Field(default="text", alias="input_type")
    options: list[AskedOption] = Field(default_factory=list[AskedOption], max_length=20)
    validation: Rules = Field(default_factory=Rules)
    placeholder: str = Field(default="", max_length=CUT["placeholder"])
    description: str = Field(default="", alias="context", max_length=CUT["context"])
    allow_other: bool = False
    allow_skip: bool = False


def read_question(arguments: object, *, truncate: bool = False) -> Json:
    """Return the form of a question; raises `Faults`.

    With `truncate`, the texts that iHub cuts are cut, else they are refused.
    """
    asked = parse(Arguments, _tidy(arguments, CUT if truncate else {}))
    kind = asked.type or "text"
    report = Report()
    if kind not in TYPES:
        report.add("input_type", "unknown_type")
    if kind in ("select", "multiselect") and not asked.options:
        report.add("options", "option_required")
    for n in repeated([each.label for each in asked.options]):
        report.add(f"options[{n}].label", "duplicate_option")
    if has_nested_quantifiers(asked.validation.pattern):
        report.add("validation.pattern", "unsafe_pattern")
    report.finish()
    field: Json = {"id": FIELD, "type": _NATIVE_TYPES.get(kind, kind), "required": True}
    if kind in CHOICES:
        options = [each.model_dump(exclude_none=True) for each in asked.options]
        field |= {"options": options or _YES_NO, "allow_other": asked.allow_other}
    if kind == "confirm":
        field["widget"] = "confirm"
    rules = asked.validation.model_dump(exclude_unset=True)
    message, bound = rules.pop("message", None), _BOUNDS.get(kind, "")
    rules = {name if name == "pattern" else name + bound: value for name, value in rules.items()}
    if message is not None:
        field["messages"] = dict.fromkeys(("type", *rules), message)
    field |= {**rules, **asked.model_dump(include={"placeholder"}, exclude_unset=True)}
    form = asked.model_dump(include={"title", "description", "allow_skip"}, exclude_unset=True)
    return {**form, "format": "plain", "fields": [field]}


def repeated(texts: Sequence[str]) -> Sequence[int]:
    """Return the places of the texts that a text before them is equal to."""
    return [n for n, text in enumerate(texts) if text in texts[:n]]


def in_words(found: Faults, arguments: object) -> Faults:
    """Return the faults of a question at their places in the arguments, in the words of iHub."""
    kind = cast("Json", arguments).get("input_type") if isinstance(arguments, dict) else None
    return Faults([_in_words(each, kind) for each in found.with_paths(_PATHS).faults])


def _in_words(found: Fault, kind: object) -> Fault:
    for pattern, text in _SENTENCES:
        if place := re.match(pattern, f"{found.path} {found.code} {kind}"):
            said = text.format(**{**found.params, **place.groupdict()})
            return replace(found, params={**found.params, "message": said[0].upper() + said[1:]})
    return found


def _tidy(value: Any, most: Mapping[str, int], name: str = "") -> Any:
    """Return JSON as iHub reads it: texts cut, and no member that is null or an empty option."""
    if isinstance(value, str):
        empty = is_blank(value) if name in CUT else not value and name in ("pattern", "min", "max")
        return None if empty else value[: most.get(name)]
    if isinstance(value, list):
        return [_tidy(each, most) for each in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    members = ((name, _tidy(each, most, name)) for name, each in cast("Json", value).items())
    return {name: each for name, each in members if each is not None}
