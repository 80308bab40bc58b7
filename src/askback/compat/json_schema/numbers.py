"""The rules of a number: JSON Schema counts multiples from 0, a form counts steps from the minimum."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any

from askback.domain.limits import SAFE_INTEGER


def read_bounds(schema: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return `min`, `max` and `step` of a number, and the keywords that they do not enforce.

    With a step every bound is moved to the nearest multiple, so that steps from the minimum are multiples.
    """
    is_integer = schema.get("type") == "integer"
    step = _step(schema.get("multipleOf"), is_integer=is_integer)
    minimum, maximum = schema.get("minimum"), schema.get("maximum")
    exclusive_minimum, exclusive_maximum = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    losses = [] if step is not None else [k for k in ("exclusiveMinimum", "exclusiveMaximum") if k in schema]
    if step is not None:
        lows = [] if minimum is None else [ceil(_as_fraction(minimum) / step)]
        lows += [] if exclusive_minimum is None else [floor(_as_fraction(exclusive_minimum) / step) + 1]
        highs = [] if maximum is None else [floor(_as_fraction(maximum) / step)]
        highs += [] if exclusive_maximum is None else [ceil(_as_fraction(exclusive_maximum) / step) - 1]
        bounds = {"min": max(lows, default=None), "max": min(highs, default=None)}
        bounds_on_steps = {name: _number(count * step) for name, count in bounds.items() if count is not None}
        return {**_safe(bounds_on_steps), "step": _number(step)}, losses
    members: dict[str, Any] = {}
    if (lows := [item for item in (minimum, exclusive_minimum) if item is not None]) != []:
        members["min"] = max(lows)
    if (highs := [item for item in (maximum, exclusive_maximum) if item is not None]) != []:
        members["max"] = min(highs)
    return _safe(members), losses


def write_bounds(
    minimum: float | None, maximum: float | None, step: float | None
) -> tuple[dict[str, Any], bool]:
    """Return the keywords of a number, and whether they say all of its rules."""
    schema: dict[str, Any] = {"type": "number"}
    is_aligned = step is not None and (minimum is None or _as_fraction(minimum) % _as_fraction(step) == 0)
    if (
        step is not None
        and _as_fraction(step).denominator == 1
        and (minimum is None or _as_fraction(minimum).denominator == 1)
    ):
        schema["type"] = "integer"
    if is_aligned and not (schema["type"] == "integer" and step == 1):
        schema["multipleOf"] = step
    schema |= {} if minimum is None else {"minimum": minimum}
    schema |= {} if maximum is None else {"maximum": maximum}
    return schema, step is None or is_aligned


def _step(multiple: Any, *, is_integer: bool) -> Fraction | None:
    if multiple is None:
        return Fraction(1) if is_integer else None
    step = _as_fraction(multiple)
    return Fraction(step.numerator) if is_integer else step


def _as_fraction(number: float) -> Fraction:
    """Return the number that its shortest text means: 0.1 is a tenth."""
    return Fraction(number) if isinstance(number, int) else Fraction(Decimal(repr(number)))


def _number(fraction: Fraction) -> int | float:
    return fraction.numerator if fraction.denominator == 1 else float(fraction)


def _safe(bounds: dict[str, Any]) -> dict[str, Any]:
    """Leave out a bound that every number of a form keeps."""
    return {
        name: bound
        for name, bound in bounds.items()
        if not (bound <= -SAFE_INTEGER if name == "min" else bound >= SAFE_INTEGER)
    }
