"""Checks one value of one field: in answers, defaults and initial values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from askback.domain.date_times import read_date, read_floating, read_moment, read_time
from askback.domain.fields import (
    AnyField,
    Boolean,
    Checkbox,
    Date,
    Datetime,
    File,
    Multiselect,
    Number,
    Radio,
    Select,
    Text,
    Textarea,
    Time,
)
from askback.domain.files import NO_UPLOADS, Uploads, most_files
from askback.domain.limits import SAFE_INTEGER, Limits
from askback.domain.options import OptionValue
from askback.domain.patterns import compile_pattern
from askback.domain.validation.texts import is_blank, typed_text_fault
from askback.messages import number_text
from askback.messages.languages import LocalText


def number_fault(field: Number, value: float) -> tuple[str, dict[str, Any]] | None:
    """Return the key and params of the first rule that `value` breaks; None if it breaks none."""
    if not isfinite_number(value):
        return "non_finite_number", {}
    if field.min is not None and value < field.min:
        return "below_min", {"min": field.min}
    if field.max is not None and value > field.max:
        return "above_max", {"max": field.max}
    if abs(value) > SAFE_INTEGER:
        return "number_too_large", {}
    if field.step is not None and not is_multiple(value, of=field.step, start=field.min or 0):
        return (
            ("step_mismatch.from", {"min": field.min, "step": field.step})
            if field.min
            else ("step_mismatch", {"step": field.step})
        )
    return None


def isfinite_number(value: float) -> bool:
    """Return whether it is neither NaN nor infinite; a whole number of any size is finite."""
    return isinstance(value, int) or isfinite(value)


def is_multiple(value: float, *, of: float, start: float) -> bool:
    """Return whether `value - start` is a whole multiple of `of`.

    Each number means the decimal of its shortest text, so that 0.3 is a multiple of 0.1 although the binary fractions
    are not.
    """
    if isinstance(value, int) and isinstance(of, int) and isinstance(start, int):
        return (value - start) % of == 0
    parts = [_decimal(number) for number in (value, start, of)]
    scale = min(exponent for _, exponent in parts)
    scaled_value, origin, step = (digits * 10 ** (exponent - scale) for digits, exponent in parts)
    return (scaled_value - origin) % step == 0


def _decimal(number: float) -> tuple[int, int]:
    """Return `(digits, exponent)`: the number is digits x 10^exponent."""
    mantissa, _, exponent = repr(number).partition("e")
    integer_digits, _, fraction = mantissa.partition(".")
    return int(integer_digits + fraction), int(exponent or 0) - len(fraction)


ValueFault = tuple[int | None, str, dict[str, Any]]
"""The index of the item (None: the value itself), the key of the fault, and its params."""


class CheckedValue(NamedTuple):
    """A cleaned value and whether it was typed instead of chosen, or the faults."""

    value: Any = None
    other: bool = False
    faults: Sequence[ValueFault] = ()


def is_provided(field: AnyField, raw: object) -> bool:
    """Return whether a value was provided: null, an empty text, white space and an empty list do not count.

    An empty text counts if it is the value of an option.
    """
    if raw is None or raw == []:
        return False
    if raw == "":
        return isinstance(field, Select | Radio) and any(option.value == "" for option in field.options)
    return not (
        isinstance(raw, str) and is_blank(raw) and field.type not in ("select", "radio", "multiselect")
    )


def fixed_value(field: AnyField, initial: Mapping[str, Any]) -> Any:
    """Return the value of a `readonly` field: its initial value, else its default."""
    value = initial.get(field.id)
    return field.default if value is None else value


def read_value(field: AnyField, raw: object, *, limits: Limits, required: bool) -> CheckedValue:
    """Check and clean a value that `is_provided`."""
    return _READERS[field.type](field, raw, limits, required)


RULES: Mapping[str, str] = MappingProxyType(
    {
        "required_missing": "required",
        "wrong_type": "type",
        "non_finite_number": "type",
        "number_too_large": "type",
        "invalid_date": "type",
        "invalid_time": "type",
        "invalid_datetime": "type",
        "below_min": "min",
        "above_max": "max",
        "step_mismatch": "step",
        "pattern_mismatch": "pattern",
        "too_short": "min_length",
        "too_long": "max_length",
        "too_few": "min_choices",
        "too_many": "max_choices",
        "value_not_in_options": "options",
        "duplicate_selection": "options",
    }
)
"""The rule of a field that a fault breaks, by the code of the fault."""


def own_message(field: AnyField, key: str) -> LocalText | None:
    """Return the field's own message for a fault, by the key of the fault."""
    rule = RULES.get(key.partition(".")[0])
    field_message = getattr(field.messages, rule, None) if field.messages and rule else None
    return field_message or (getattr(field, "pattern_message", None) if rule == "pattern" else None)


