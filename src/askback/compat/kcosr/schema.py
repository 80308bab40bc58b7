"""The questionnaires of kcosr/assistant as forms, and forms as questionnaires."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from inspect import Parameter, signature
from typing import Any, Literal, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator
from pydantic.alias_generators import to_camel

from askback.domain.faults import Faults, fault
from askback.domain.fields import Form, Number_
from askback.domain.validation.structure import parse
from askback.messages.languages import choose

Json = dict[str, Any]

TYPES = tuple("text textarea number boolean select multiselect checkbox radio date time datetime".split())
_KEPT_EMPTY = frozenset("id type label value defaultValue".split())


class Part(BaseModel):
    """A closed object with the native names of its members, and theirs in camel case as aliases."""

    model_config = ConfigDict(
        alias_generator=lambda name: to_camel(name.rstrip("_")),
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
    )


class OpenPart(Part):
    """An object whose unknown members are ignored, as the source's own server does."""

    model_config = ConfigDict(extra="ignore")


class _SchemaPart(Part):
    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, sent: Any) -> Any:
        if not isinstance(sent, dict):
            return sent
        members = cast("Json", sent).items()
        return {
            n: v for n, v in members if n in _KEPT_EMPTY or v != "" if n != "defaultValue" or v is not None
        }


class _Option(_SchemaPart):
    label: str
    value: str


class _Question(_SchemaPart):
    id: str
    type: str
    label: str
    description: str = ""
    required: bool = False
    placeholder: str = ""
    default: Any = Field(None, alias="defaultValue")
    validate_on_client: bool = True
    options: list[_Option] = Field(default_factory=list[_Option])
    min: Number_ = 0
    max: Number_ = 0
    step: Number_ = 0
    min_length: int = 0
    max_length: int = 0
    pattern: str = ""


class _Section(_SchemaPart):
    id: str
    title: str = ""
    description: str = ""
    fields: list[_Question]
    optional: bool = False
    submit_label: str = ""


class Questionnaire(_SchemaPart):
    """A questionnaire, or a simple form of the same parts (`type` is `form`)."""

    type: Literal["form"] = "form"
    title: str = ""
    description: str = ""
    fields: list[_Question] = Field(default_factory=list[_Question])
    sections: list[_Section] = Field(default_factory=list[_Section])
    submit_label: str = ""
    cancel_label: str = ""
    initial_values: Json = Field(default_factory=dict[str, Any])


class CompletedView(_SchemaPart):
    """How it looks once it is answered."""

    show_inputs: bool = True
    summary_template: str = ""


_PARTS: Mapping[str, type[Part]] = {"fields": _Question, "sections": _Section, "options": _Option}


def arguments(function: Callable[..., Any], body: object) -> Json:
    """Return a body as the keyword arguments of a function with type hints. Raises `Faults`."""
    sent = parse(_model(function), body)
    return {name: getattr(sent, name) for name in sent.model_fields_set}


@cache
def _model(function: Callable[..., Any]) -> type[Part]:
    kinds = signature(function).parameters.values()
    hints = get_type_hints(function, include_extras=True)
    members: Json = {
        each.name: (hints[each.name], ... if each.default is Parameter.empty else each.default)
        for each in kinds
        if each.kind is Parameter.KEYWORD_ONLY
    }
    is_open = any(each.kind is Parameter.VAR_KEYWORD for each in kinds)
    return create_model("Body", __base__=OpenPart if is_open else Part, **members)


def to_form(schema: Mapping[str, Any]) -> Form:
    """Return a questionnaire as a form; raises `Faults` with every wrong part of its structure."""
    return parse(Form, form_body(parse(Questionnaire, schema)))


