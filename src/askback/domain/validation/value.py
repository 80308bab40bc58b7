"""One value for one field: answers, defaults and initial values are all checked here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from askback.domain.fields import (
    AnyField,
    Boolean,
    Checkbox,
    Date,
    Datetime,
    Multiselect,
    Number,
    Radio,
    Select,
    Text,
    Textarea,
    Time,
)
from askback.domain.limits import Limits
from askback.domain.moments import read_date, read_moment, read_time
from askback.domain.patterns import compile_pattern
from askback.domain.validation.numbers import number_fault
from askback.domain.validation.texts import is_blank, typed_fault

ValueFault = tuple[int | None, str, dict[str, Any]]
"""Index of the item (None: the value itself), key of the fault, what its text names."""


class Checked(NamedTuple):
    """A cleaned value, whether the person typed it instead of choosing, or else the faults."""

    value: Any = None
    other: bool = False
    faults: Sequence[ValueFault] = ()


def is_provided(field: AnyField, raw: object) -> bool:
    """Whether a value counts as one: null, empty text and empty list do not, nor does white space in a text."""
    if raw is None or raw == "" or raw == []:
        return False
    return not (
        isinstance(raw, str) and is_blank(raw) and field.type not in ("select", "radio", "multiselect")
    )


def read_value(field: AnyField, raw: object, *, limits: Limits, required: bool) -> Checked:
    """Check and clean a value that `is_provided`."""
    return _READERS[field.type](field, raw, limits, required)


def _wrong(key: str, **params: Any) -> Checked:
    return Checked(faults=((None, key, params),))


def _text(field: Text | Textarea, raw: object, limits: Limits, _required: bool) -> Checked:
    if not isinstance(raw, str):
        return _wrong("wrong_type.answer_text")
    lines = field.type == "textarea"
    text = raw.replace("\r\n", "\n") if lines and "\r" in raw else raw
    if (key := typed_fault(text, lines=lines)) is not None:
        return _wrong(key)
    longest = limits.textarea_answer if lines else limits.text_answer
    longest = longest if field.max_length is None else min(longest, field.max_length)
    if field.min_length is not None and len(text) < field.min_length:
        return _wrong("too_short", min=field.min_length)
    if len(text) > longest:
        return _wrong("too_long", max=longest)
    if field.pattern is not None and not compile_pattern(field.pattern).fullmatch(text):
        if field.pattern_message is not None:
            return _wrong("pattern_mismatch.custom", message=field.pattern_message)
        return _wrong("pattern_mismatch")
    return Checked(text)


def _number(field: Number, raw: object, _limits: Limits, _required: bool) -> Checked:
    if not isinstance(raw, (int, float)) or isinstance(raw, bool):
        return _wrong("wrong_type.answer_number")
    if (wrong := number_fault(field, raw)) is not None:
        return _wrong(wrong[0], **wrong[1])
    return Checked(int(raw) if isinstance(raw, float) and raw.is_integer() else raw)


def _boolean(_field: Boolean | Checkbox, raw: object, _limits: Limits, required: bool) -> Checked:
    if not isinstance(raw, bool):
        return _wrong("wrong_type.answer_boolean")
    return Checked(raw) if raw or not required else _wrong("required_missing")


def _single(field: Select | Radio, raw: object, limits: Limits, _required: bool) -> Checked:
    if not isinstance(raw, str):
        return _wrong("wrong_type.answer_option")
    if any(option.value == raw for option in field.options):
        return Checked(raw)
    if not field.allow_other:
        return _wrong("value_not_in_options")
    wrong = _own_text_fault(raw, limits)
    return Checked(raw, other=True) if wrong is None else _wrong(wrong[0], **wrong[1])


def _own_text_fault(text: str, limits: Limits) -> tuple[str, dict[str, Any]] | None:
    """What is wrong with the text of "Other", if anything is."""
    if is_blank(text):
        return "empty.other", {}
    if (key := typed_fault(text, lines=False)) is not None:
        return key, {}
    return ("too_long", {"max": limits.text_answer}) if len(text) > limits.text_answer else None


def _several(field: Multiselect, raw: object, limits: Limits, _required: bool) -> Checked:
    if not isinstance(raw, list):
        return _wrong("wrong_type.answer_options")
    items = cast("list[object]", raw)
    most = limits.options if field.max_choices is None else field.max_choices
    if len(items) > limits.options:
        return _wrong("too_many.choices", max=most)
    faults: list[ValueFault] = []
    if field.min_choices is not None and len(items) < field.min_choices:
        faults.append((None, "too_few.choices", {"min": field.min_choices}))
    elif len(items) > most:
        faults.append((None, "too_many.choices", {"max": most}))
    options = {option.value: place for place, option in enumerate(field.options)}
    faults += _item_faults(field, items, options, limits)
    if faults:
        return Checked(faults=faults)
    chosen = cast("list[str]", items)
    ordered = sorted(chosen, key=lambda item: options.get(item, len(options)))
    return Checked(ordered, other=ordered[-1] not in options)


def _item_faults(
    field: Multiselect, items: list[object], options: dict[str, int], limits: Limits
) -> list[ValueFault]:
    faults: list[ValueFault] = []
    seen: set[str] = set()
    for index, item in enumerate(items):
        if not isinstance(item, str):
            faults.append((index, "wrong_type.answer_item", {}))
        elif item in seen:
            faults.append((index, "duplicate_selection", {}))
        elif item in options:
            seen.add(item)
        elif not field.allow_other:
            faults.append((index, "value_not_in_options.item", {}))
        else:
            seen.add(item)
            wrong = _own_text_fault(item, limits)
            faults += [] if wrong is None else [(index, *wrong)]
    return faults


MOMENT_READERS: dict[str, Callable[[str], Any]] = {
    "date": read_date,
    "time": read_time,
    "datetime": read_moment,
}


def _moment(field: Date | Time | Datetime, raw: object, _limits: Limits, _required: bool) -> Checked:
    if not isinstance(raw, str):
        return _wrong("wrong_type.answer_moment")
    read = MOMENT_READERS[field.type]
    moment = read(raw)
    if moment is None:
        return _wrong(f"invalid_{field.type}")
    variant = "time" if field.type == "time" else "date"
    if field.min is not None and moment < read(field.min):
        return _wrong(f"below_min.{variant}", min=field.min)
    if field.max is not None and moment > read(field.max):
        return _wrong(f"above_max.{variant}", max=field.max)
    return Checked(raw)


_READERS: dict[str, Callable[[Any, object, Limits, bool], Checked]] = {
    "text": _text,
    "textarea": _text,
    "number": _number,
    "boolean": _boolean,
    "checkbox": _boolean,
    "select": _single,
    "radio": _single,
    "multiselect": _several,
    "date": _moment,
    "time": _moment,
    "datetime": _moment,
}
