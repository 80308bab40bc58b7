"""Reads the schema of one property as a field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

from pydantic import TypeAdapter, ValidationError

from askback.compat.json_schema.choices import Choices, read_choices
from askback.compat.json_schema.hints import Hints
from askback.compat.json_schema.keywords import Schema
from askback.compat.json_schema.lines import as_lines, line_pattern, line_reader, unchecked_keywords
from askback.compat.json_schema.numbers import read_bounds
from askback.compat.json_schema.patterns import FLOATING, FORMATS, TIME, read_pattern
from askback.compat.json_schema.resolver import RootSchema, resolve
from askback.compat.json_schema.result import ABSENT, Reader
from askback.compat.json_schema.unsupported import UnsupportedKeyword
from askback.compat.translation import Steps
from askback.domain.fields import AnyField
from askback.domain.limits import DEFAULTS
from askback.domain.validation.value import is_provided, read_value
from askback.messages import translate

_FIELD_ADAPTER: TypeAdapter[AnyField] = TypeAdapter(AnyField)
_FIELD_TYPES_BY_FORMAT = {"date": "date", "time": "time", "date-time": "datetime"}
_UNSUPPORTED = {
    "string": ("contentEncoding", "not"),
    "array": ("prefixItems", "additionalItems", "contains", "unevaluatedItems", "not"),
    "number": ("not",),
    "boolean": ("not",),
}  # fmt: skip
_WITHOUT_SCHEMA = ("file",)
"""Types of fields that only askback's hints name: the schema describes no more than the value."""

_NOT_CHECKED = "A form does not check this."
_NO_SECRETS = "A form is no place for a secret: an answer reaches the model. Ask with `secrets.request(…)`."


class ReadField(NamedTuple):
    """A field, the reader of its value, its value when left empty, and the keywords that it does not check."""

    field: AnyField
    reader: Reader | None
    absent: Any
    losses: list[tuple[Steps, str]]


class _Draft:
    """A field in the making: its members, as on the wire."""

    def __init__(self, schema: Schema, hints: Hints, default: Any, *, required: bool) -> None:
        self.schema = schema
        self.hints = hints
        self.members: dict[str, Any] = {"required": required, "default": default}
        self.reader: Reader | None = None
        self.absent: Any = ABSENT
        self.losses: list[tuple[Steps, str]] = []

    def add_loss(self, *steps: str | int, reason: str = _NOT_CHECKED) -> None:
        """Note something that the form does not check."""
        self.losses.append((steps, reason))


class FieldReader:
    """Reads properties of one schema."""

    def __init__(self, root: RootSchema, locale: str) -> None:
        self._root = root
        self._locale = locale
        self._kinds: dict[str, Callable[[_Draft], None]] = {
            "string": _string,
            "number": _number,
            "integer": _number,
            "boolean": _boolean,
            "array": self._array,
        }

    def read(
        self, field_id: str, label: str, schema: Schema, hints: Hints, *, required: bool, default: Any
    ) -> ReadField:
        """Return the field; raises `UnsupportedKeyword` where no field fits."""
        draft = _Draft(schema, hints, default, required=required)
        if hints.own.get("type") in _WITHOUT_SCHEMA or "options_from" in hints.own:
            draft.members |= {"id": field_id, "label": label, "description": schema.get("description")}
            return ReadField(self._field(draft), None, ABSENT, [])
        kind = schema.get("type") or _implied_type(schema)
        for keyword in _UNSUPPORTED.get("number" if kind == "integer" else str(kind), ()):
            if keyword in schema:
                raise UnsupportedKeyword(f"A form has no rule `{keyword}`.", keyword)
        choices = None if kind in ("array", "boolean") else read_choices(schema, hints, self._root)
        if choices is not None:
            _read_single_choice(draft, choices)
        elif kind in self._kinds:
            self._kinds[kind](draft)
        else:
            raise UnsupportedKeyword(_no_field(kind))
        texts = [
            hints.get("description") or schema.get("description"),
            hints.get("help"),
            draft.members.pop("notice", None),
        ]
        draft.members |= {
            "id": field_id,
            "label": label,
            "description": "\n\n".join(text for text in texts if text) or None,
            "placeholder": hints.get("placeholder"),
            "readonly": schema.get("readOnly") is True or hints.get("readonly") is True or None,
        }
        return ReadField(self._field(draft), draft.reader, draft.absent, draft.losses)

    def _field(self, draft: _Draft) -> AnyField:
        data = {
            name: value for name, value in {**draft.members, **draft.hints.own}.items() if value is not None
        }
        default = data.pop("default", None)
        try:
            field = _FIELD_ADAPTER.validate_python(data)
        except ValidationError as error:
            problem = error.errors()[0]
            raise UnsupportedKeyword(f"{'.'.join(map(str, problem['loc'][1:]))}: {problem['msg']}.") from None
        if default is None or not is_provided(field, default):
            return field
        if read_value(field, default, limits=DEFAULTS, required=False).faults:
            draft.add_loss("default", reason="The field does not accept this value, and starts empty.")
            return field
        return _FIELD_ADAPTER.validate_python({**data, "default": default})

    def _array(self, draft: _Draft) -> None:
        items = resolve(draft.schema.get("items"), self._root).schema
        choices = read_choices(items, draft.hints, self._root)
        minimum, maximum = draft.schema.get("minItems", 0), draft.schema.get("maxItems")
        draft.absent = [] if minimum == 0 else ABSENT
        draft.members["required"] = draft.members["required"] and minimum > 0
        if choices is not None:
            _read_multiple_choices(draft, choices, minimum or None, maximum)
        elif items.get("type") in ("string", "integer", "number"):
            pattern = line_pattern(draft.schema, items)
            draft.members |= {
                "type": "textarea",
                "pattern": pattern,
                "default": as_lines(draft.members["default"]),
            }
            draft.members["notice"] = translate("form.one_per_line", self._locale)
            draft.members["pattern_message"] = None if pattern is None else draft.members["notice"]
            draft.reader = line_reader(items)
            for keyword in unchecked_keywords(draft.schema, items):
                draft.add_loss(*keyword.split("."))
        else:
            raise UnsupportedKeyword("A form can ask for a list of choices, texts or numbers only.", "items")


