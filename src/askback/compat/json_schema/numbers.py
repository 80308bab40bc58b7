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
    whole = schema.get("type") == "integer"
    step = _step(schema.get("multipleOf"), whole=whole)
    low, high = schema.get("minimum"), schema.get("maximum")
    over, under = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    lost = [] if step is not None else [k for k in ("exclusiveMinimum", "exclusiveMaximum") if k in schema]
    if step is not None:
        lows = [] if low is None else [ceil(_exact(low) / step)]
        lows += [] if over is None else [floor(_exact(over) / step) + 1]
        highs = [] if high is None else [floor(_exact(high) / step)]
        highs += [] if under is None else [ceil(_exact(under) / step) - 1]
        bounds = {"min": max(lows, default=None), "max": min(highs, default=None)}
        moved = {name: _number(count * step) for name, count in bounds.items() if count is not None}
        return {**_safe(moved), "step": _number(step)}, lost
    members: dict[str, Any] = {}
    if (lows := [each for each in (low, over) if each is not None]) != []:
        members["min"] = max(lows)
    if (highs := [each for each in (high, under) if each is not None]) != []:
        members["max"] = min(highs)
    return _safe(members), lost


def write_bounds(low: float | None, high: float | None, step: float | None) -> tuple[dict[str, Any], bool]:
    """Return the keywords of a number, and whether they say all of its rules."""
    made: dict[str, Any] = {"type": "number"}
    aligned = step is not None and (low is None or _exact(low) % _exact(step) == 0)
    if step is not None and _exact(step).denominator == 1 and (low is None or _exact(low).denominator == 1):
        made["type"] = "integer"
    if aligned and not (made["type"] == "integer" and step == 1):
        made["multipleOf"] = step
    made |= {} if low is None else {"minimum": low}
    made |= {} if high is None else {"maximum": high}
    return made, step is None or aligned


def _step(multiple: Any, *, whole: bool) -> Fraction | None:
    if multiple is None:
        return Fraction(1) if whole else None
    step = _exact(multiple)
    return Fraction(step.numerator) if whole else step


def _exact(number: float) -> Fraction:
    """Return the number that its shortest text means: 0.1 is a tenth."""
    return Fraction(number) if isinstance(number, int) else Fraction(Decimal(repr(number)))


def _number(exact: Fraction) -> int | float:
    return exact.numerator if exact.denominator == 1 else float(exact)


def _safe(bounds: dict[str, Any]) -> dict[str, Any]:
    """Leave out a bound that every number of a form keeps."""
    return {
        name: bound
        for name, bound in bounds.items()
        if not (bound <= -SAFE_INTEGER if name == "min" else bound >= SAFE_INTEGER)
    }
