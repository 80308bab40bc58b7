"""What a form is made of: the eleven field types, options, sections.

These classes are the one declaration of a form's *structure*: keys, JSON types and the closed
sets of words. The JSON Schema that drives the TypeScript checker and the OpenAPI document are
generated from them. Rules that need a number or a comparison (sizes, bounds, defaults, unique
ids) live in `validation/form.py`, because they depend on `Limits`.

Source: S004 (field types, sections, initial values), S000 and S001 (widgets, options, "Other").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

Number_ = int | float

# Where a parser has been before: for `JsonValue` Pydantic asks Python about the type of each value once more.
if TYPE_CHECKING:
    ReadJson = JsonValue
else:
    ReadJson = Any


class Model(BaseModel):
    """A frozen, closed model: unknown keys are refused and nothing is coerced."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Option(Model):
    """One choice. On the wire a plain string means `{"value": s, "label": s}`.

    `value` is what the agent gets and defaults to `label`, which the person sees as plain text.
    """

    value: str
    label: str
    description: str | None = None
    recommended: bool = False
    style: Literal["default", "primary", "danger"] | None = None


def _option(raw: Any) -> Any:
    if isinstance(raw, str):
        return {"value": raw, "label": raw}
    if not isinstance(raw, dict):
        return raw
    given = cast("dict[str, Any]", raw)
    return {"value": given["label"], **given} if "value" not in given and "label" in given else given


def _as_list(raw: Any) -> Any:
    return list(cast("tuple[Any, ...]", raw)) if isinstance(raw, tuple) else raw


OptionLike = Annotated[Option, BeforeValidator(_option, json_schema_input_type=str | Option)]

if TYPE_CHECKING:
    R = TypeVar("R")
    W = TypeVar("W")

    class Taken(Generic[R, W]):
        """What a type checker sees: a constructor takes a `W`, such as plain strings; reading gives an `R`."""

        def __get__(self, instance: object, owner: object = None) -> R: ...
        def __set__(self, instance: object, value: W) -> None: ...

    Options = Taken[list[Option], Sequence[str | Option]]
else:
    Options = Annotated[list[OptionLike], BeforeValidator(_as_list)]


def _no_options() -> Any:
    return []


_ABSENT: Any = None


class _Field(Model):
    id: str
    label: str
    description: str | None = None
    required: bool = False
    placeholder: str | None = None
    validate_on_client: bool = True
    sensitive: bool = False


class _TextRules(_Field):
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    pattern_message: str | None = None
    default: str | None = None


class Text(_TextRules):
    """One line of text; lengths count Unicode code points, `pattern` is RE2 and must match the whole value."""

    type: Literal["text"] = "text"


class Textarea(_TextRules):
    """Text of several lines; the rules are those of `Text`."""

    type: Literal["textarea"] = "textarea"


class Number(_Field):
    """A finite JSON number; `step` counts from `min` (from 0 without one)."""

    type: Literal["number"] = "number"
    min: Number_ | None = None
    max: Number_ | None = None
    step: Number_ | None = None
    default: Number_ | None = None


class Boolean(_Field):
    """Yes or no. Required means that it must be true, as for a consent."""

    type: Literal["boolean"] = "boolean"
    widget: Literal["switch", "checkbox", "confirm"] | None = None
    default: bool | None = None


class Checkbox(_Field):
    """A single checkbox: a `Boolean` that is always shown as a box."""

    type: Literal["checkbox"] = "checkbox"
    default: bool | None = None


class _Single(_Field):
    options: Options
    allow_other: bool = False
    default: str | None = None


class Select(_Single):
    """One of `options`, or with `allow_other` the person's own text.

    `widget="confirm"` without options means Yes and No (S000); `buttons` and `confirm` answer
    with one click when they are the form's only field.
    """

    type: Literal["select"] = "select"
    options: Options = Field(default_factory=_no_options)
    widget: Literal["dropdown", "buttons", "confirm", "chips"] | None = None


class Radio(_Single):
    """One of `options`, all of them in view."""

    type: Literal["radio"] = "radio"


class Multiselect(_Field):
    """Any of `options`, in the order of the options; the person's own texts come last."""

    type: Literal["multiselect"] = "multiselect"
    options: Options
    allow_other: bool = False
    min_choices: int | None = None
    max_choices: int | None = None
    widget: Literal["checkboxes", "chips", "dropdown"] | None = None
    default: Annotated[list[str], BeforeValidator(_as_list)] | None = None


class _Moment(_Field):
    min: str | None = None
    max: str | None = None
    default: str | None = None


class Date(_Moment):
    """A calendar date, `YYYY-MM-DD`."""

    type: Literal["date"] = "date"


class Time(_Moment):
    """A time of day, `HH:MM` or `HH:MM:SS`."""

    type: Literal["time"] = "time"


class Datetime(_Moment):
    """A moment: RFC 3339 with an offset, or a local time and its zone (RFC 9557): `2026-11-20T09:00[Europe/Berlin]`."""

    type: Literal["datetime"] = "datetime"


AnyField = Annotated[
    Text | Textarea | Number | Boolean | Select | Multiselect | Checkbox | Radio | Date | Time | Datetime,
    Field(discriminator="type"),
]
if TYPE_CHECKING:
    Fields = Taken[list[AnyField], Sequence[AnyField]]
    MaybeFields = Taken[list[AnyField] | None, Sequence[AnyField] | None]
else:
    Fields = Annotated[list[AnyField], BeforeValidator(_as_list)]
    MaybeFields = Fields | None


class Section(Model):
    """A group of fields; an `optional` one may be left empty as a whole."""

    id: str
    title: str | None = None
    description: str | None = None
    optional: bool = False
    submit_label: str | None = None
    fields: Fields


class CompletedView(Model):
    """How the form looks once it is answered; `{field}` in `summary_template` is replaced by its value."""

    show_inputs: bool = True
    summary_template: str | None = None


class Form(Model):
    """A question to a person: `fields` or `sections`, never both."""

    title: str | None = None
    description: str | None = None
    submit_label: str | None = None
    cancel_label: str | None = None
    allow_skip: bool = False
    locale: str | None = None
    fields: MaybeFields = _ABSENT
    sections: Annotated[list[Section], BeforeValidator(_as_list)] | None = None
    initial_values: dict[str, JsonValue] | None = None
    completed_view: CompletedView | None = None

    @property
    def all_fields(self) -> list[AnyField]:
        """Every field in the order shown, whether grouped or not."""
        if self.sections is not None:
            return [field for section in self.sections for field in section.fields]
        return list(self.fields or [])
