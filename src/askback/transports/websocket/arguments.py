"""What an operation finds in its frame; each raises `Faults` that name the member."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from askback.domain.faults import Faults, fault
from askback.domain.lifecycle import Status

Frame = Mapping[str, Any]


def place(frame: Frame) -> str | None:
    """Return which thread is meant; None is the inbox."""
    return None if frame.get("inbox") is True else needed(frame, "thread_id")


def text(frame: Frame, name: str) -> str | None:
    """Return a text that may be left out."""
    value = frame.get(name)
    if value is not None and not isinstance(value, str):
        raise Faults([fault(name, "wrong_type.string")])
    return value


def needed(frame: Frame, name: str) -> str:
    """Return a text that has to be there."""
    value = text(frame, name)
    if value is None:
        raise Faults([fault(name, "missing_required")])
    return value


def whole(frame: Frame, name: str, *, minimum: int, maximum: int) -> int | None:
    """Return a whole number within its bounds, that may be left out."""
    value = frame.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise Faults([fault(name, "wrong_type.integer")])
    if value < minimum:
        raise Faults([fault(name, "below_min", min=minimum)])
    if value > maximum:
        raise Faults([fault(name, "above_max", max=maximum)])
    return value


def statuses(given: object) -> frozenset[Status] | None:
    """Return the statuses that a list, or a text with commas, names; None for all of them."""
    words = given.split(",") if isinstance(given, str) else given
    if words is None:
        return None
    if not isinstance(words, list) or not all(isinstance(w, str) for w in cast("list[object]", words)):
        raise Faults([fault("status", "wrong_type.string")])
    try:
        return frozenset(Status(word) for word in cast("list[str]", words) if word) or None
    except ValueError:
        raise Faults([fault("status", "unknown_value", allowed=", ".join(Status))]) from None