def _implied_type(schema: Schema) -> Any:
    """Return the type that the keywords of a schema without `type` stand for."""
    if isinstance(schema.get("const"), bool) or all(
        isinstance(item, bool) for item in schema.get("enum", [0])
    ):
        return "boolean"
    return "string" if {"enum", "oneOf", "anyOf"} & set(schema) else None


def _no_field(kind: object) -> str:
    if kind == "object":
        return "A form needs to know the names of an object's properties. Give `properties`."
    return "A form needs a type here: string, number, integer, boolean, array or object."


def _read_single_choice(draft: _Draft, choices: Choices) -> None:
    draft.members |= {
        "type": "radio" if draft.hints.get("widget") == "radio" else "select",
        "options": choices.options,
        "allow_other": choices.allow_other,
        "default": choices.option_of(draft.members["default"]),
    }
    draft.reader = choices.read


def _read_multiple_choices(draft: _Draft, choices: Choices, minimum: int | None, maximum: int | None) -> None:
    default = draft.members["default"]
    if maximum is not None and maximum >= len(choices.options) and not choices.allow_other:
        maximum = None
    default_options = (
        [choices.option_of(item) for item in cast("list[Any]", default)]
        if isinstance(default, list)
        else None
    )
    draft.members |= {
        "type": "multiselect",
        "options": choices.options,
        "allow_other": choices.allow_other,
        "min_choices": minimum,
        "max_choices": maximum,
        "default": default_options or None,
    }
    draft.reader = lambda chosen: [choices.read(item) for item in chosen]


def _string(draft: _Draft) -> None:
    schema, widget = draft.schema, draft.hints.get("widget") or draft.schema.get("widget")
    secret = schema.get("format") == "password" or schema.get("writeOnly") is True or widget == "password"
    if secret and not draft.hints.own.get("sensitive"):
        raise UnsupportedKeyword(_NO_SECRETS)
    format_ = schema.get("format")
    if format_ == "binary":
        raise UnsupportedKeyword("A form cannot ask for bytes.", "format")
    if format_ in _FIELD_TYPES_BY_FORMAT or schema.get("pattern") in (TIME, FLOATING):
        _moment(draft, _FIELD_TYPES_BY_FORMAT.get(str(format_), "time"))
        if schema.get("pattern") == FLOATING:
            draft.members |= {"type": "datetime", "floating": True}
        return
    min_length = schema.get("minLength")
    draft.members |= {
        "type": "textarea" if widget == "textarea" else "text",
        "min_length": None
        if min_length == 0 or (min_length == 1 and draft.members["required"])
        else min_length,
        "max_length": schema.get("maxLength"),
        "pattern": _pattern(draft, format_),
    }


def _pattern(draft: _Draft, format_: Any) -> str | None:
    if "pattern" in draft.schema:
        if format_ is not None:
            draft.add_loss("format")
        try:
            return read_pattern(draft.schema["pattern"])
        except ValueError as error:
            raise UnsupportedKeyword(f"The pattern is not one of RE2: {error}.", "pattern") from None
    if format_ is not None and format_ not in FORMATS and format_ != "password":
        draft.add_loss("format")
    return FORMATS.get(format_) if isinstance(format_, str) else None


def _moment(draft: _Draft, kind: str) -> None:
    minimum, maximum = draft.schema.get("formatMinimum"), draft.schema.get("formatMaximum")
    for keyword in ("minLength", "maxLength", "formatExclusiveMinimum", "formatExclusiveMaximum"):
        if keyword in draft.schema:
            draft.add_loss(keyword)
    if draft.schema.get("format") == "time":
        draft.add_loss("format", reason="A form asks for a time of day without a zone.")
    draft.members |= {"type": kind, "min": minimum, "max": maximum}


def _number(draft: _Draft) -> None:
    bounds, losses = read_bounds(draft.schema)
    for keyword in losses:
        draft.add_loss(keyword, reason="The form accepts the bound itself.")
    draft.members |= {"type": "number", **bounds}


def _boolean(draft: _Draft) -> None:
    """Read a truth value. A form's required one must be true; here that is `const: true`."""
    must_be_true = draft.members["required"] and (
        draft.schema.get("const") is True or draft.schema.get("enum") == [True]
    )
    default = draft.members["default"]
    if not must_be_true and draft.schema.get("const") is True:
        draft.add_loss("const", reason="The form also accepts false.")
    if draft.members["required"] and not must_be_true:
        default, draft.absent = bool(default), False
    draft.members |= {
        "type": "boolean",
        "required": must_be_true,
        "default": default if isinstance(default, bool) else None,
    }
