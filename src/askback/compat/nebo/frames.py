"""Nebo's frames: an ask as a form and a form as an ask, the one text that answers it, and the ids of runs."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, cast

from askback.compat.package_data import read_data, rename_fault
from askback.domain.faults import Faults, fault, require
from askback.domain.fields import Form
from askback.domain.model import Model
from askback.domain.validation.report import Report
from askback.errors import Invalid
from askback.ports.systems import Api, Json

TEXTS = read_data(__file__)
NO_UI: str = TEXTS["no_ui"]
SKIPPED: str = TEXTS["skipped"]
_RUN = re.compile(r"chat-[0-9a-f]{32}-(.+)", re.DOTALL)
TITLE_LENGTH = 500
SKIP = "__skip__"
"""What Nebo's page submits for a question that a person skips, unless it is an option."""
FIELDS: Mapping[str, Json] = TEXTS["fields"]
"""The field of each type of widget."""
_OWN_TEXT = ("allow_other", "allow_skip", "readonly", "visible_if")


class Widget(Model):
    """One widget of an ask."""

    type: Literal["buttons", "confirm", "select", "radio", "checkbox"]
    label: str | None = None
    options: list[str] | None = None
    default: str | None = None


class Ask(Model):
    """A question of an agent; `text` is another name for `prompt`."""

    prompt: str | None = None
    text: str | None = None
    widgets: list[Widget] | None = None


def read_ask(ask: Ask) -> Json:
    """Return the form of an ask. The check of the form says what else is wrong."""
    prompt = next((text for text in (ask.prompt, ask.text) if text and text.strip()), "")
    widgets = ask.widgets or [Widget(type="confirm")]
    if not prompt:
        raise Invalid(TEXTS["no_prompt"])
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


def is_same(request: Json, question: Json) -> bool:
    """Return whether a stored request has the question of an agent; its form may be of an earlier release."""
    if "form" not in question:
        return request.get("approval", {}).items() >= question["approval"].items()
    try:
        form = Form.model_validate(question["form"]).model_dump(exclude_none=True)
    except ValueError:
        return False
    return write_ask({"form": form}) == write_ask(request)


def _field(name: str, widget: Widget) -> Json:
    members: Json = widget.model_dump(exclude={"type"}, exclude_none=True)
    if widget.type == "confirm":
        members["options"] = widget.options or ["Yes", "No"]
    if widget.type == "checkbox" and "default" in members:
        members["default"] = [widget.default]
    return {"id": name, **FIELDS[widget.type], "required": True, **members}


def write_ask(request: Json) -> Json | None:
    """Return prompt and widgets of a request, also of one that another program made; None where Nebo cannot ask it."""
    form: Json = request.get("form") or {}
    texts: list[Any] = [form[name] for name in ("title", "description") if form.get(name)]
    widgets = [_widget(field) for field in form.get("fields", ())]
    several = len(widgets) > 1 and form.get("submit", "form") == "form"
    plain = texts and all(isinstance(text, str) for text in texts)
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
    defaults = [option["label"] for option in options if default in (option["value"], [option["value"]])]
    return {"type": kind, **label, "options": labels, **({"default": defaults[0]} if defaults else {})}


def read_value(form: Json, value: str) -> Json:
    """Return the members of an answer for the text that a person submitted: the first widget that has it answers."""
    require(value.strip(), "value", "empty")
    for field in form["fields"]:
        values = {option["label"]: option["value"] for option in field["options"]}
        chosen_value: Any = values.get(value)
        if field["type"] == "multiselect":
            # Nebo's page joins with a comma and a blank, its documentation with a comma.
            keys = next((p for p in (value.split(","), value.split(", ")) if values.keys() >= set(p)), None)
            chosen_value = keys and [values[part] for part in keys]
        if chosen_value is not None:
            control = {"control": field["id"]} if form.get("submit", "form") != "form" else {}
            return {"values": {field["id"]: chosen_value}, **control}
    raise Faults([fault("value", "value_not_in_options")])


def write_value(fields: Sequence[Json], values: Mapping[str, Any]) -> str:
    """Return an answer as Nebo has it: one text, of several ticks joined with commas."""
    texts: list[str] = []
    for field in fields:
        labels = {item["value"]: item["label"] for item in field.get("options", ())}
        value: Any = values.get(field["id"], [])
        several = cast("list[Any]", value if isinstance(value, list) else [value])
        texts += [str(labels.get(item, item)) for item in several]
    return ",".join(texts)


def members(frame: Json) -> Json | None:
    """Return a person's members in any of Nebo's shapes: below `data`, below `payload` with `id`, or flat."""
    flat_members = {name: value for name, value in frame.items() if name not in {"type", "id", "timestamp"}}
    inner = flat_members.get("data", flat_members.get("payload", flat_members))
    ids = {"request_id": frame["id"]} if "id" in frame else {}
    return {**ids, **cast("Json", inner)} if isinstance(inner, dict) else None


def message(kind: str, **data: Any) -> Json:
    """Return a frame for people; one about a request has its id at the top as well."""
    ids = {"id": data["request_id"]} if "request_id" in data else {}
    content = {"data": data} if data else {}
    return {"type": kind, **ids, **content, "timestamp": datetime.now(UTC).isoformat()}


def request_frame(request: Json, shown_as: str) -> Json | None:
    """Return the frame that shows a request; None for one that Nebo's page cannot show."""
    if (call := request.get("approval")) is not None:
        return message("approval_request", request_id=shown_as, tool=call["tool"], input=call["input"])
    ask = write_ask(request)
    return None if ask is None else message("ask_request", request_id=shown_as, **ask)


def response(request: Json, *, skipped: str = SKIP) -> tuple[str, Json] | None:
    """Return the type and the content of the frame that has an answer; None for an end without one."""
    if request["kind"] == "form" and request.get("reason") == "skipped":
        return "ask_response", {"value": skipped}
    if request["status"] != "answered":
        return None
    answer = request["answer"]
    if request["kind"] == "form":
        return "ask_response", {"value": write_value(request["form"]["fields"], answer["values"])}
    approved = answer["decision"] == "approve"
    return "approval_response", {"approved": approved, "always": approved and answer.get("scope") == "always"}


def session_of(run: str) -> str | None:
    """Return the session of a run with an id of ours."""
    return match[1] if (match := _RUN.fullmatch(run)) else None


async def public_id(api: Api, request: Json) -> str:
    """Return the id under which people see a request: the agent's own, unless another request had it first."""
    id_ = request.get("external_id")
    return id_ if id_ and (await first_with(api, id_))["id"] == request["id"] else request["id"]


async def first_with(api: Api, wanted_id: str) -> Json:
    """Return the oldest request with an id that its agent chose, else the one with this id."""
    requests = await api.requests(external_id=wanted_id) if wanted_id else []
    return requests[0] if requests else await api.call("get_request", request_id=wanted_id)


def refusal_text(error: Mapping[str, Any]) -> str:
    """Return a refusal of the native API as one text, with the place in the frame and the code of each fault."""
    texts = dict.fromkeys(
        f"{rename_fault(item, TEXTS['paths'])}: {item['message']} [{item['code']}]".removeprefix(": ")
        for item in error.get("field_errors", ())
    )
    return "; ".join(texts) or error["message"]


def end_text(request: Json) -> str:
    """Return the error for a request that ended without an answer."""
    if request.get("reason") == "not_shown":
        return NO_UI
    return TEXTS["deadline" if request["status"] == "expired" else "canceled"]
