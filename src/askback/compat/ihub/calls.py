"""The agent's side: the tool calls of a turn, and the arguments of `ask_user` as a form.

The first question that can be asked waits, and nothing else runs.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, cast

from pydantic import AfterValidator, Field
from pydantic_core import PydanticKnownError

from askback.compat.keys import key_of
from askback.compat.package_data import read_data
from askback.domain import jsontext
from askback.domain.faults import Fault, Faults
from askback.domain.model import Model, empty_list
from askback.domain.options import OptionValue
from askback.domain.patterns import compile_pattern, has_nested_quantifiers
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.domain.validation.texts import is_blank
from askback.errors import RateLimited
from askback.ports.systems import ApiCall, Json, JsonReply

MAX_CLARIFICATIONS = 10
TEXTS = read_data(__file__)
_PLACES = {"tool_call_id": "id", "thread_id": "chat", "agent.name": "app"}
"""Where the members of a request are here that are no arguments of a question."""
TOOL = "ask_user"
FIELD = "answer"
TYPES = ("text", "select", "multiselect", "confirm", "number", "date")
CHOICES = ("select", "multiselect", "confirm")
MAX_OPTION = 100
CUT = {"placeholder": 200, "context": 500, "message": 200}
"""The longest texts of those that iHub cuts."""
_YES_NO = [{"value": en, "label": {"en": en, "de": de}} for en, de in (("Yes", "Ja"), ("No", "Nein"))]
_NATIVE_TYPES = {"text": "textarea", "confirm": "select"}
_RULES = {"text": "pattern min_length max_length", "multiselect": "min_choices max_choices"}
"""The rules of texts and lists, with their native names; numbers and dates have `min` and `max`. Others are ignored."""
_PATHS = (
    (r"form\.title", "question"),
    (r"form\.description", "context"),
    (r"form\.fields\[0\]\.messages\..*", "validation.message"),
    (r"form\.fields\[0\]\.(min|max|pattern)(_\w+)?", r"validation.\1"),
    (r"form\.(fields\[0\]\.)?", ""),
)


def _check_text(text: str) -> str:
    if is_blank(text):
        raise PydanticKnownError("string_too_short", {"min_length": 1})
    return text


def _check_value(value: OptionValue) -> OptionValue:
    if isinstance(value, str) and len(value) > MAX_OPTION:
        raise PydanticKnownError("string_too_long", {"max_length": MAX_OPTION})
    return value


class AskedOption(Model, extra="ignore"):
    """An option; its value is its label if it has none."""

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
    options: list[AskedOption] = Field(default_factory=empty_list, max_length=20)
    validation: Rules = Field(default_factory=Rules)
    placeholder: str = Field(default="", max_length=CUT["placeholder"])
    description: str = Field(default="", alias="context", max_length=CUT["context"])
    allow_other: bool = False
    allow_skip: bool = False


def read_question(arguments: object, *, truncate: bool = False) -> Json:
    """Return the form of a question; raises `Faults`.

    With `truncate`, the texts that iHub cuts are cut, else they are refused.
    """
    parsed_question = parse(Arguments, _tidy(arguments, CUT if truncate else {}))
    kind = parsed_question.type or "text"
    report = Report()
    if kind not in TYPES:
        report.add("input_type", "unknown_type")
    if kind in ("select", "multiselect") and not parsed_question.options:
        report.add("options", "option_required")
    for n in repeated([option.label for option in parsed_question.options]):
        report.add(f"options[{n}].label", "duplicate_option")
    if has_nested_quantifiers(pattern := parsed_question.validation.pattern):
        report.add("validation.pattern", "unsafe_pattern")
    try:
        compile_pattern(pattern)
    except ValueError as reason:
        report.add("validation.pattern", "invalid_pattern", reason=str(reason))
    report.finish()
    field: Json = {"id": FIELD, "type": _NATIVE_TYPES.get(kind, kind), "required": True}
    if kind in CHOICES:
        options = [option.model_dump(exclude_none=True) for option in parsed_question.options]
        field |= {"options": options or _YES_NO, "allow_other": parsed_question.allow_other}
    if kind == "confirm":
        field["widget"] = "confirm"
    rules = parsed_question.validation.model_dump(exclude_unset=True)
    message, allowed = rules.pop("message", None), _RULES.get(kind, "" if kind in CHOICES else "min max")
    native = {name.partition("_")[0]: name for name in allowed.split()}
    rules = {native[name]: value for name, value in rules.items() if name in native}
    if message is not None:
        field["messages"] = dict.fromkeys(("type", *rules), message)
    field |= {**rules, **parsed_question.model_dump(include={"placeholder"}, exclude_unset=True)}
    form = parsed_question.model_dump(include={"title", "description", "allow_skip"}, exclude_unset=True)
    return {**form, "format": "plain", "fields": [field]}


def repeated(texts: Sequence[str]) -> Sequence[int]:
    """Return the places of the texts that a text before them is equal to."""
    return [n for n, text in enumerate(texts) if text in texts[:n]]


def describe_faults(faults: Faults, arguments: object) -> Faults:
    """Return the faults of a question at their places in the arguments, in the words of iHub."""
    kind = cast("Json", arguments).get("input_type") if isinstance(arguments, dict) else None
    return Faults([_describe_fault(fault, kind) for fault in faults.with_paths(_PATHS).faults])


def _describe_fault(fault: Fault, kind: object) -> Fault:
    for pattern, text in TEXTS["sentences"]:  # what iHub says of a path, a code and a type
        if match := re.match(pattern, f"{fault.path} {fault.code} {kind}"):
            sentence = text.format(**{**fault.params, **match.groupdict()})
            return replace(fault, params={**fault.params, "message": sentence[0].upper() + sentence[1:]})
    return fault


def _tidy(value: Any, most: Mapping[str, int], name: str = "") -> Any:
    """Return JSON as iHub reads it: texts cut, and no member that is null or an empty option."""
    if isinstance(value, str):
        empty = is_blank(value) if name in CUT else not value and name in ("pattern", "min", "max")
        return None if empty else value[: most.get(name)]
    if isinstance(value, list):
        return [_tidy(item, most) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    members = ((name, _tidy(item, most, name)) for name, item in cast("Json", value).items())
    return {name: item for name, item in members if item is not None}


class Function(Model, extra="ignore"):
    """A tool call of a model; its arguments are JSON, or a text of JSON."""

    name: str
    arguments: Any = Field(default_factory=dict)


class ToolCall(Model, extra="ignore"):
    """One call of a model."""

    id: str = Field(min_length=1)
    function: Function


class Tool(Model, extra="ignore"):
    """The record of a tool."""

    id: str
    asks: Any = Field(default=False, alias="requiresUserInput")


class Batch(Model, extra="ignore"):
    """The calls of a turn; `tools` has records of the tools that the model has."""

    tool_calls: list[ToolCall] = Field(max_length=100)
    tools: list[Tool] | None = None


async def tool_calls(call: ApiCall) -> JsonReply:
    """Ask the first question that can be asked; answer with a result for each call, and the faults of questions."""
    batch = _read_batch(call.json())
    asking = {TOOL, *(tool.id for tool in batch.tools or () if tool.asks is True)}
    results, faults, refusal = dict[str, Json](), list[Json](), TEXTS["not_here"]
    for n, tool_call in enumerate(batch.tool_calls):
        if tool_call.function.name in asking and refusal != TEXTS["not_run"]:
            results[tool_call.id] = await _ask(call, tool_call, f"tool_calls[{n}].id", faults)
            refusal = TEXTS["not_here"] if "error" in results[tool_call.id] else TEXTS["not_run"]
    other_result = {"status": "not_run", "message": refusal}
    messages = [_message(item, results.get(item.id, other_result)) for item in batch.tool_calls]
    return JsonReply({"messages": messages, **({"field_errors": faults} if faults else {})})


def _message(call: ToolCall, result: Json) -> Json:
    text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    return {"role": "tool", "tool_call_id": call.id, "name": call.function.name, "content": text}


def _read_batch(body: object) -> Batch:
    batch, report = parse(Batch, body), Report()
    if not batch.tool_calls:
        report.add("tool_calls", "empty.list")
    for n in repeated([call.id for call in batch.tool_calls]):
        report.add(f"tool_calls[{n}].id", "duplicate_id")
    report.finish()
    return batch


async def _ask(call: ApiCall, asking: ToolCall, id_path: str, faults: list[Json]) -> Json:
    """Ask a question and return the result of its call; `faults` receives its faults."""
    api, app, chat = call.api, call.path["app"], call.path["chat"]
    function, arguments = asking.function, asking.function.arguments
    try:
        arguments = jsontext.parse(arguments) if isinstance(arguments, str) else arguments
        form = read_question(arguments, truncate=call.query.get("truncate") == "true")
        limit = {"max": MAX_CLARIFICATIONS, "text": TEXTS["limit"].format(max=MAX_CLARIFICATIONS)}
        terms: Json = {"delivery": "resume", "repeat": "ask", "question_limit": limit}
        terms["agent"] = {"name": app, "tool": TOOL}
        request = {"kind": "form", "form": form, "thread_id": chat, "tool_call_id": asking.id, **terms}
        # The same call is the same question; many models restart the numbers of their calls.
        key = key_of("ihub", chat, asking.id, function.name, form)
        reply = await api.call("create_request", request, key=key)
    except Faults as found:
        if any(fault.path in _PLACES for fault in found.faults):
            raise found.with_paths([("tool_call_id", id_path), *_PLACES.items()]) from None
        invalid = describe_faults(found, arguments)
        field_errors = api.explain(invalid).field_errors
        faults += [{"tool_call_id": asking.id, **error} for error in field_errors]
        path = "" if "message" in invalid.faults[0].params else field_errors[0]["path"]
        message = f"Invalid clarification request: {path and f'{path}: '}{field_errors[0]['message']}"
        return {"error": True, "code": "INVALID_CLARIFICATION_PARAMS", "message": message}
    except RateLimited as limited:
        if limited.code != "too_many_questions":
            raise
        return {"error": True, "code": "CLARIFICATION_LIMIT_REACHED", "message": limited.message}
    number = reply.get("ordinal")
    if number == 1:
        await api.call("update_thread", {"answers_as_messages": True}, thread_id=chat)
    return {"status": "awaiting_user_response", "message": TEXTS["awaiting"], "clarificationNumber": number}
