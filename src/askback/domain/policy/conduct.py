"""How conversations go: what text means while a request is open, how much may be asked, how long it is kept."""

from __future__ import annotations

import json
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

FreeText = Literal["ignore", "queue", "cancel_pending", "block_input", "answer"]

BOUNDS = MappingProxyType(
    {
        "max_questions": (0, 1_000_000_000),
        "questions_window_s": (1, 366 * 24 * 3600),
        "max_pending": (1, 1_000_000),
        "max_pending_per_agent": (1, 1_000_000),
        "max_submissions_per_minute": (1, 1_000_000),
        "max_messages_per_hour": (1, 1_000_000),
        "retention_days": (1, 36_500),
    }
)
"""The least and the most that each of the numbers can be set to."""

EVERYWHERE_ONLY = frozenset({"max_pending_per_agent", "max_submissions_per_minute", "max_messages_per_hour"})
"""What is set for a tenant and not for a single thread."""


class Conduct(BaseModel):
    """What holds in a thread, or in all of them; None is the default of the server (`domain/limits.py`).

    `free_text` is what becomes of a person's message while a request is open. `max_questions` are the forms that a
    thread is asked within `questions_window_s`; approvals and secrets are never counted. One more is refused with
    `max_questions_text`, or with words of ours. With `refund_questions` what was cancelled or has expired counts no
    more. `max_pending` are requests of any kind that are open at once, `retention_days` how long a thread in which
    nothing happens is kept.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    free_text: FreeText = "ignore"
    max_questions: int = 10_000
    questions_window_s: int = 24 * 3600
    max_questions_text: str | None = None
    refund_questions: bool = False
    max_pending: int | None = None
    max_pending_per_agent: int | None = None
    max_submissions_per_minute: int | None = None
    max_messages_per_hour: int | None = None
    retention_days: int | None = None


@lru_cache(1_024)
def read_conduct(everywhere: str | None, here: str | None = None) -> Conduct:
    """Return what holds in a thread, from the stored JSON texts: what the thread says itself wins."""
    said: dict[str, Any] = json.loads(everywhere) if everywhere else {}
    return Conduct.model_validate({**said, **(json.loads(here) if here else {})})
