"""Bounds and steps of numbers, exact as decimals."""

from __future__ import annotations

from math import isfinite
from typing import Any

from askback.domain.fields import Number
from askback.domain.limits import SAFE_INTEGER


def number_fault(field: Number, value: float) -> tuple[str, dict[str, Any]] | None:
    """Return the key of the first rule that `value` breaks and what its text names, or None."""
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
    """Whether it is neither NaN nor infinite; a whole number of any size is finite."""
    return isinstance(value, int) or isfinite(value)


def is_multiple(value: float, *, of: float, start: float) -> bool:
    """Whether `value - start` is a whole multiple of `of`.

    Each number stands for the decimal that its shortest text shows, so that 0.3 is a multiple of
    0.1 although the binary fractions are not.
    """
    if isinstance(value, int) and isinstance(of, int) and isinstance(start, int):
        return (value - start) % of == 0
    parts = [_decimal(number) for number in (value, start, of)]
    scale = min(exponent for _, exponent in parts)
    whole, origin, step = (digits * 10 ** (exponent - scale) for digits, exponent in parts)
    return (whole - origin) % step == 0


def _decimal(number: float) -> tuple[int, int]:
    """Return `(digits, exponent)`: the number is digits x 10^exponent."""
    mantissa, _, exponent = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    return int(whole + fraction), int(exponent or 0) - len(fraction)
