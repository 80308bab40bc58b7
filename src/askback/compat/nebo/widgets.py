"""Nebo's widgets: an ask as a form, a form as an ask, and the one text that answers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from askback.compat.system import Json
from askback.domain.faults import Faults, fault

YES_NO = ("Yes", "No")
TITLE_LENGTH = 500
FIELDS: Mapping[str, Json] = MappingProxyType(
    {
        "buttons": {"type": "select", "widget": "buttons"},
        "confirm": {"type": "select", "widget": "confirm"},
        "select": {"type": "select", "widget": "dropdown"},
        "radio": {"type": "radio"},
        "checkbox": {"type": "multiselect", "widget": "checkboxes"},
    }
)
"""The field of each type of widget."""
_OWN_TEXT = ("allow_other", "allow_skip", "readonly", "visible_if")


class Members(BaseModel):
    """An object with no other members than Nebo's."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Widget(Members):
    """One widget of an ask."""

    type: str
    label: str | None = None
    options: list[str] | None = None
    default: str | None = None


class Ask(Members):
    """What an agent asks; `text` is another name for `prompt`."""

    prompt: str | None = None
    text: str | None = None
    widgets: list[Widget] | None = None


def read_ask(ask: Ask) -> Json:
    """Return the form of an ask. The check of the form says what else is wrong."""
    prompt = ask.prompt or ask.text or ""
    widgets = ask.widgets or [Widget(type="confirm")]
    faults = [] if prompt.strip() else [fault("prompt", "missing_required")]
    for i, widget in enumerate(widgets):
        if widget.type not in FIELDS:
            faults.append(fault(f"widgets[{i}].type", "unknown_type", allowed=", ".join(FIELDS)))
        for j, option in enumerate(widget.options or ()):
            if widget.type == "checkbox" and "," in option:
                faults.append(fault(f"widgets[{i}].options[{j}]", "ambiguous_option"))
    if faults:
        raise Faults(faults[:20])
    name = "title" if len(prompt) <= TITLE_LENGTH else "description"
    first = {"submit": "first"} if len(widgets) > 1 else {}
    fields = [{"id": f"w{i + 1}", **_field(widget)} for i, widget in enumerate(widgets)]
    return {name: prompt, "format": "plain", "fields": fields, **first}


def _field(widget: Widget) -> Json:
    field = {
        **FIELDS[widget.type],
        "required": True,
        **widget.model_dump(exclude={"type"}, exclude_none=True),
    }
    if widget.type == "confirm" and not widget.options:
        field["options"] = [*YES_NO]
    if widget.type == "checkbox" and widget.default is not None:
        field["default"] = [widget.default]
    return field


def write_ask(request: Json) -> Json | None:
    """Return prompt and widgets of a request, also of one that another program made; None where Nebo cannot ask it."""
    form: Json = request.get("form") or {}
    prompt = form.get("title") or form.get("description")
    widgets = [_widget(field) for field in form.get("fields", ())]
    several = len(widgets) > 1 and form.get("submit", "form") == "form"
    if not isinstance(prompt, str) or not widgets or None in widgets or several:
        return None
    return {"prompt": prompt, "widgets": widgets}


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


def read_value(request: Json, value: str) -> Json:
    """Return the body of an answer for the text that a person submitted: the first widget that has it answers."""
    if not value.strip():
        raise Faults([fault("value", "empty")])
    form = request["form"]
    for field in form["fields"]:
        values = {option["label"]: option["value"] for option in field["options"]}
        chosen: Any = values.get(value)
        if field["type"] == "multiselect":
            # Nebo's page joins with a comma and a blank, its documentation with a comma.
            joined = next((p for p in (value.split(","), value.split(", ")) if values.keys() >= set(p)), None)
            chosen = joined and [values[part] for part in joined]
        if chosen is not None:
            control = {"control": field["id"]} if form.get("submit", "form") != "form" else {}
            return {"revision": request["revision"], "values": {field["id"]: chosen}, **control}
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
