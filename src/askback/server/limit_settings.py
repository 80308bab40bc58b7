"""Limits that the operator sets: `ASKBACK_LIMITS`, `ASKBACK_LIMIT_<NAME>` and `--limit NAME=VALUE`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from difflib import get_close_matches
from types import MappingProxyType

from askback.domain.limits import DEFAULTS, Limits
from askback.server.database_address import SettingsError

LIMITS = "ASKBACK_LIMITS"
LIMIT = "ASKBACK_LIMIT_"
FLAG = "--limit"

LARGEST = 2**31 - 1
CEILINGS: Mapping[str, int] = MappingProxyType({"identifier": 600, "json_depth": 100})
"""The highest values of limits that protect something else: an index of Postgres, and the stack."""

ORDER = (
    ("request_bytes", "body_bytes"),
    ("min_timeout_s", "max_timeout_s"),
    ("file_bytes", "files_bytes"),
    ("file_bytes", "message_files_bytes"),
)
"""Pairs of limits of which the first must not be larger than the second."""


def read_limits(variables: Mapping[str, str], flags: Sequence[str] = ()) -> Limits:
    """Return the limits; a flag wins over the variable of one limit, which wins over `ASKBACK_LIMITS`.

    Raises `SettingsError`, which names the variable or flag and the limit.
    """
    values: dict[str, int] = {}
    for source, name, text in _entries(variables, flags):
        if name not in asdict(DEFAULTS):
            raise SettingsError(f"{source}: {name!r} is not a limit.{_hint(name)}")
        limit = CEILINGS.get(name, LARGEST)
        if not re.fullmatch(r"[0-9]{1,10}", text) or not 1 <= int(text) <= limit:
            raise SettingsError(f"{source}: {name} must be a whole number from 1 to {limit}.")
        values[name] = int(text)
    limits = replace(DEFAULTS, **values)
    for low, high in ORDER:
        if getattr(limits, low) > getattr(limits, high):
            raise SettingsError(
                f"The limit {low} ({getattr(limits, low)}) must not be larger than {high} ({getattr(limits, high)})."
            )
    return limits


def _entries(variables: Mapping[str, str], flags: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Return the source, name and value of each entry; later ones win."""
    for entry in variables.get(LIMITS, "").split(","):
        if entry.strip():
            yield (LIMITS, *_name_and_value(entry))
    for variable in sorted(variables):
        if variable.startswith(LIMIT):
            yield variable, variable.removeprefix(LIMIT).lower(), variables[variable].strip()
    for entry in flags:
        yield (FLAG, *_name_and_value(entry))


def _name_and_value(entry: str) -> tuple[str, str]:
    name, _, text = entry.partition("=")
    return name.strip(), text.strip()


def _hint(name: str) -> str:
    similar_names = get_close_matches(name, asdict(DEFAULTS), n=1)
    return f" Did you mean {similar_names[0]}?" if similar_names else " GET /v1/limits lists all of them."
