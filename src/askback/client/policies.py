"""Read and change rules and policy settings, and read the audit log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import Any, Literal, TypedDict, Unpack

from askback.client.connection import Connection
from askback.client.operations import frame, idempotency_key, known
from askback.client.records import AuditPage, Rule, RulePage
from askback.domain.approval import Mode
from askback.domain.policy.conduct import FreeText
from askback.domain.policy.preferences import PolicySettings


class Conversation(TypedDict, total=False):
    """How conversations go, as `domain.policy.conduct` says; None is as at first, or in a thread as everywhere."""

    free_text: FreeText | None
    max_questions: int | None
    questions_window_s: int | None
    max_questions_text: str | None
    refund_questions: bool | None
    max_pending: int | None
    max_pending_per_agent: int | None
    max_submissions_per_minute: int | None
    max_messages_per_hour: int | None
    retention_days: int | None


class Policies(Connection):
    """The part of the client that says what may run unasked, and reads what was decided."""

    async def rules(
        self,
        *,
        thread_id: str | None = None,
        project: str | None = None,
        ended: bool = False,
        limit: int = 100,
        cursor: str | None = None,
    ) -> RulePage:
        """Read a page of rules, newest first; with `ended` also those that were revoked or have expired."""
        op = frame(
            "rules",
            thread_id=thread_id,
            project=project,
            ended=ended or None,
            limit=limit,
            cursor=cursor,
        )
        found = await self._call(op)
        return RulePage([Rule.model_validate(rule) for rule in found["rules"]], found["next_cursor"])

    async def add_rule(
        self,
        rule: str,
        *,
        effect: Literal["deny", "ask", "allow"] = "allow",
        scope: Literal["thread", "project", "always"] = "always",
        thread_id: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        expires_in_s: float | None = None,
        why: str | None = None,
        locked: bool = False,
        shadow: bool = False,
        script_may_change: bool = False,
    ) -> Rule:
        """Keep a rule, such as `bash(git diff:*)`; raises `Invalid`, and `Forbidden` for a requester.

        `agent` is the id of the agent that it is for, None for every agent.
        `locked` asks each time, even if a person decides otherwise on a card; admin only. `shadow` decides nothing
        and is only written into the audit log. `script_may_change` accepts later changes of the files that an allowed
        command runs by name (`python3 script.py`), which a rule for more than a thread needs.
        """
        body = known(
            rule=rule,
            effect=effect,
            scope=scope,
            thread_id=thread_id,
            project=project,
            agent=agent,
            expires_in_s=expires_in_s,
            why=why,
            locked=locked,
            shadow=shadow,
            script_may_change=script_may_change,
        )
        op = frame("add_rule", body=body, key=idempotency_key(None))
        return Rule.model_validate(await self._call(op))

    async def revoke_rule(self, rule: Rule | str) -> Rule:
        """End a rule; raises `NotFound`, and `Forbidden` for a locked one unless an admin does it."""
        rule_id = rule if isinstance(rule, str) else rule.id
        return Rule.model_validate(await self._call(frame("revoke_rule", rule_id=rule_id)))

    async def policy(self, thread_id: str | None = None) -> PolicySettings:
        """Read the settings that hold in a thread, or everywhere."""
        return PolicySettings.model_validate(await self._call(frame("policy", thread_id=thread_id)))

    async def set_policy(
        self,
        *,
        thread_id: str | None = None,
        mode: Mode | EllipsisType | None = ...,
        level: Literal["deny", "allowlist", "full"] | EllipsisType | None = ...,
        ask_mode: Literal["off", "on-miss", "always"] | EllipsisType | None = ...,
        lists: Sequence[str] | EllipsisType | None = ...,
        shadow: Mapping[str, Any] | EllipsisType | None = ...,
        confirm: str | None = None,
        **conduct: Unpack[Conversation],
    ) -> PolicySettings:
        """Change the given settings and return those in force; None resets a setting to its default.

        With `thread_id` only `mode` and `conduct` can be set, and None means the tenant's setting. `shadow` are
        settings to try, None ends the trial.
        Raises `Conflict` (`confirmation_required`) for `full` without its `confirm`.
        """
        given = {
            "mode": mode,
            "level": level,
            "ask_mode": ask_mode,
            "lists": lists,
            "shadow": shadow,
            **conduct,
        }
        body = known(thread_id=thread_id, confirm=confirm)
        body |= {name: value for name, value in given.items() if value is not ...}
        return PolicySettings.model_validate(await self._call(frame("set_policy", body=body)))

    async def audit(self, *, after: int = 0, limit: int = 500) -> AuditPage:
        """Read entries of the audit log with a `seq` above `after`, as an admin; `domain.audit.verify` checks them."""
        found = await self._call(frame("audit", after=after, limit=limit))
        head = found["head"]
        # A server from before says nothing of seals.
        return AuditPage(
            found["entries"], (head["seq"], head["hash"]), head.get("seal", {}).get("status", "unsealed")
        )
