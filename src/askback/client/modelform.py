"""A Pydantic model as a form: each field of the model becomes a field of the form.

    str                         text, or textarea with json_schema_extra={"widget": "textarea"}
    int, float                  number (int with step 1)
    bool                        boolean
    Literal["a", "b"], an Enum  select
    list[Literal[…]], set, …    multiselect
    date, time, datetime        date, time, datetime
    X | None, or a default      not required

Titles and descriptions become labels and descriptions; ge, le, multiple_of, min_length, max_length
and pattern become the rules. What has no field here is refused with the name of the model's field.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import Enum
from functools import cache
from inspect import cleandoc
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin
from zoneinfo import ZoneInfo

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from askback.domain.fields import (
    AnyField,
    Boolean,
    Date,
    Datetime,
    Form,
    Multiselect,
    Number,
    Option,
    Select,
    Text,
    Textarea,
    Time,
)

M = TypeVar("M", bound=BaseModel)

_LISTS = (list, set, frozenset, tuple)


class NoFormFor(TypeError):
    """A field of the model cannot be asked for; the message names it and says what can."""


@dataclass(frozen=True, slots=True)
class ModelForm:
    """The form of a model, and the way back.

    `readers` turn an answered value into what the model wants; `absent` is what a field without a
    default gets when the person left it empty.
    """

    form: Form
    readers: Mapping[str, Callable[[Any], Any]]
    absent: Mapping[str, Any]

    def instance(self, model: type[M], values: Mapping[str, Any]) -> M:
        """Make the model from the values of an answer; raises Pydantic's error where its own validators refuse."""
        read = {name: self.readers.get(name, _as_is)(value) for name, value in values.items()}
        return model.model_validate({**self.absent, **read}, by_name=True)


def model_form(model: object) -> ModelForm:
    """Derive the form of a Pydantic model class; raises `NoFormFor`, also for anything else."""
    if isinstance(model, type) and issubclass(model, BaseModel):
        return _derived(model)
    shown = model.__name__ if isinstance(model, type) else f"A {type(model).__name__}"
    raise NoFormFor(
        f"{shown} cannot be asked for: pass a Pydantic model class, such as `class Report(BaseModel)`, "
        "or ask a `Form` with `form(…)`."
    )


@cache
def _derived(model: type[BaseModel]) -> ModelForm:
    fields: list[AnyField] = []
    readers: dict[str, Callable[[Any], Any]] = {}
    absent: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        kind, optional, rules = _unwrapped(info.annotation, info)
        made, readers[name] = _field(model, name, info, kind, optional, rules)
        fields.append(made)
        if info.is_required() and not made.required:
            absent[name] = None if optional else [] if isinstance(made, Multiselect) else False
    title = model.model_config.get("title") or _words(model.__name__)
    described = cleandoc(model.__doc__ or "")
    return ModelForm(Form(title=title, description=described or None, fields=fields), readers, absent)


def _field(
    model: type[BaseModel], name: str, info: FieldInfo, kind: Any, optional: bool, rules: dict[str, Any]
) -> tuple[AnyField, Callable[[Any], Any]]:
    default = None if info.is_required() or info.default_factory else info.default
    common: dict[str, Any] = {
        "id": name,
        "label": info.title or _words(name),
        "description": info.description,
        "required": info.is_required() and not optional,
    }
    item = _item(kind)
    options = _options(item if item is not None else kind)
    if options is not None:
        return _choice(common, options, default, several=item is not None, rules=rules)
    made = _plain(kind, common, rules, default, info)
    if made is None:
        raise NoFormFor(
            f"{model.__name__}.{name}: {_named(info.annotation)} cannot be asked for in a form. Use str, int, float, "
            "bool, date, time, datetime, Literal, an Enum, or a list of a Literal or an Enum."
        )
    return made, _moment if kind is datetime else _as_is


def _plain(
    kind: Any, common: dict[str, Any], rules: dict[str, Any], default: Any, info: FieldInfo
) -> AnyField | None:
    if kind is str:
        extra: Any = info.json_schema_extra
        long = isinstance(extra, Mapping) and cast("Mapping[str, Any]", extra).get("widget") == "textarea"
        given = {rule: rules[rule] for rule in ("min_length", "max_length") if rule in rules}
        if "pattern" in rules:
            given["pattern"] = _whole(rules["pattern"])
        return (Textarea if long else Text)(**common, **given, default=default)
    if kind is bool:
        # Required means true in a form; a model that requires a bool wants either.
        free: dict[str, Any] = {**common, "required": False}
        return Boolean(**free, default=bool(default))
    if kind in (int, float):
        return Number(**common, **_bounds(kind, rules), default=default)
    moments: dict[Any, type[Date | Time | Datetime]] = {date: Date, time: Time, datetime: Datetime}
    if kind in moments:
        least, most = _iso(rules.get("ge")), _iso(rules.get("le"))
        return moments[kind](**common, min=least, max=most, default=_iso(default))
    return None


