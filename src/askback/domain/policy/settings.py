"""The settings of threads and of the policy, as stored and shown."""

from __future__ import annotations

import json
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from askback.domain.approval import Mode
from askback.domain.policy.decision_table import AskMode, PolicyLevel, PolicyTable
from askback.domain.policy.question_limits import QuestionLimit

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
"""The minimum and the maximum of each numeric setting."""

TENANT_ONLY = frozenset({"max_pending_per_agent", "max_submissions_per_minute", "max_messages_per_hour"})
"""Settings of a tenant that a thread cannot have."""


class ThreadSettings(BaseModel):
    """The settings of a thread or of a tenant; None means the server's default (`domain/limits.py`).

    `free_text` says what happens to a person's message while a request is open. `max_questions` limits the forms in a
    thread within `questions_window_s`; approvals and secrets are not counted. One more is refused with
    `max_questions_text`, or with a default text. `question_limits` are those of tools and agents. With
    `refund_questions`, cancelled and expired forms do not count. `max_pending` limits requests of any kind that are
    open at once. `retention_days` is how long an inactive thread is kept.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    free_text: FreeText = "ignore"
    max_questions: int = 10_000
    questions_window_s: int = 24 * 3600
    max_questions_text: str | None = None
    question_limits: tuple[QuestionLimit, ...] | None = None
    refund_questions: bool = False
    max_pending: int | None = None
    max_pending_per_agent: int | None = None
    max_submissions_per_minute: int | None = None
    max_messages_per_hour: int | None = None
    retention_days: int | None = None


@lru_cache(1_024)
def read_thread_settings(tenant_json: str | None, thread_json: str | None = None) -> ThreadSettings:
    """Return the settings of a thread from the stored JSON texts; those of the thread override the tenant's."""
    defaults: dict[str, Any] = json.loads(tenant_json) if tenant_json else {}
    return ThreadSettings.model_validate({**defaults, **(json.loads(thread_json) if thread_json else {})})


DEFAULT_LISTS = ("default", "read-only-tools")


class ShadowSettings(BaseModel):
    """Settings to try without effect; None means the current setting."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    level: PolicyLevel | None = None
    ask_mode: AskMode | None = None
    mode: Mode | None = None
    lists: list[str] | None = None
    table: PolicyTable | None = None


class PolicySettings(ThreadSettings):
    """The default policy and the conversation settings; see `docs/explanation/policy.md`.

    `lists` are built-in lists of rules by name; see `policy/built_in_lists.py`. `table` is the table of levels and ask
    modes; see `policy/decision_table.py`. Without a choice, the list `nebo` brings the table of Nebo.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    level: PolicyLevel = "allowlist"
    ask_mode: AskMode = "on-miss"
    mode: Mode = "normal"
    lists: list[str] = Field(default_factory=lambda: list(DEFAULT_LISTS))
    table: PolicyTable | None = None
    shadow: ShadowSettings | None = None

    @property
    def table_in_force(self) -> PolicyTable:
        """The chosen table, or the one that comes with the lists."""
        return self.table or ("nebo" if "nebo" in self.lists else "askback")
