"""The parts of a form: field types, options, sections.

These classes are the one declaration of a form's *structure*: keys, JSON types and the closed
sets of words. The JSON Schema that drives the TypeScript checker and the OpenAPI document are
generated from them. Rules that need a number or a comparison (sizes, bounds, defaults, unique
ids) live in `validation/form.py`, because they depend on `Limits`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, JsonValue

from askback.domain.condition import Condition
from askback.domain.model import Model
from askback.domain.options import (
    Option,
    Options,
    OptionsFrom,
    OptionValue,
    as_list,
    no_options,
)
from askback.messages.languages import LocalText

if TYPE_CHECKING:
    from askback.domain.options import OptionArguments

Number_ = int | float

# For values from a parser: with `JsonValue` Pydantic would check the type of each value again, in Python.
if TYPE_CHECKING:
    ReadJson = JsonValue
else:
    ReadJson = Any


_NO_DEFAULT: Any = None


class Messages(Model):
    """The agent's own messages for the rules of a field. A message needs its rule in the field."""

    required: LocalText | None = None
    type: LocalText | None = None
    min: LocalText | None = None
    max: LocalText | None = None
    step: LocalText | None = None
    pattern: LocalText | None = None
    min_length: LocalText | None = None
    max_length: LocalText | None = None
    min_choices: LocalText | None = None
    max_choices: LocalText | None = None
    options: LocalText | None = None


class _Field(Model):
    """The members of every field.

    `readonly` shows the default or initial value, which the answer then has. `allow_skip` lets a person skip this
    question, even if it is required; `answer.skipped` has its id. If `visible_if` does not hold, the field is
    hidden and has no value.
    """

    id: str
    label: LocalText | None = None
    description: LocalText | None = None
    required: bool = False
    messages: Messages | None = None
    placeholder: LocalText | None = None
    validate_on_client: bool = True
    sensitive: bool = False
    readonly: bool = False
    allow_skip: bool = False
    visible_if: Condition | None = None


class _TextRules(_Field):
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    pattern_message: LocalText | None = None
    default: str | None = None


class Text(_TextRules):
    """One line of text; lengths count Unicode code points, `pattern` is RE2 and must match the whole value."""

    type: Literal["text"] = "text"


class Textarea(_TextRules):
    """Text of several lines; the rules are those of `Text`."""

    type: Literal["textarea"] = "textarea"


class Number(_Field):
    """A finite JSON number; `step` counts from `min` (from 0 without one); `pattern` is for its shortest text."""

    type: Literal["number"] = "number"
    min: Number_ | None = None
    max: Number_ | None = None
    step: Number_ | None = None
    pattern: str | None = None
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


class _Choice(_Field):
    """A field with options: a list, or with `options_from` the options of a source on the server.

    With a source, the server fills `options` with only the default and the initial value.
    """

    options: Options = Field(default_factory=no_options)
    options_from: OptionsFrom | None = None


class _SingleChoice(_Choice):
    allow_other: bool = False
    default: OptionValue | None = None


class Select(_SingleChoice):
    """One of `options`, or with `allow_other` the person's own text.

    `widget="confirm"` without options means Yes and No; `buttons` and `confirm` answer
    with one click when they are the form's only field.
    """

    type: Literal["select"] = "select"
    widget: Literal["dropdown", "buttons", "confirm", "chips"] | None = None


class Radio(_SingleChoice):
    """One of `options`, all of them in view."""

    type: Literal["radio"] = "radio"


class Multiselect(_Choice):
    """Any of `options`, in the order of the options; the person's own texts come last."""

    type: Literal["multiselect"] = "multiselect"
    allow_other: bool = False
    min_choices: int | None = None
    max_choices: int | None = None
    widget: Literal["checkboxes", "chips", "dropdown"] | None = None
    default: Annotated[list[OptionValue], BeforeValidator(as_list)] | None = None


YES_NO = [Option(value="Yes", label="Yes"), Option(value="No", label="No")]


def is_yes_no(field: object) -> bool:
    """Return whether a field is a `confirm` without options, which means Yes and No."""
    return isinstance(field, Select) and field.widget == "confirm" and not field.options


def shown_options(field: Select | Radio | Multiselect) -> Sequence[Option]:
    """Return the options of a field; a `confirm` without any has Yes and No."""
    return YES_NO if is_yes_no(field) else field.options


class _Moment(_Field):
    min: str | None = None
    max: str | None = None
    pattern: str | None = None
    default: str | None = None


class Date(_Moment):
    """A calendar date, `YYYY-MM-DD`."""

    type: Literal["date"] = "date"


class Time(_Moment):
    """A time of day, `HH:MM` or `HH:MM:SS`."""

    type: Literal["time"] = "time"


class Datetime(_Moment):
    """A date and time: RFC 3339 with an offset, or local with a zone (RFC 9557): `2026-11-20T09:00[Europe/Berlin]`.

    A `floating` one is a date and time without a zone, `YYYY-MM-DDTHH:MM` or `YYYY-MM-DDTHH:MM:SS`.
    """

    type: Literal["datetime"] = "datetime"
    floating: bool = False


