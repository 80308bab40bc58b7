"""The settings of a policy, as they are stored and shown."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from askback.domain.approval import Mode
from askback.domain.policy.conduct import Conduct
from askback.domain.policy.table import AskMode, Level

DEFAULT_LISTS = ("default", "read-only-tools")


class Trial(BaseModel):
    """Settings to try without effect; None means the current setting."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    level: Level | None = None
    ask_mode: AskMode | None = None
    mode: Mode | None = None
    lists: list[str] | None = None


class PolicySettings(Conduct):
    """The default policy and the conversation settings; see `docs/explanation/policy.md`.

    `lists` are built-in lists of rules by name; see `policy/lists.py`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    level: Level = "allowlist"
    ask_mode: AskMode = "on-miss"
    mode: Mode = "normal"
    lists: list[str] = Field(default_factory=lambda: list(DEFAULT_LISTS))
    shadow: Trial | None = None
