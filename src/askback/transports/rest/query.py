"""Query parameters: read, checked, and refused like any other input, with their name as the path."""

from __future__ import annotations

import re

from askback.domain.faults import Faults, fault
from askback.domain.lifecycle import Status
from askback.transports.http import Call

PAGE = 50
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")


def text(call: Call, name: str) -> str | None:
    """Return the last value given, None without one."""
    values = call.query.get(name)
    return values[-1] if values else None


def flag(call: Call, name: str) -> bool:
    """Return whether a switch is on: `1` or `true`, off for `0`, `false` and where it is not given."""
    given = text(call, name)
    if given not in {None, "0", "1", "false", "true"}:
        raise Faults([fault(name, "wrong_type.boolean")])
    return given in {"1", "true"}


def integer(call: Call, name: str, *, minimum: int, maximum: int = 2**31) -> int | None:
    """Return a whole number within bounds."""
    given = number(call, name, minimum=minimum, maximum=maximum)
    if given is None:
        return None
    if given != int(given):
        raise Faults([fault(name, "wrong_type.integer")])
    return int(given)


def number(call: Call, name: str, *, minimum: float, maximum: float) -> float | None:
    """Return a number within bounds, None when it is not given; raises `Faults`."""
    given = text(call, name)
    if given is None:
        return None
    if _NUMBER.fullmatch(given) is None:
        raise Faults([fault(name, "wrong_type.number")])
    value = float(given)
    if value < minimum:
        raise Faults([fault(name, "below_min", min=minimum)])
    if value > maximum:
        raise Faults([fault(name, "above_max", max=maximum)])
    return value


def statuses(call: Call) -> frozenset[Status] | None:
    """Return the statuses asked for: given several times, or as a list with commas."""
    words = [word for given in call.query.get("status", []) for word in given.split(",") if word]
    try:
        return frozenset(Status(word) for word in words) or None
    except ValueError:
        raise Faults([fault("status", "unknown_value", allowed=", ".join(Status))]) from None
