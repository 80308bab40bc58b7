"""What reading and writing a JSON Schema returns, and the way from an answer back to an instance."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from askback.compat.translation import Loss
from askback.domain.fields import Form

Reader = Callable[[Any], Any]
"""Turns the value of a field into the value that the schema wants."""

ABSENT: Any = object()
"""Marks a property that an instance does not have when the person left its field empty."""


@dataclass(frozen=True, slots=True)
class AskedProperty:
    """A property that a field asks for; `absent` is its value when the person left the field empty."""

    field_id: str
    read: Reader | None = None
    absent: Any = ABSENT
    is_moment: bool = False


@dataclass(frozen=True, slots=True)
class Constant:
    """A property with only one possible value, which nobody has to enter."""

    value: Any


@dataclass(frozen=True, slots=True)
class Group:
    """An object: its properties by name. `absent` is its value when none of its fields was filled in."""

    members: dict[str, AskedProperty | Constant | Group] = field(
        default_factory=dict["str", "AskedProperty | Constant | Group"]
    )
    absent: Any = ABSENT
    optional: bool = False


def read_moment_text(text: str) -> datetime:
    """Read the value of a `datetime` field; a named zone (RFC 9557) becomes a `ZoneInfo`."""
    local, bracket, zone = text.partition("[")
    moment = datetime.fromisoformat(local.replace("z", "Z"))
    if not bracket:
        return moment
    zone_info = ZoneInfo(zone.rstrip("]"))
    return moment.replace(tzinfo=zone_info) if moment.tzinfo is None else moment.astimezone(zone_info)


def _rfc3339(text: str) -> str:
    moment = read_moment_text(text)
    return moment.isoformat() if moment.tzinfo != UTC else moment.replace(tzinfo=None).isoformat() + "Z"


@dataclass(frozen=True, slots=True)
class SchemaForm:
    """A form that was read from a schema, the keywords that it does not check, and the readers of its values."""

    form: Form
    losses: tuple[Loss, ...]
    root: Group

    def instance(self, values: Mapping[str, Any], *, read_moment: Callable[[str], Any] = _rfc3339) -> Any:
        """Return the value that the schema describes, from the values of an answer.

        `read_moment` reads a date-time, which by default becomes RFC 3339 with an offset.
        """
        return _build(self.root, values, read_moment)


def _build(group: Group, values: Mapping[str, Any], read_moment: Callable[[str], Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, member in group.members.items():
        if isinstance(member, Constant):
            result[name] = copy.deepcopy(member.value)
        elif isinstance(member, Group):
            if not member.optional or _is_filled(member, values):
                result[name] = _build(member, values, read_moment)
            elif member.absent is not ABSENT:
                result[name] = copy.deepcopy(member.absent)
        elif member.field_id in values:
            value = values[member.field_id]
            reader = read_moment if member.is_moment else member.read
            result[name] = value if reader is None else reader(value)
        elif member.absent is not ABSENT:
            result[name] = copy.deepcopy(member.absent)
    return result


def _is_filled(group: Group, values: Mapping[str, Any]) -> bool:
    return any(
        _is_filled(member, values) if isinstance(member, Group) else member.field_id in values
        for member in group.members.values()
        if not isinstance(member, Constant)
    )


@dataclass(frozen=True, slots=True)
class WrittenSchema:
    """A form as a JSON Schema of its answers, hints for the rest, and the rules that the schema does not check."""

    schema: dict[str, Any]
    ui: dict[str, Any]
    losses: tuple[Loss, ...]
