"""A request for secrets as somebody sees it who must not learn the names: how many they are, and no more."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from pydantic_core import to_json

from askback.domain.record import Record

_NAMES = frozenset({"names", "metadata", "present"})


def veiled(record: Record) -> Record:
    """Return a record without the names of its secrets, if it hides them, else the record."""
    if not record.hides_names:
        return record
    return replace(record, spec=veil_spec(record.spec), state=veil_state(record.state))


def veil_spec(spec: str) -> str:
    """Return what was asked with `count` in the place of the names and of all that is said by name."""
    asked: dict[str, Any] = json.loads(spec)
    secret = asked["secret"]
    kept = {name: part for name, part in secret.items() if name not in _NAMES}
    return to_json({**asked, "secret": {**kept, "names": [], "count": len(secret["names"])}}).decode()


def veil_state(state: str) -> str:
    """Return where a request stands without names: neither those that were sent nor those of the fields with faults."""
    kept: dict[str, Any] = json.loads(state)
    kept.pop("field_errors", None)
    kept.pop("error_summary", None)
    for part in ("answer", "submitted"):
        if part in kept:
            kept[part] = {**kept[part], "names": [], "existing": []}
    return to_json(kept).decode()
