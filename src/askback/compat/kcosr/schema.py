"""The questionnaires of kcosr/assistant as forms, and forms as questionnaires."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from askback.compat.package_data import read_data, rename_fault
from askback.domain.faults import join
from askback.domain.fields import Form, Number_
from askback.domain.patterns import has_ambiguous_nesting
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.messages.languages import choose
from askback.ports.systems import Json

_TextType = Literal["text", "textarea"]
_Plain = Literal[_TextType, "number", "boolean"]
_Type = Literal[_Plain, "select", "multiselect", "checkbox", "radio", "date", "time", "datetime"]
OF_TEXT = ("text", "textarea", "select", "radio", "date", "time", "datetime")
"""The types with a text as value: an empty list is a wrong value of these, not the absence of one as in a form."""
_VALUE = re.compile(r'values(?:\.[\w-]+|\["(?:\\.|[^"\\])*"\])')
TEXTS = read_data(__file__)
_RESERVED: list[str] = TEXTS["reserved_ids"]
"""Ids that the source's page and tools, which keep values in plain objects, find in an object without them."""


def camel(name: str) -> str:
    """Return the name of a member in this system."""
    return to_camel(name.rstrip("_"))


class Part(BaseModel):
    """A closed object with the native names of its members, and theirs in camel case as aliases."""

    model_config = ConfigDict(alias_generator=camel, extra="forbid", strict=True, allow_inf_nan=False)


class OpenPart(Part):
    """An object whose unknown members are ignored, as the source's own server does."""

    model_config = ConfigDict(extra="ignore")


class _SchemaPart(Part):
    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, part: Any) -> Any:
        """Leave out an empty text that may be absent, as if it had not been sent, and a default that is null."""
        if not isinstance(part, dict):
            return part
        empty = {info.alias: info.default for info in cls.model_fields.values() if info.default in ("", None)}
        members = cast("Json", part)
        return {name: value for name, value in members.items() if name not in empty or value != empty[name]}


class _Option(_SchemaPart):
    label: str
    value: str


class _Question(_SchemaPart):
    id: str
    type: _Type
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
    report = Report()
    for path, field in _fields(body):
        if field["id"] in _RESERVED:
            report.add(f"{path}.id", "reserved_id")
        if "pattern" in field and field["type"] not in get_args(_TextType):
            report.add(f"{path}.pattern", "constraint_not_allowed", type=field["type"])
        elif has_ambiguous_nesting(field.get("pattern", "")):
            report.add(f"{path}.pattern", "unsafe_pattern")
        if field["type"] == "datetime":
            field["floating"] = True
    report.finish()
    return body


def _fields(form: Mapping[str, Any]) -> Iterator[tuple[str, Json]]:
    sections = [(f"form.sections[{i}]", item) for i, item in enumerate(form.get("sections") or ())]
    for path, section in [("form", form), *sections]:
        for i, field in enumerate(section.get("fields") or ()):
            yield f"{path}.fields[{i}]", field


def errors_by_field(form: Form, errors: Iterable[Mapping[str, str]]) -> dict[str, str] | None:
    """Return the first message for each field, by its id; None if anything but a field is wrong."""
    ids = {join("values", field.id): field.id for field in form.all_fields}
    messages = dict[str, str]()
    for error in errors:
        path = _VALUE.match(error["path"])
        if path is None or path[0] not in ids:
            return None
        messages.setdefault(ids[path[0]], error["message"])
    return messages


def is_expressible(form: Form) -> bool:
    """Return whether a questionnaire can ask for all of a form: no files, rows, secrets, times with a zone."""
    return all(
        field.type in get_args(_Type)
        and not field.sensitive
        and getattr(field, "options_from", None) is None
        and getattr(field, "floating", True)
        and all(isinstance(option.value, str) for option in getattr(field, "options", ()))
        for field in form.all_fields
    )


def questionnaire(form: Mapping[str, Any], prompt: int = 0, locale: str = "en") -> Json:
    """Return the prompt of a form, the first characters of its description, its `schema` and `completedView`.

    The defaults are among its initial values, as the source's own server puts them there.
    """
    languages = (form.get("locale") or locale, locale)
    described = choose(form.get("description"), languages)
    members: Json = {"prompt": described[:prompt]} if prompt else {}
    rest = described[prompt:].removeprefix("\n\n") or None
    members["schema"] = _source_part(Questionnaire, {**form, "description": rest}, languages)
    defaults = {field["id"]: field["default"] for _, field in _fields(form) if "default" in field}
    if initial := defaults | form.get("initial_values", {}):
        members["schema"]["initialValues"] = initial
    if view := form.get("completed_view"):
        members["completedView"] = _source_part(CompletedView, view, languages)
    return members


def _source_part(part: type[Part], members: Mapping[str, Any], languages: tuple[str, ...]) -> Json:
    label: Json = {"label": members["id"]} if part is _Question else {}
    for name, info in part.model_fields.items():
        value = members.get(name)
        if name in _PARTS and value is not None:
            value = [_source_part(_PARTS[name], item, languages) for item in value]
        elif isinstance(value, dict) and name != "initial_values":
            value = choose(cast("Json", value), languages)
        if value is not None:
            label[info.alias or name] = value
    return label


def path_here(issue: Mapping[str, Any], *, form: str, values: str = "input") -> str:
    """Return the path of a native issue as one of theirs; `form` and `values` are their names for these."""
    initial = (r"form\.initial_values\b", f"{form}.initialValues")
    renamed = rename_fault(issue, (initial, *TEXTS["paths"], (r"form\b", form), (r"values\b", values)))
    if issue["code"] == "unknown_field" or not re.match(r"form\b(?!\.initial_values)|\w+$", issue["path"]):
        return renamed
    camel = re.sub("_([a-z])", lambda match: match[1].upper(), renamed)
    return re.sub(r"\.default\b", ".defaultValue", camel)
