"""Parse dates, times of day and points in time.

Each parser returns a value that sorts by time, or None if the text is not valid. Digits are ASCII, dates must
exist, and nothing is guessed: a moment needs an offset (RFC 3339) or a zone (RFC 9557). A leap second is
refused, because neither language supports one.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?")
_FLOATING = re.compile(rf"(?P<date>{_DATE.pattern})T(?P<time>{_TIME.pattern})")
_MOMENT = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]"
    r"(?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9])(?:\.(?P<fraction>[0-9]{1,9}))?)?"
    r"(?P<offset>[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?"
    r"(?:\[(?P<zone>[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*)\])?"
)
_NOT_ZONES = frozenset({"Factory", "localtime"})

Moment = tuple[int, int]
"""Seconds since the epoch and nanoseconds."""


def read_date(text: str) -> str | None:
    """Return the date unchanged: `YYYY-MM-DD` sorts correctly."""
    if _DATE.fullmatch(text) is None:
        return None
    try:
        date.fromisoformat(text)
    except ValueError:
        return None
    return text


def read_time(text: str) -> str | None:
    """Return the time of day as `HH:MM:SS`."""
    if _TIME.fullmatch(text) is None:
        return None
    return text if len(text) == 8 else f"{text}:00"


def read_floating(text: str) -> str | None:
    """Return a date and time without a zone as `YYYY-MM-DDTHH:MM:SS`."""
    match = _FLOATING.fullmatch(text)
    if match is None or read_date(match["date"]) is None:
        return None
    return text if len(text) == 19 else f"{text}:00"


def read_moment(text: str) -> Moment | None:
    """Return the time; for a local time that occurs twice in its zone, the first of the two."""
    match = _MOMENT.fullmatch(text)
    if match is None or not (match["offset"] or match["zone"]) or read_date(match["date"]) is None:
        return None
    local = datetime.fromisoformat(
        f"{match['date']}T{match['hour']}:{match['minute']}:{match['second'] or '00'}"
    )
    offset = _offset(local, offset_text=match["offset"], zone=match["zone"])
    if offset is None:
        return None
    seconds = (local - datetime(1970, 1, 1)) // timedelta(seconds=1) - int(offset.total_seconds())  # noqa: DTZ001
    return seconds, int((match["fraction"] or "0").ljust(9, "0"))


def _offset(local: datetime, *, offset_text: str | None, zone: str | None) -> timedelta | None:
    """Return the offset of a time; None for an unknown zone, a gap, or an offset that the zone does not have."""
    parsed_offset = None if offset_text is None else _parse_offset(offset_text)
    if zone is None:
        return parsed_offset
    if zone not in _zones():
        return None
    possible = _offsets_at(local, ZoneInfo(zone))
    if offset_text is None:
        return possible[0] if possible else None
    return parsed_offset if offset_text in "Zz" or parsed_offset in possible else None


def _parse_offset(offset_text: str) -> timedelta:
    if offset_text in "Zz":
        return timedelta(0)
    size = timedelta(hours=int(offset_text[1:3]), minutes=int(offset_text[4:6]))
    return -size if offset_text[0] == "-" else size


def _offsets_at(local: datetime, zone: ZoneInfo) -> list[timedelta]:
    """Return the offsets for `local` in `zone`, the earlier time first; none in a gap."""
    offsets = [zone.utcoffset(local.replace(fold=fold)) for fold in (0, 1)]
    return [offset for offset in offsets if offset is not None and _exists(local, offset, zone)]


def _exists(local: datetime, offset: timedelta, zone: ZoneInfo) -> bool:
    try:
        round_trip = local.replace(tzinfo=timezone(offset)).astimezone(UTC).astimezone(zone)
    except OverflowError:
        return True
    return round_trip.replace(tzinfo=None) == local


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(available_timezones()) - _NOT_ZONES