class File(_Field):
    """A file that the person uploads; with `max_files` above 1, a list of files.

    `accept` lists types (`application/pdf`, `image/*`) and file extensions (`.csv`). The server detects the type from
    the bytes.
    """

    type: Literal["file"] = "file"
    accept: Annotated[list[str], BeforeValidator(as_list)] | None = None
    max_files: int | None = None
    max_bytes: int | None = None
    default: None = None


RowField = Annotated[
    Text | Textarea | Number | Boolean | Select | Multiselect | Checkbox | Radio | Date | Time | Datetime,
    Field(discriminator="type"),
]


class Row(Model):
    """One item to accept or decline; `fields` are shown once it is accepted."""

    id: str
    label: LocalText
    description: LocalText | None = None
    fields: Annotated[list[RowField], BeforeValidator(as_list)] | None = None


class Rows(_Field):
    """Several items, each accepted or declined separately.

    The value has the decided rows by their ids: `{"anna": {"decision": "accept", "values": {"salary": 4500}}}`. A
    `decision` is `accept` or `decline`, and only an accepted row has `values`. Required means: every row is decided.
    """

    type: Literal["rows"] = "rows"
    rows: Annotated[list[Row], BeforeValidator(as_list)]
    accept_label: LocalText | None = None
    decline_label: LocalText | None = None
    default: None = None


AnyField = Annotated[
    Text
    | Textarea
    | Number
    | Boolean
    | Select
    | Multiselect
    | Checkbox
    | Radio
    | Date
    | Time
    | Datetime
    | File
    | Rows,
    Field(discriminator="type"),
]
if TYPE_CHECKING:
    Fields = OptionArguments[list[AnyField], Sequence[AnyField]]
    MaybeFields = OptionArguments[list[AnyField] | None, Sequence[AnyField] | None]
else:
    Fields = Annotated[list[AnyField], BeforeValidator(as_list)]
    MaybeFields = Fields | None


class Section(Model):
    """A group of fields; an `optional` one may be left empty as a whole."""

    id: str
    title: LocalText | None = None
    description: LocalText | None = None
    optional: bool = False
    submit_label: LocalText | None = None
    visible_if: Condition | None = None
    fields: Fields


class CompletedView(Model):
    """The display of an answered form; `{field}` in `summary_template` is replaced by its value, or by nothing."""

    show_inputs: bool = True
    summary_template: LocalText | None = None


class Form(Model):
    """A question to a person: `fields` or `sections`, never both.

    The title and the description are the prompt. A field without a label is named by the title or description of its
    section, or of the form. With `format` plain, no description is Markdown.

    `layout` `steps` shows one section after the other, each checked before the next, and all answers at the end. With
    `submit` `first`, the first control that the person uses answers the form; with `each`, every field has its own
    button for this. The answer then has only that field, and its id in `control`.
    """

    title: LocalText | None = None
    description: LocalText | None = None
    format: Literal["markdown", "plain"] = "markdown"
    submit_label: LocalText | None = None
    cancel_label: LocalText | None = None
    allow_skip: bool = False
    layout: Literal["page", "steps"] = "page"
    submit: Literal["form", "first", "each"] = "form"
    locale: str | None = None
    fields: MaybeFields = _NO_DEFAULT
    sections: Annotated[list[Section], BeforeValidator(as_list)] | None = None
    initial_values: dict[str, JsonValue] | None = None
    completed_view: CompletedView | None = None

    @property
    def texts(self) -> list[LocalText | None]:
        """All texts that a person may see, in any order."""
        texts = [self.title, self.description, self.submit_label, self.cancel_label]
        if self.completed_view is not None:
            texts.append(self.completed_view.summary_template)
        for section in self.sections or ():
            texts += (section.title, section.description, section.submit_label)
        for field in self.all_fields:
            texts += _field_texts(field)
            if field.type == "rows":
                texts += (field.accept_label, field.decline_label)
                for row in field.rows:
                    texts += (row.label, row.description)
                    for item in row.fields or ():
                        texts += _field_texts(item)
        return texts

    @property
    def names(self) -> dict[str, LocalText]:
        """The name of each field, by its id: its label, or the nearest title or description around it."""
        form_name = self.title or self.description or ""
        names_by_id: dict[str, LocalText] = {
            field.id: field.label or form_name for field in self.fields or ()
        }
        for section in self.sections or ():
            section_name = section.title or section.description or form_name
            names_by_id |= {field.id: field.label or section_name for field in section.fields}
        return names_by_id

    @property
    def all_fields(self) -> list[AnyField]:
        """Every field in the order shown, whether grouped or not."""
        if self.sections is not None:
            return [field for section in self.sections for field in section.fields]
        return list(self.fields or [])


def _field_texts(field: AnyField) -> list[LocalText | None]:
    members = vars(field)  # a missing attribute of a model is slow
    texts = [field.label, field.description, field.placeholder, members.get("pattern_message")]
    for option in members.get("options", ()):
        texts += (option.label, option.description)
    if field.messages is not None:
        texts += dict(field.messages).values()
    return texts