def form_body(schema: Questionnaire, prompt: str = "", view: CompletedView | None = None) -> Json:
    """Return the body of a form; the prompt comes before the description. Raises `Faults`."""
    body = schema.model_dump(exclude_unset=True, exclude={"type"}) | {"format": "plain"}
    if described := "\n\n".join(filter(None, (prompt, schema.description))):
        body["description"] = described
    if schema.sections:
        body["layout"] = "steps"
    if view is not None:
        body["completed_view"] = view.model_dump(exclude_unset=True)
    problems = [
        fault(f"{at}.type", "unknown_type", allowed=", ".join(TYPES))
        if field["type"] not in TYPES
        else fault(f"{at}.pattern", "constraint_not_allowed", type=field["type"])
        for at, field in _questions(body, "form")
        if field["type"] not in TYPES or ("pattern" in field and field["type"] not in TYPES[:2])
    ]
    if problems:
        raise Faults(problems)
    for _, field in _questions(body):
        if field["type"] == "datetime":
            field["floating"] = True
    return body


def is_expressible(form: Mapping[str, Any]) -> bool:
    """Whether a questionnaire can ask for all of a form: no files, rows, secrets, moments with a zone."""
    return all(
        field["type"] in TYPES
        and not field.get("sensitive")
        and not field.get("options_from")
        and (field["type"] != "datetime" or bool(field.get("floating")))
        and all(isinstance(option["value"], str) for option in field.get("options", ()))
        for _, field in _questions(form)
    )


def questionnaire(form: Mapping[str, Any], prompt: int = 0, locale: str = "en") -> Json:
    """Return the prompt of a form, the first characters of its description, its `schema` and `completedView`.

    The defaults are among its initial values, as the source's own server puts them there.
    """
    languages = (form.get("locale") or locale, locale)
    described = choose(form.get("description"), languages)
    rest = described[prompt:].removeprefix("\n\n")
    schema = _shown(Questionnaire, {**form, "description": rest or None}, languages)
    defaults = {field["id"]: field["default"] for _, field in _questions(form) if "default" in field}
    if initial := defaults | form.get("initial_values", {}):
        schema["initialValues"] = initial
    view = form.get("completed_view")
    return {
        **({"prompt": described[:prompt]} if prompt else {}),
        "schema": schema,
        **({"completedView": _shown(CompletedView, view, languages)} if view else {}),
    }


def field_ids(form: Mapping[str, Any], *, required: bool = False) -> list[str]:
    """Return the ids of all fields, or of the required ones outside optional sections."""
    skipped = [field["id"] for s in form.get("sections") or () if s.get("optional") for field in s["fields"]]
    ids = [field["id"] for _, field in _questions(form) if field.get("required") or not required]
    return [id_ for id_ in ids if not required or id_ not in skipped]


def path_here(path: str, *, form: str, values: str = "input") -> str:
    """Return a path of a native body as one of theirs; `form` and `values` are what they call these."""
    names = {
        "form.initial_values": f"{form}.initialValues",
        "form.completed_view": "completedView",
        "form": form,
        "values": values,
        "approval.tool": "toolName",
        "agent.tool": "toolName",
        "approval.scopes": "approvalScopes",
        "approval.input": "args",
        "approval.reason": "prompt",
        "thread_id": "sessionId",
        "timeout_s": "timeoutMs",
    }
    name = next((each for each in names if re.match(rf"{re.escape(each)}(?![\w-])", path)), "")
    rest = path[len(name) :]
    if (name.startswith("form") and not name.endswith("values")) or "." not in path:
        rest = re.sub("_([a-z])", lambda found: found[1].upper(), rest)
        rest = re.sub(r"\.default\b", ".defaultValue", rest)
    return names.get(name, "") + rest


def _questions(form: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Json]]:
    sections = {"": form} | {f".sections[{i}]": each for i, each in enumerate(form.get("sections") or ())}
    for at, section in sections.items():
        for i, field in enumerate(section.get("fields") or ()):
            yield f"{path}{at}.fields[{i}]", field


def _shown(part: type[Part], members: Mapping[str, Any], languages: tuple[str, ...]) -> Json:
    shown: Json = {"label": members["id"]} if part is _Question else {}
    for name, info in part.model_fields.items():
        value = members.get(name)
        if name in _PARTS and value is not None:
            value = [_shown(_PARTS[name], each, languages) for each in value]
        elif isinstance(value, dict) and name != "initial_values":
            value = choose(cast("Json", value), languages)
        if value is not None:
            shown[info.alias or name] = value
    return shown
