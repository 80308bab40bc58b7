"""MCP's form elicitation (2025-11-25, 2026-07-28): a flat subset of JSON Schema, as forms and from forms.

    written = write_elicitation(form)           written.params goes into `elicitation/create`
    answer = read_answer(form, content)         the client's content, as an answer
    read = read_elicitation(params)             the form of a server's question
    result = write_result(request, read)        the outcome, for that server

The property of a field is its id, and `ID__other` is the text that a person typed instead of choosing. A client does
not check an answer by the form's rules: check what `read_answer` returns before it counts (`POST …/answer` does).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from askback.compat.json_schema import SchemaForm, read_schema
from askback.compat.json_schema.patterns import FORMATS
from askback.compat.translation import (
    Loss,
    NoFormFor,
    NotExpressible,
    Problem,
    language_losses,
    missing_part,
)
from askback.domain.faults import join
from askback.domain.fields import (
    AnyField,
    Boolean,
    Checkbox,
    Date,
    Datetime,
    File,
    Form,
    Multiselect,
    Number,
    Radio,
    Rows,
    Select,
    Text,
    Textarea,
    Time,
    shown_options,
)
from askback.domain.lifecycle import Status
from askback.domain.limits import DEFAULTS
from askback.domain.options import Option, value_text
from askback.domain.request import Answer, InputRequest
from askback.domain.validation.texts import text_faults
from askback.domain.validation.value import fixed_value, is_provided
from askback.domain.validation.visibility import hidden_fields
from askback.messages import DEFAULT_LOCALE, render, translate
from askback.messages.languages import choose

_Expressible = (
    Text | Textarea | Number | Boolean | Checkbox | Select | Radio | Multiselect | Date | Time | Datetime
)

OTHER = "__other"
DECISION, NOTE = "decision", "note"


class WrittenElicitation(NamedTuple):
    """The parameters of `elicitation/create`, and the rules of the form that an MCP client does not know."""

    params: dict[str, Any]
    losses: tuple[Loss, ...]


def write_elicitation(
    form: Form, *, own_texts: bool = True, values_shown: bool = False
) -> WrittenElicitation:
    """Return a form as an elicitation; raises `NotExpressible` for a sensitive field, which MCP forbids.

    `own_texts` are fields for a text that a person types instead of choosing an option. With `values_shown` a title
    does not repeat the value of its option, because the client shows both.
    """
    ids = {field.id for field in form.all_fields}
    problems = [
        Problem(("fields", field.id), "MCP forbids asking for secrets in a form: use the mode `url`.")
        for field in form.all_fields
        if field.sensitive
    ]
    problems += [
        Problem(("fields", field.id), f"MCP has no {missing}: ask on an askback page.")
        for field in form.all_fields
        if field.required and (missing := missing_part(field)) is not None
    ]
    problems += [
        Problem(("fields", field.id), "MCP allows only texts as options: two of them are the same text.")
        for field in form.all_fields
        if isinstance(field, Select | Radio | Multiselect) and _has_equal_texts(shown_options(field))
    ]
    if form.submit != "form":
        problems.append(Problem(("submit",), "MCP sends all values at once: ask on an askback page."))
    problems += [
        Problem(("fields", id_), f"This id is that of the own text of {id_.removesuffix(OTHER)}.")
        for id_ in ids
        if id_.endswith(OTHER) and id_.removesuffix(OTHER) in ids
    ]
    if problems:
        raise NotExpressible(problems)
    writer = _Writer(form, own_texts=own_texts, values_shown=values_shown)
    for field in form.all_fields:
        writer.write(field)
    schema: dict[str, Any] = {"type": "object", "properties": writer.properties}
    if writer.required:
        schema["required"] = writer.required
    prompt = [choose(text, [writer.locale]) for text in (form.title, form.description) if text]
    message = "\n\n".join(prompt) or ", ".join(writer.names.values())
    params = {
        "mode": "form",
        "message": "\n\n".join([message, *writer.notes]),
        "requestedSchema": schema,
    }
    return WrittenElicitation(params, tuple(writer.losses))


def write_approval(message: str, *, locale: str = DEFAULT_LOCALE, note: bool = True) -> dict[str, Any]:
    """Return the elicitation for a decision about a tool call, which `message` shows, and for a `note` about it."""
    decisions = [
        {"const": decision, "title": translate(f"ui.approval.{key}", locale)}
        for decision, key in (("approve", "once"), ("deny", "deny"))
    ]
    properties: dict[str, Any] = {
        DECISION: {"type": "string", "title": translate("ui.approval.decide", locale), "oneOf": decisions},
        **({NOTE: {"type": "string", "title": translate("ui.approval.note_label", locale)}} if note else {}),
    }
    schema = {"type": "object", "properties": properties, "required": [DECISION]}
    return {"mode": "form", "message": message, "requestedSchema": schema}


def read_decision(content: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return `{"decision", "note"?}` for `POST …/decide`; None if the client sent neither `approve` nor `deny`."""
    if content.get(DECISION) not in ("approve", "deny"):
        return None
    note = content.get(NOTE)
    return {
        "decision": content[DECISION],
        **({"note": note} if isinstance(note, str) and note.strip() else {}),
    }