def _invalid(key: str, **params: Any) -> CheckedValue:
    return CheckedValue(faults=((None, key, params),))


def _text(field: Text | Textarea, raw: object, limits: Limits, _required: bool) -> CheckedValue:
    if not isinstance(raw, str):
        return _invalid("wrong_type.answer_text")
    lines = field.type == "textarea"
    text = raw.replace("\r\n", "\n") if lines and "\r" in raw else raw
    if (key := typed_text_fault(text, lines=lines)) is not None:
        return _invalid(key)
    longest = limits.textarea_answer if lines else limits.text_answer
    longest = longest if field.max_length is None else min(longest, field.max_length)
    if field.min_length is not None and len(text) < field.min_length:
        return _invalid("too_short", min=field.min_length)
    if len(text) > longest:
        return _invalid("too_long", max=longest)
    if field.pattern is not None and not compile_pattern(field.pattern).fullmatch(text):
        return _invalid("pattern_mismatch")
    return CheckedValue(text)


def _number(field: Number, raw: object, _limits: Limits, _required: bool) -> CheckedValue:
    if not isinstance(raw, (int, float)) or isinstance(raw, bool):
        return _invalid("wrong_type.answer_number")
    if (number_error := number_fault(field, raw)) is not None:
        return _invalid(number_error[0], **number_error[1])
    if field.pattern is not None and not compile_pattern(field.pattern).fullmatch(number_text(raw)):
        return _invalid("pattern_mismatch")
    return CheckedValue(int(raw) if isinstance(raw, float) and raw.is_integer() else raw)


def _boolean(_field: Boolean | Checkbox, raw: object, _limits: Limits, required: bool) -> CheckedValue:
    if not isinstance(raw, bool):
        return _invalid("wrong_type.answer_boolean")
    return CheckedValue(raw) if raw or not required else _invalid("required_missing")


def _single_choice(field: Select | Radio, raw: object, limits: Limits, _required: bool) -> CheckedValue:
    if not _can_be_option(raw):
        return _invalid("wrong_type.answer_option")
    if field.options_from is not None:
        fault = _sourced_fault(cast("OptionValue", raw), limits)
        return CheckedValue(raw) if fault is None else _invalid(fault)
    for option in field.options:
        if option.value == raw:
            return CheckedValue(option.value)
    if not isinstance(raw, str):
        return _invalid("value_not_in_options" if _has_numbers(field) else "wrong_type.answer_option")
    if not field.allow_other:
        return _invalid("value_not_in_options")
    fault = _own_text_fault(raw, limits)
    return CheckedValue(raw, other=True) if fault is None else _invalid(fault[0], **fault[1])


def _sourced_fault(value: OptionValue, limits: Limits) -> str | None:
    """Return the fault of a value that no source of options can have; the service asks the source about all others."""
    if isinstance(value, str):
        is_valid_value = not is_blank(value) and len(value) <= limits.option_value
        return typed_text_fault(value, lines=False) if is_valid_value else "value_not_in_options"
    return None if abs(value) <= SAFE_INTEGER else "value_not_in_options"


def _can_be_option(raw: object) -> bool:
    """Return whether a value is a text or a number; in Python `True` is 1, but not on the wire."""
    return isinstance(raw, (str, int, float)) and not isinstance(raw, bool)


def _has_numbers(field: Select | Radio | Multiselect) -> bool:
    return any(not isinstance(option.value, str) for option in field.options)


def _own_text_fault(text: str, limits: Limits) -> tuple[str, dict[str, Any]] | None:
    """Return the fault of the text of "Other"."""
    if is_blank(text):
        return "empty.other", {}
    if (key := typed_text_fault(text, lines=False)) is not None:
        return key, {}
    return ("too_long", {"max": limits.text_answer}) if len(text) > limits.text_answer else None


def _multiple_choices(field: Multiselect, raw: object, limits: Limits, _required: bool) -> CheckedValue:
    if not isinstance(raw, list):
        return _invalid("wrong_type.answer_options")
    items = cast("list[object]", raw)
    allowed = limits.options if field.options_from is None else limits.sourced_choices
    limit = allowed if field.max_choices is None else min(field.max_choices, allowed)
    if len(items) > allowed:
        return _invalid("too_many.choices", max=limit)
    faults: list[ValueFault] = []
    if field.min_choices is not None and len(items) < field.min_choices:
        faults.append((None, "too_few.choices", {"min": field.min_choices}))
    elif len(items) > limit:
        faults.append((None, "too_many.choices", {"max": limit}))
    options = {option.value: index for index, option in enumerate(field.options)}
    faults += _item_faults(field, items, options, limits)
    if faults:
        return CheckedValue(faults=faults)
    values = cast("list[OptionValue]", items)
    if field.options_from is not None:
        return CheckedValue(values)
    sorted_values = sorted(values, key=lambda item: options.get(item, len(options)))
    ordered = [field.options[options[item]].value if item in options else item for item in sorted_values]
    return CheckedValue(ordered, other=ordered[-1] not in options)


