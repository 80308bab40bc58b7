"""Where a request stands: the small JSON object beside what was asked (`record.py`), written here and nowhere else.

Some of it outlasts the step that wrote it: votes, when it was first shown, how far it was escalated, that nobody waits
for it any more. The rest is of one step: what was sent and is being checked, what was wrong with it, how it ended.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json

from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.answer import Cleaned

OPEN = '{"status":"pending","revision":1}'
"""A new request without a deadline."""

CARRIED = ("queued_behind", "votes", "shown_at", "escalated", "assigned", "detached", "unseen")


def opened(expires_at: int | None = None) -> str:
    """Return the state of a new request; its deadline is in milliseconds since the epoch."""
    return OPEN if expires_at is None else f'{OPEN[:-1]},"expires_at":"{rfc3339(expires_at)}"}}'


def carried(record: Record) -> dict[str, Any]:
    """Return what the next step keeps. Most requests have nothing of it, and then nothing is parsed."""
    if len(record.state) <= len(opened(record.expires_at)):
        return {}
    state: dict[str, Any] = json.loads(record.state)
    return {name: state[name] for name in CARRIED if name in state}


def moved(
    record: Record, status: Status, said: Mapping[str, Any], *, revision: int, expires_at: int | None
) -> str:
    """Return the state after a step that came to `status`; `said` is what this step adds, or with None takes away."""
    state: dict[str, Any] = {**carried(record), **said, "status": status, "revision": revision}
    state.pop("expires_at", None)
    if expires_at is not None:
        state["expires_at"] = rfc3339(expires_at)
    return to_json({name: value for name, value in state.items() if value is not None}).decode()


def said(answer: Cleaned) -> dict[str, Any]:
    """Return a checked answer to a form as it is kept."""
    return {"values": answer.values, "other": answer.other} if answer.other else {"values": answer.values}
