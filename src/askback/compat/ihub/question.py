"""The arguments of `ask_user` as a form, with iHub's sentences for what it refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn, cast

from askback.compat.system import Json
from askback.domain.faults import Fault, Faults, fault
from askback.domain.patterns import has_nested_quantifiers
from askback.domain.validation.texts import is_blank

TOOL = "ask_user"
FIELD = "answer"
TYPES = ("text", "select", "multiselect", "confirm", "number", "date")
CHOICES = ("select", "multiselect", "confirm")
MAX_QUESTION = MAX_CONTEXT = 500
MAX_PLACEHOLDER = MAX_MESSAGE = MAX_PATTERN = 200
MAX_OPTIONS, MAX_OPTION = 20, 100
MAX_CLARIFICATIONS = 10
LIMIT_TEXT = (
    f"Maximum clarification limit ({MAX_CLARIFICATIONS}) reached for this conversation. "
    "Please proceed with the available information or make reasonable assumptions."
)
_QUESTION = "Question is required and must be a string"
_OPTIONS = (
    "Options array is required for input_type '{}'. Either provide options like "
    '[{{label: "Option 1", value: "opt1"}}] or use input_type: \'text\' for open-ended questions.'
)
_UNSAFE = "Regex pattern contains potentially unsafe nested quantifiers (ReDoS risk)"
_YES_NO = (
    {"value": "Yes", "label": {"en": "Yes", "de": "Ja"}},
    {"value": "No", "label": {"en": "No", "de": "Nein"}},
)
_NATIVE_TYPES = {"text": "textarea", "confirm": "select"}
_BOUNDS = {"text": "_length", "multiselect": "_choices"}
"""What `min` and `max` count, where that is not the value itself."""
_ARGUMENTS = {"form.title": "question", "form.description": "context", "form.allow_skip": "allow_skip"}


def read_question(arguments: Any, *, truncate: bool = False) -> Json:
    """Return the form of a question; raises `Faults` with the first rule of iHub that it breaks.

    With `truncate`, the texts that iHub cuts are cut, else they are refused.
    """
    given = _present(arguments, "", _QUESTION)
    question = _required_text(given, "question", "question", _QUESTION)
    if len(question) > MAX_QUESTION:
        _reject("question", "too_long", _too_long("Question", MAX_QUESTION, question))
    kind = given.get("input_type") or "text"
    if kind not in TYPES:
        wrong = "unknown_type" if isinstance(kind, str) else "wrong_type.string"
        _reject("input_type", wrong, f"Invalid input_type. Supported types: {', '.join(TYPES)}")
    options = _options(given.get("options"), kind)
    field: Json = {"id": FIELD, "type": _NATIVE_TYPES.get(kind, kind), "required": True}
    if kind in CHOICES:
        field |= {"options": options or list(_YES_NO), "allow_other": given.get("allow_other", False)}
    if kind == "confirm":
        field["widget"] = "confirm"
    field |= _rules(given.get("validation", {}), kind, truncate=truncate)
    form: Json = {"title": question, "format": "plain", "allow_skip": given.get("allow_skip", False)}
    for name, into, at in (("placeholder", field, "placeholder"), ("context", form, "description")):
        if text := _text(given, name, name, truncate=truncate):
            into[at] = text
    return {**form, "fields": [field]}


def unreadable(found: Faults) -> Faults:
    """Return the fault of arguments that are no JSON."""
    return Faults([fault("", found.faults[0].key, message=_QUESTION)])


def in_arguments(found: Faults) -> Faults:
    """Return the faults of a request as faults of the arguments it was made from."""
    return Faults([replace(each, path=_argument(each.path)) for each in found.faults])


def _argument(path: str) -> str:
    name = path.removeprefix("form.fields[0].")
    if name.startswith("messages."):
        return "validation.message"
    rule = name.partition("_")[0]
    return f"validation.{rule}" if rule in ("min", "max", "pattern") else _ARGUMENTS.get(name, name)


def sentence(found: Fault, rendered: str) -> str:
    """Return what the model reads of a fault."""
    if found.code == "invalid_pattern":
        return f"Invalid regex pattern: {found.params['reason']}"
    return rendered if "message" in found.params else f"{found.path}: {rendered}"


def _options(options: object, kind: str) -> Sequence[Json]:
    if kind in ("select", "multiselect") and not (options and isinstance(options, list)):
        _reject("options", "wrong_type.list" if options else "option_required", _OPTIONS.format(kind))
    if not isinstance(options, list | None):
        _reject("options", "wrong_type.list")
    listed = cast("list[object]", options or [])
    if len(listed) > MAX_OPTIONS:
        _reject("options", "too_many", f"Too many options (max {MAX_OPTIONS}, got {len(listed)})")
    read = [_option(each, index) for index, each in enumerate(listed)]
    for name in ("label", "value"):
        texts = [each[name] for each in read]
        for index, text in enumerate(texts):
            if text in texts[:index]:
                _reject(f"options[{index}].{name}", "duplicate_option")
    return read


def _option(option: object, index: int) -> Json:
    path = f"options[{index}]"
    given = _present(option, path, f"Option at index {index} must be an object")
    text = f"Option at index {index} must have a string label"
    label = _required_text(given, "label", f"{path}.label", text)
    value = given.get("value", label)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        _reject(f"{path}.value", "wrong_type.string_or_number")
    for name, said in (("label", label), ("value", str(value))):
        if len(said) > MAX_OPTION:
            text = f"Option {name} at index {index} too long (max {MAX_OPTION} chars)"
            _reject(f"{path}.{name}", "too_long", text)
    return {"label": label, "value": value}


def _rules(validation: object, kind: str, *, truncate: bool) -> Json:
    rules = _present(validation, "validation")
    field: Json = {}
    for name in ("pattern", "min", "max"):
        value = rules.get(name)
        if value is None or value == "":
            continue
        if kind in CHOICES and (kind != "multiselect" or name == "pattern"):
            _reject(f"validation.{name}", "constraint_not_allowed", type=kind)
        whole = kind in _BOUNDS and isinstance(value, float) and value.is_integer()
        bound = "" if name == "pattern" else _BOUNDS.get(kind, "")
        field[f"{name}{bound}"] = int(value) if whole else value
    if isinstance(pattern := field.get("pattern"), str):
        if len(pattern) > MAX_PATTERN:
            text = f"Regex pattern too long (max {MAX_PATTERN} characters)"
            _reject("validation.pattern", "too_long", text)
        if has_nested_quantifiers(pattern):
            _reject("validation.pattern", "unsafe_pattern", _UNSAFE)
    if message := _text(rules, "message", "validation.message", truncate=truncate):
        field["messages"] = dict.fromkeys(("type", *field), message)
    return field


_MOST = {"placeholder": MAX_PLACEHOLDER, "context": MAX_CONTEXT, "message": MAX_MESSAGE}


def _text(given: Mapping[str, Any], name: str, path: str, *, truncate: bool) -> str:
    text, most = given.get(name, ""), _MOST[name]
    if not isinstance(text, str):
        _reject(path, "wrong_type.string")
    if len(text) > most and not truncate:
        _reject(path, "too_long", _too_long(name.capitalize(), most, text))
    return "" if is_blank(text) else text[:most]


def _required_text(given: Mapping[str, Any], name: str, path: str, text: str) -> str:
    value = given.get(name)
    if not isinstance(value, str):
        _reject(path, "missing_required" if value is None else "wrong_type.string", text)
    if is_blank(value):
        _reject(path, "empty", text)
    return value


def _too_long(what: str, most: int, text: str) -> str:
    return f"{what} too long (max {most} chars, got {len(text)})"


def _present(members: object, path: str, text: str | None = None) -> Json:
    """Return the members of an object that are not null: many models send all that a schema has."""
    if not isinstance(members, dict):
        _reject(path, "wrong_type.object", text)
    return {name: value for name, value in cast("Json", members).items() if value is not None}


def _reject(path: str, key: str, text: str | None = None, **params: str) -> NoReturn:
    raise Faults([fault(path, key, **params, **({} if text is None else {"message": text}))])
