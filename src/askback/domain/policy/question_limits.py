"""Limits of the questions of one tool or one agent in a thread."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

MAX_LIMITS = 50
"""The most limits of a thread or a tenant."""


class QuestionLimit(BaseModel):
    """The maximum number of forms of a tool, of an agent (by id), or of one tool of one agent.

    They are counted in each thread, in the same window as `max_questions`. One more is refused with `text`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    tool: str | None = None
    agent: str | None = None
    max: int
    text: str | None = None

    @property
    def name(self) -> str:
        """The key of its stored count."""
        return count_name(self.tool, self.agent)

    def applies_to(self, tool: str | None, agent: str) -> bool:
        """Return whether a form of this tool and agent counts."""
        return self.name in count_names(tool, agent)


def count_name(tool: str | None, agent: str | None) -> str:
    """Return the key of the stored count of a tool, an agent, or a tool of an agent."""
    return json.dumps([tool, agent], ensure_ascii=False, separators=(",", ":"))


def limit_of_count(name: str, limit: int) -> QuestionLimit:
    """Return the limit whose count has this key."""
    tool, agent = json.loads(name)
    return QuestionLimit(tool=tool, agent=agent, max=limit)


def count_names(tool: str | None, agent: str) -> Sequence[str]:
    """Return the names of all counts in which a form of this tool and agent may be."""
    names = [count_name(None, agent)]
    return names if tool is None else [*names, count_name(tool, None), count_name(tool, agent)]