def read_answer(form: Form, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return `{"values", "skipped"?}` for `POST …/answer`.

    Own texts are in their places, and empty and hidden fields are left out. A required field that may be skipped is
    skipped if it is empty: a client has no other way to skip it.
    """
    values: dict[str, Any] = {}
    for field in form.all_fields:
        value, own_text = content.get(field.id), content.get(f"{field.id}{OTHER}")
        if isinstance(field, Select | Radio | Multiselect):
            value = _chosen_values(field, value, own_text)
        if is_provided(field, value) and not field.readonly:
            values[field.id] = value
    hidden = hidden_fields(form, values)
    skipped = [
        field.id
        for field in form.all_fields
        if field.required and field.allow_skip and not field.readonly and field.id not in {*hidden, *values}
    ]
    names = {field.id for field in form.all_fields}
    names |= {f"{field.id}{OTHER}" for field in form.all_fields if getattr(field, "allow_other", False)}
    unknown = {name: value for name, value in content.items() if name not in names}
    values = {name: value for name, value in values.items() if name not in hidden} | unknown
    return {"values": values, **({"skipped": skipped} if skipped else {})}


def read_elicitation(params: Mapping[str, Any]) -> SchemaForm:
    """Return the form for the parameters of `elicitation/create`; raises `NoFormFor` for a form that is not flat.

    The message is the title if it fits there, else it is the beginning of the description.
    """
    try:
        schema_form = read_schema(cast("Mapping[str, Any]", params.get("requestedSchema") or {}))
    except NoFormFor as error:
        problems = [problem._replace(steps=("requestedSchema", *problem.steps)) for problem in error.problems]
        raise NoFormFor(problems) from None
    message: Any = params.get("message")
    if not isinstance(message, str):
        raise NoFormFor([Problem(("message",), "It must be a text.")])
    if faults := text_faults("message", message, max_length=DEFAULTS.description, lines=True):
        raise NoFormFor([Problem(("message",), render(fault, DEFAULT_LOCALE)) for fault in faults])
    form = schema_form.form
    if form.title is None and len(message) <= DEFAULTS.title:
        form = form.model_copy(update={"title": message})
    elif form.title != message:
        parts = [message, *([form.description] if isinstance(form.description, str) else [])]
        form = form.model_copy(update={"description": "\n\n".join(parts)})
    return SchemaForm(form, schema_form.losses, schema_form.root)


def write_result(request: InputRequest, read: SchemaForm) -> dict[str, Any]:
    """Return the result of an elicitation for a settled request: only a person's no is `decline`."""
    if request.status is Status.ANSWERED:
        return {"action": "accept", "content": read.instance((request.answer or Answer()).values)}
    return {"action": "decline" if request.status is Status.DECLINED else "cancel"}


class _Writer:
    """The properties of one elicitation."""

    def __init__(self, form: Form, *, own_texts: bool, values_shown: bool) -> None:
        self.form = form
        self.own_texts = own_texts
        self.values_shown = values_shown
        self.locale = form.locale or DEFAULT_LOCALE
        self.names = {id_: choose(name, [self.locale]) for id_, name in form.names.items()}
        self.properties: dict[str, Any] = {}
        self.required: list[str] = []
        self.notes: list[str] = []
        """What no property can say, for the end of the message."""
        self.losses = [*language_losses(form)]
        sections = form.sections or ()
        self.free = {f.id for s in sections if s.optional or s.visible_if is not None for f in s.fields}
        for section in sections:
            self.losses.append(
                Loss(join("sections", section.id), "MCP has no sections: its fields are in one list.")
            )
            texts = [choose(text, [self.locale]) for text in (section.title, section.description) if text]
            if section.description:
                self.notes.append(": ".join(texts))
            if section.title and len(sections) > 1:
                self.names |= {field.id: f"{texts[0]}: {self.names[field.id]}" for field in section.fields}

    def write(self, field: AnyField) -> None:
        """Write the property of a field, and that of its own text."""
        if field.readonly:
            value = fixed_value(field, self.form.initial_values or {})
            place = "it has no value" if value is None else "the value is in the message"
            self.add_loss(field, f"MCP has no read-only fields: {place}.")
            if value is not None:
                self.notes.append(f"{self.names[field.id]}: {self.value_label(field, value)}")
            return
        missing = missing_part(field)
        if missing is not None or isinstance(field, File | Rows):
            self.add_loss(field, f"MCP has no {missing}: it is left out.")
            return
        schema = self.property(field)
        can_type = isinstance(field, Select | Radio | Multiselect) and field.allow_other
        has_other = can_type and self.own_texts
        if can_type and not has_other:
            self.add_loss(field, "It has no field for an own text.")
        if field.visible_if is not None:
            self.add_loss(field, "It is always shown; its value counts only where `visible_if` holds.")
        if field.required and not (
            has_other or field.allow_skip or field.visible_if or field.id in self.free
        ):
            self.required.append(field.id)
        elif field.required:
            self.add_loss(field, "It is not marked as required; the answer is refused without it.")
        default = (self.form.initial_values or {}).get(field.id, field.default)
        if isinstance(field, Select | Radio | Multiselect) and default is not None:
            texts = [
                value_text(item)
                for item in cast("list[Any]", default if isinstance(default, list) else [default])
            ]
            default = texts if isinstance(field, Multiselect) else texts[0]
        params = {
            "title": self.names[field.id],
            "description": choose(field.description, [self.locale]) or None,
            "default": default,
        }
        self.properties[field.id] = schema | {
            name: value for name, value in params.items() if value is not None
        }
        if has_other:
            title = f"{self.names[field.id]}: {translate('ui.other', self.locale)}"
            self.properties[f"{field.id}{OTHER}"] = {"type": "string", "title": title}

    def value_label(self, field: AnyField, value: Any) -> str:
        """Return a value as a person reads it."""
        if isinstance(value, bool):
            return translate("ui.yes" if value else "ui.no", self.locale)
        options = shown_options(field) if isinstance(field, Select | Radio | Multiselect) else ()
        labels = {option.value: choose(option.label, [self.locale]) for option in options}
        values = cast("list[Any]", value if isinstance(value, list) else [value])
        return ", ".join(labels.get(item, str(item)) for item in values)

    def property(self, field: _Expressible) -> dict[str, Any]:
        """Return the schema of a field's value."""
        match field:
            case Text() | Textarea():
                return self.text(field)
            case Number():
                if field.step not in (None, 1):
                    self.add_loss(field, "MCP has no steps.")
                bounds = {"minimum": field.min, "maximum": field.max}
                whole = all(float(item).is_integer() for item in (field.step or 0.5, field.min or 0))
                kind = "integer" if whole else "number"
                return {"type": kind, **{name: bound for name, bound in bounds.items() if bound is not None}}
            case Boolean() | Checkbox():
                if field.required:
                    self.add_loss(field, "MCP cannot say that it must be true.")
                return {"type": "boolean"}
            case Select() | Radio():
                return {"type": "string", **self.options(shown_options(field), "oneOf")}
            case Multiselect():
                counts = {
                    "minItems": None if field.allow_other else field.min_choices,
                    "maxItems": field.max_choices,
                }
                items = self.options(field.options, "anyOf")
                items |= {"type": "string"} if "enum" in items else {}
                return {"type": "array", "items": items, **{n: count for n, count in counts.items() if count}}
            case Date() | Time() | Datetime():
                return self.moment(field)

    def options(self, options: Sequence[Option], keyword: str) -> dict[str, Any]:
        """Return choices, whose values MCP allows to be texts only."""
        titles = {value_text(option.value): self.option_title(option) for option in options}
        if all(value == title for value, title in titles.items()):
            return {"enum": [*titles]}
        return {keyword: [{"const": value, "title": title} for value, title in titles.items()]}

    def option_title(self, option: Option) -> str:
        """Return the label and the description of an option."""
        texts = [choose(text, [self.locale]) for text in (option.label, option.description) if text]
        is_repeated = self.values_shown and texts[:1] == [value_text(option.value)]
        return " – ".join((texts[1:] or texts) if is_repeated else texts)

    def text(self, field: Text | Textarea) -> dict[str, Any]:
        """Return the schema of a text."""
        schema: dict[str, Any] = {"type": "string"}
        schema |= {} if field.min_length is None else {"minLength": field.min_length}
        schema |= {} if field.max_length is None else {"maxLength": field.max_length}
        formats = [name for name in ("email", "uri") if FORMATS[name] == field.pattern]
        if formats:
            schema["format"] = formats[0]
        elif field.pattern is not None:
            self.add_loss(field, "MCP has no patterns.")
        return schema

    def moment(self, field: Date | Time | Datetime) -> dict[str, Any]:
        """Return the schema of a date or a time."""
        if field.min is not None or field.max is not None:
            self.add_loss(field, "MCP has no bounds of dates and times.")
        if field.type == "time" or (isinstance(field, Datetime) and field.floating):
            self.add_loss(field, "MCP has no format for a time without a zone: it is a text.")
            return {"type": "string"}
        return {"type": "string", "format": "date" if field.type == "date" else "date-time"}

    def add_loss(self, field: AnyField, reason: str) -> None:
        """Note a rule that is not sent."""
        self.losses.append(Loss(join("fields", field.id), reason))


def _has_equal_texts(options: Sequence[Option]) -> bool:
    return len({value_text(option.value) for option in options}) < len(options)


def _chosen_values(field: Select | Radio | Multiselect, value: Any, own_text: Any) -> Any:
    """Return the values of the chosen options, and the person's own text."""
    values_by_text = {value_text(option.value): option.value for option in shown_options(field)}
    is_blank = isinstance(own_text, str) and not own_text.strip()
    extra_text = own_text if field.allow_other and not is_blank else None
    if not isinstance(field, Multiselect):
        chosen_value = values_by_text.get(value, value) if isinstance(value, str) else value
        return chosen_value if extra_text is None else extra_text
    if not isinstance(value, list | None):
        return value
    chosen_value = [
        values_by_text.get(item, item) if isinstance(item, str) else item
        for item in cast("list[Any]", value or [])
    ]
    return [*chosen_value, extra_text] if extra_text is not None else chosen_value
