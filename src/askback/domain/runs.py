"""Runs: turns of an agent in a thread, with a beginning and an end."""

from __future__ import annotations

import json
from typing import Any

from askback.domain import jsontext
from askback.domain.timestamps import rfc3339
from askback.domain.values import frozen

SILENT_REASON = "timeout"
"""The reason of a run that the server ended because it was inactive."""
ARCHIVED = "thread_archived"
"""The reason of a run that the server ended because its thread was archived."""


@frozen(slots=True)
class Run:
    """One run; `agent` is the id of its agent, `metadata` is JSON text, times are in milliseconds.

    `seen_at` is the time of the last recorded activity. `key` is its place in lists, 0 before it is stored.
    """

    tenant: str
    thread_id: str
    id: str
    agent: str
    started_at: int
    seen_at: int
    ended_at: int | None = None
    reason: str | None = None
    metadata: str | None = None
    key: int = 0

    @property
    def wire(self) -> str:
        """The run as JSON text."""
        members: dict[str, Any] = {
            "id": self.id,
            "thread_id": self.thread_id,
            "agent": self.agent,
            "status": "running" if self.ended_at is None else "ended",
            "started_at": rfc3339(self.started_at),
        }
        if self.ended_at is not None:
            members["ended_at"] = rfc3339(self.ended_at)
        if self.reason is not None:
            members["reason"] = self.reason
        text = json.dumps(members, ensure_ascii=False, separators=(",", ":"))
        return text if self.metadata is None else jsontext.merge(text, f'{{"metadata":{self.metadata}}}')
