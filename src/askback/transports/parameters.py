"""The parameters of an operation, checked like any other input: of a query (text) and of a frame (JSON)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from askback.domain.cursors import check_cursor
from askback.domain.faults import Faults, fault
from askback.domain.lifecycle import Status
from askback.domain.limits import Limits
from askback.wire.operation import Operation, Parameter

Frame = Mapping[str, Any]
_NUMBER = re.compile(r"-?[0-9]{1,16}(?:\.[0-9]{1,15})?")
_FLAGS = {None: False, "0": False, "1": True, "false": False, "true": True}


def from_query(
    operation: Operation, path: Mapping[str, str], query: Mapping[str, Sequence[str]], limits: Limits
) -> dict[str, Any]:
    """Return all parameters of a call over HTTP, those that are absent as None or their default.

    Raises `Faults` with the parameter's name as the path, also for an unknown one: a misspelt filter must not
    return everything.
    """
    parameters = [parameter for parameter in operation.parameters if "http" in parameter.transports]
    if unknown_names := query.keys() - {parameter.name for parameter in parameters}:
        raise Faults([fault(name, "unknown_field.parameter") for name in sorted(unknown_names)])
    return {
        **path,
        **{
            parameter.name: _query_value(parameter, query.get(parameter.name, ()), limits)
            for parameter in parameters
        },
    }


def from_frame(operation: Operation, frame: Frame, limits: Limits) -> dict[str, Any]:
    """Return all parameters of a call over the WebSocket, those that are absent as None or their default."""
    args: dict[str, Any] = {name: text(frame, name, required=True) for name in operation.path_parameters}
    for parameter in operation.parameters:
        if "websocket" in parameter.transports:
            args[parameter.name] = _frame_value(parameter, frame, limits)
    return args


def text(frame: Frame, name: str, *, required: bool = False) -> str | None:
    """Return a text of a frame."""
    value = frame.get(name)
    if value is None:
        if required:
            raise Faults([fault(name, "missing_required")])
        return None
    if not isinstance(value, str):
        raise Faults([fault(name, "wrong_type.string")])
    return value


def _query_value(parameter: Parameter, values: Sequence[str], limits: Limits) -> Any:
    if parameter.type == "statuses":
        return _statuses([word for value in values for word in value.split(",")])
    if len(values) > 1:
        raise Faults([fault(parameter.name, "duplicate_value")])
    value = values[0] if values else None
    match parameter.type:
        case "flag":
            if value not in _FLAGS:
                raise Faults([fault(parameter.name, "wrong_type.boolean")])
            return _FLAGS[value]
        case "integer" | "number":
            return _number(parameter, value, limits)
        case _:
            return _check_pattern(parameter, value)


def _frame_value(parameter: Parameter, frame: Frame, limits: Limits) -> Any:
    value = frame.get(parameter.name)
    match parameter.type:
        case "text":
            return _check_pattern(parameter, text(frame, parameter.name))
        case "flag":
            if not isinstance(value, bool | None):
                raise Faults([fault(parameter.name, "wrong_type.boolean")])
            return value or False
        case "statuses":
            words = value.split(",") if isinstance(value, str) else value
            return None if words is None else _statuses(_texts("status", words, "wrong_type.string"))
        case "texts":
            return _texts(parameter.name, value, "wrong_type.list")
        case _:
            if value is None:
                return parameter.default
            if not isinstance(value, int) or isinstance(value, bool):
                raise Faults([fault(parameter.name, "wrong_type.integer")])
            return _check_bounds(parameter, value, limits)


def _number(parameter: Parameter, value: str | None, limits: Limits) -> float | None:
    if value is None:
        return parameter.default
    if _NUMBER.fullmatch(value) is None:
        raise Faults([fault(parameter.name, "wrong_type.number")])
    number = float(value) if "." in value else int(value)
    if parameter.type == "integer":
        if number != int(number):
            raise Faults([fault(parameter.name, "wrong_type.integer")])
        number = int(number)
    return _check_bounds(parameter, number, limits)


def _check_pattern(parameter: Parameter, value: str | None) -> str | None:
    if value is not None and parameter.pattern:
        check_cursor(value, parameter.pattern)
    return value


def _check_bounds(parameter: Parameter, value: float, limits: Limits) -> float:
    maximum = parameter.maximum
    if isinstance(maximum, str):
        maximum = cast("int", getattr(limits, maximum))
    if value < parameter.minimum:
        raise Faults([fault(parameter.name, "below_min", min=parameter.minimum)])
    if value > maximum:
        raise Faults([fault(parameter.name, "above_max", max=maximum)])
    return value


def _texts(name: str, value: object, key: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[object]", value)):
        raise Faults([fault(name, key)])
    return cast("list[str]", value)


def _statuses(words: Sequence[str]) -> frozenset[Status] | None:
    try:
        return frozenset(Status(word) for word in words if word) or None
    except ValueError:
        raise Faults([fault("status", "unknown_value", allowed=", ".join(Status))]) from None
