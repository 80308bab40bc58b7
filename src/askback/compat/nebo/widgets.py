"""Nebo's widgets: an ask as a form, a form as an ask, and the one text that answers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import Field

from askback.domain.faults import Faults, fault, require
from askback.domain.model import Model
from askback.domain.validation.report import Report
from askback.errors import Invalid
from askback.ports.systems import Json

PROMPT_REQUIRED = "'prompt' (or 'text') is required for ask action"
TITLE_LENGTH = 500
SKIP = "__skip__"
"""What Nebo's page submits for a question that a person skips, unless it is an option."""
SKIPPED = "The owner skipped this question. Make a reasonable assumption and carry on, but tell them what you assumed."
FIELDS: Mapping[str, Json] = {
    "buttons": {"type": "select", "widget": "buttons"},
    "confirm": {"type": "select", "widget": "confirm"},
    "select": {"type": "select", "widget": "dropdown"},
    "radio": {"type": "radio"},
    "checkbox": {"type": "multiselect", "widget": "checkboxes"},
}
"""The field of each type of widget."""
_OWN_TEXT = ("allow_other", "allow_skip", "readonly", "visible_if")
_NEEDS_OPTIONS = "Needed for all types but confirm, which has Yes and No. In a checkbox, without commas."


class Widget(Model):
    """One widget of an ask."""

    type: Literal["buttons", "confirm", "select", "radio", "checkbox"]
    label: str | None = None
    options: Annotated[list[str] | None, Field(description=_NEEDS_OPTIONS)] = None
    default: Annotated[str | None, Field(description="The option that is selected at first.")] = None


class Ask(Model):
    """What an agent asks; `text` is another name for `prompt`."""

    prompt: Annotated[str | None, Field(description="The question.")] = None
    text: Annotated[str | None, Field(description="The same as prompt.")] = None
    widgets: list[Widget] | None = None


def read_ask(ask: Ask) -> Json:
    """Return the form of an ask. The check of the form says what else is wrong."""
    prompt = next((text for text in (ask.prompt, ask.text) if text and text.strip()), "")
    widgets = ask.widgets or [Widget(type="confirm")]
    if not prompt:
        raise Invalid(PROMPT_REQUIRED)
    report = Report()
    for i, widget in enumerate(widgets):
        for j, option in enumerate(widget.options or () if widget.type == "checkbox" else ()):
            if "," in option:
                report.add(f"widgets[{i}].options[{j}]", "ambiguous_option")
    report.finish()
    name = "title" if len(prompt) <= TITLE_LENGTH else "description"
    first = {"submit": "first"} if len(widgets) > 1 else {}
    fields = [_field(f"w{i}", widget) for i, widget in enumerate(widgets, 1)]
    return {name: prompt, "format": "plain", "fields": fields, "allow_skip": True, **first}


def _field(name: str, widget: Widget) -> Json:
    said: Json = widget.model_dump(exclude={"type"}, exclude_none=True)
    if widget.type == "confirm":
        said["options"] = widget.options or ["Yes", "No"]
    if widget.type == "checkbox" and "default" in said:
        said["default"] = [widget.default]
    return {"id": name, **FIELDS[widget.type], "required": True, **said}


def write_ask(request: Json) -> Json | None:
    """Return prompt and widgets of a request, also of one that another program made; None where Nebo cannot ask it."""
    form: Json = request.get("form") or {}
    texts: list[Any] = [form[name] for name in ("title", "description") if form.get(name)]
    widgets = [_widget(field) for field in form.get("fields", ())]
    several = len(widgets) > 1 and form.get("submit", "form") == "form"
    plain = texts and all(isinstance(each, str) for each in texts)
    if not plain or not widgets or None in widgets or several:
        return None
    return {"prompt": "\n\n".join(texts), "widgets": widgets}


def _widget(field: Json) -> Json | None:
    kind = next((name for name, known in FIELDS.items() if known.items() <= field.items()), None)
    kind = kind or {"select": "select", "multiselect": "checkbox"}.get(field["type"])
    options: list[Json] = field.get("options", [])
    labels = [option["label"] for option in options]
    plain = all(isinstance(label, str) and not (kind == "checkbox" and "," in label) for label in labels)
    if not (kind and plain and len(set(labels)) == len(labels) > 0) or any(map(field.get, _OWN_TEXT)):
        return None
    label = {"label": field["label"]} if isinstance(field.get("label"), str) else {}
    default = field.get("default")
    chosen = [option["label"] for option in options if default in (option["value"], [option["value"]])]
    return {"type": kind, **label, "options": labels, **({"default": chosen[0]} if chosen else {})}


def read_value(form: Json, value: str) -> Json:
    """Return the members of an answer for the text that a person submitted: the first widget that has it answers."""
    require(value.strip(), "value", "empty")
    for field in form["fields"]:
        values = {option["label"]: option["value"] for option in field["options"]}
        chosen: Any = values.get(value)
        if field["type"] == "multiselect":
            # Nebo's page joins with a comma and a blank, its documentation with a comma.
            joined = next((p for p in (value.split(","), value.split(", ")) if values.keys() >= set(p)), None)
            chosen = joined and [values[part] for part in joined]
        if chosen is not None:
            control = {"control": field["id"]} if form.get("submit", "form") != "form" else {}
            return {"values": {field["id"]: chosen}, **control}
    raise Faults([fault("value", "value_not_in_options")])


def write_value(fields: Sequence[Json], values: Mapping[str, Any]) -> str:
    """Return an answer as Nebo has it: one text, of several ticks joined with commas."""
    texts: list[str] = []
    for field in fields:
        labels = {each["value"]: each["label"] for each in field.get("options", ())}
        value: Any = values.get(field["id"], [])
        several = cast("list[Any]", value if isinstance(value, list) else [value])
        texts += [str(labels.get(each, each)) for each in several]
    return ",".join(texts)