def _bounds(kind: type, rules: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        ours: rules[theirs] for theirs, ours in (("ge", "min"), ("le", "max")) if theirs in rules
    }
    if kind is int:
        found |= {"min": rules["gt"] + 1} if "gt" in rules else {}
        found |= {"max": rules["lt"] - 1} if "lt" in rules else {}
    step = rules.get("multiple_of", 1 if kind is int else None)
    if step is not None and (found.get("min") is None or found["min"] % step == 0):
        found["step"] = step
    return found


def _choice(
    common: dict[str, Any], options: Mapping[str, Any], default: Any, *, several: bool, rules: dict[str, Any]
) -> tuple[AnyField, Callable[[Any], Any]]:
    back = {_hashable(value): name for name, value in options.items()}
    made = [Option(value=name, label=name) for name in options]
    if not several:
        chosen = None if default is None else back.get(_hashable(default))
        return Select(**common, options=made, default=chosen), options.__getitem__
    counts = {
        ours: rules[t]
        for t, ours in (("min_length", "min_choices"), ("max_length", "max_choices"))
        if t in rules
    }
    ticked = [back[_hashable(value)] for value in default] if default else None
    common["required"] = common["required"] and counts.get("min_choices", 0) > 0
    several_of = Multiselect(**common, options=made, **counts, default=ticked)
    return several_of, lambda names: [options[name] for name in names]


def _unwrapped(annotation: Any, info: FieldInfo) -> tuple[Any, bool, dict[str, Any]]:
    """Return the type without Optional and Annotated, whether None is allowed, and the constraints."""
    metadata, optional = list(info.metadata), False
    while True:
        if get_origin(annotation) is Annotated:
            annotation, *more = get_args(annotation)
            metadata += [
                m for extra in more for m in (extra.metadata if isinstance(extra, FieldInfo) else [extra])
            ]
        elif get_origin(annotation) in (Union, types.UnionType) and type(None) in get_args(annotation):
            rest = [a for a in get_args(annotation) if a is not type(None)]
            annotation, optional = (rest[0] if len(rest) == 1 else Union[tuple(rest)]), True  # noqa: UP007
        else:
            return annotation, optional, _rules(metadata)


def _rules(metadata: list[Any]) -> dict[str, Any]:
    names = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")
    found: dict[str, Any] = {}
    for constraint in metadata:
        for name in names:
            value = getattr(constraint, name, None)
            if value is not None:
                found[name] = value
    return found


def _item(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) in _LISTS and get_args(kind) else None


def _options(kind: Any) -> dict[str, Any] | None:
    """Return the choices of a Literal or an Enum: what is shown, and what the model wants."""
    if get_origin(kind) is Literal:
        return {str(value.value if isinstance(value, Enum) else value): value for value in get_args(kind)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        members = list(kind)
        return {str(m.value) if isinstance(m.value, str) else m.name: m for m in members}
    return None


def _whole(pattern: Any) -> str:
    """Pydantic searches for a pattern anywhere; a form's pattern must match the whole value."""
    text: str = getattr(pattern, "pattern", pattern)
    before = "" if text.startswith("^") else "(?s:.*)"
    after = "" if text.endswith("$") and not text.endswith("\\$") else "(?s:.*)"
    return f"{before}(?:{text}){after}" if before or after else text


def _moment(text: str) -> Any:
    """Read a moment whose zone is named (RFC 9557), which Pydantic does not know; leave others to it."""
    local, bracket, zone = text.partition("[")
    if not bracket:
        return text
    moment, where = datetime.fromisoformat(local), ZoneInfo(zone.rstrip("]"))
    return moment.replace(tzinfo=where) if moment.tzinfo is None else moment.astimezone(where)


def _as_is(value: Any) -> Any:
    return value


def _hashable(value: Any) -> Any:
    return (type(value), value)


def _iso(value: Any) -> str | None:
    return None if value is None else value.isoformat()


def _words(name: str) -> str:
    spaced = "".join(f" {c}" if c.isupper() else c for c in name).replace("_", " ").strip()
    return spaced[:1].upper() + spaced[1:].lower()


def _named(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