def _item_faults(
    field: Multiselect, items: list[object], options: dict[OptionValue, int], limits: Limits
) -> list[ValueFault]:
    faults: list[ValueFault] = []
    checked_values: set[OptionValue] = set()
    for index, value in enumerate(items):
        if not _can_be_option(value):
            faults.append((index, "wrong_type.answer_item", {}))
            continue
        item = cast("OptionValue", value)
        if item in checked_values:
            faults.append((index, "duplicate_selection", {}))
        elif field.options_from is not None:
            checked_values.add(item)
            if (key := _sourced_fault(item, limits)) is not None:
                faults.append((index, f"{key}.item" if key == "value_not_in_options" else key, {}))
        elif item in options:
            checked_values.add(item)
        elif not isinstance(item, str):
            numbers = _has_numbers(field)
            faults.append((index, "value_not_in_options.item" if numbers else "wrong_type.answer_item", {}))
        elif not field.allow_other:
            faults.append((index, "value_not_in_options.item", {}))
        else:
            checked_values.add(item)
            own_text_fault = _own_text_fault(item, limits)
            faults += [] if own_text_fault is None else [(index, *own_text_fault)]
    return faults


MOMENT_READERS: dict[str, Callable[[str], Any]] = {
    "date": read_date,
    "time": read_time,
    "datetime": read_moment,
}


def moment_reader(field: Date | Time | Datetime) -> Callable[[str], Any]:
    """Return the parser of a field's values and bounds."""
    return read_floating if isinstance(field, Datetime) and field.floating else MOMENT_READERS[field.type]


def _moment(field: Date | Time | Datetime, raw: object, _limits: Limits, _required: bool) -> CheckedValue:
    if not isinstance(raw, str):
        return _invalid("wrong_type.answer_moment")
    read = moment_reader(field)
    moment = read(raw)
    if moment is None:
        return _invalid(f"invalid_{field.type}")
    variant = "time" if field.type == "time" else "date"
    if field.min is not None and moment < read(field.min):
        return _invalid(f"below_min.{variant}", min=field.min)
    if field.max is not None and moment > read(field.max):
        return _invalid(f"above_max.{variant}", max=field.max)
    if field.pattern is not None and not compile_pattern(field.pattern).fullmatch(raw):
        return _invalid("pattern_mismatch")
    return CheckedValue(raw)


def read_files(field: File, raw: object, uploads: Uploads) -> CheckedValue:
    """Check that a value names files that were uploaded for this field, by their ids or as objects with an id."""
    limit = most_files(field)
    if limit == 1:
        upload, key = _upload(field, raw, uploads)
        return _invalid(key) if upload is None else CheckedValue(upload)
    if not isinstance(raw, list):
        return _invalid("wrong_type.answer_files")
    items = cast("list[object]", raw)
    if len(items) > limit:
        return _invalid("too_many.files", max=limit)
    faults: list[ValueFault] = []
    values: list[dict[str, Any]] = []
    for index, item in enumerate(items):
        upload, key = _upload(field, item, uploads)
        if upload is None:
            faults.append((index, key, {}))
        elif upload in values:
            faults.append((index, "duplicate_selection", {}))
        else:
            values.append(upload)
    return CheckedValue(values, faults=faults)


def _upload(field: File, raw: object, uploads: Uploads) -> tuple[dict[str, Any] | None, str]:
    """Return the file that an item names, as a value of an answer, or None and the key of the fault."""
    file_id = cast("dict[str, object]", raw).get("id") if isinstance(raw, dict) else raw
    if not isinstance(file_id, str):
        return None, "wrong_type.answer_file"
    upload = uploads.get(file_id)
    return (upload.value, "") if upload is not None and upload.field == field.id else (None, "unknown_file")


def _no_file(field: File, raw: object, _limits: Limits, _required: bool) -> CheckedValue:
    """Read an initial value, for which no file can have been uploaded."""
    return read_files(field, raw, NO_UPLOADS)


_READERS: dict[str, Callable[[Any, object, Limits, bool], CheckedValue]] = {
    "text": _text,
    "textarea": _text,
    "number": _number,
    "boolean": _boolean,
    "checkbox": _boolean,
    "select": _single_choice,
    "radio": _single_choice,
    "multiselect": _multiple_choices,
    "date": _moment,
    "time": _moment,
    "datetime": _moment,
    "file": _no_file,
}
