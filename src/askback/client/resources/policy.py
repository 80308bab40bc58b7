"""Rules, the policy, and the audit log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, Literal, TypedDict, Unpack

from askback.client.frames import frame, idempotency_key, without_none
from askback.client.methods import method
from askback.client.resources.base import Page, Resource, id_of
from askback.domain.approval import Mode
from askback.domain.policy.settings import FreeText, PolicySettings
from askback.wire.admin_replies import Rule


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Entries of the audit log, oldest first, as they were sealed; `head` is the `seq` and the hash of the newest.

    `askback.domain.audit.verify` checks the entries, each as a JSON text. `seal` is the state of the seal on the
    newest: `sealed`, or why not.
    """

    entries: Sequence[Mapping[str, Any]]
    head: tuple[int, str]
    seal: str = "unsealed"

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


class ConversationSettings(TypedDict, total=False):
    """Settings of conversations; None resets one to its default, or in a thread to the tenant's setting."""

    free_text: FreeText | None
    max_questions: int | None
    questions_window_s: int | None
    max_questions_text: str | None
    question_limits: Sequence[Mapping[str, Any]] | None
    refund_questions: bool | None
    max_pending: int | None
    max_pending_per_agent: int | None
    max_submissions_per_minute: int | None
    max_messages_per_hour: int | None
    retention_days: int | None


class Rules(Resource):
    """`client.rules`: remembered decisions."""

    @method
    async def list(
        self,
        *,
        thread_id: str | None = None,
        project: str | None = None,
        ended: bool = False,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Rule]:
        """Read a page of rules, newest first; with `ended` also revoked and expired ones."""
        op = frame(
            "list_rules",
            thread_id=thread_id,
            project=project,
            ended=ended or None,
            limit=limit,
            cursor=cursor,
        )
        found = await self._call(op)
        return Page([Rule.model_validate(rule) for rule in found["rules"]], found["next_cursor"])

    @method
    async def create(
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
        """Create a rule, such as `bash(git diff:*)`; raises `Invalid`, and `Forbidden` for a requester.

        `agent` is the id of the agent that it is for, None for every agent. A `locked` rule (admins only) asks each
        time, whatever people decide. A `shadow` rule decides nothing and is only recorded in the audit log.
        `script_may_change` accepts later changes of the files that an allowed command runs by name
        (`python3 script.py`); a rule for more than a thread needs it.
        """
        body = without_none(
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
        op = frame("create_rule", body=body, key=idempotency_key(None))
        return Rule.model_validate(await self._call(op))

    @method
    async def revoke(self, rule: Rule | str) -> Rule:
        """Revoke a rule; raises `NotFound`, and `Forbidden` for a locked rule unless you are an admin."""
        return Rule.model_validate(await self._call(frame("revoke_rule", rule_id=id_of(rule))))


class Policy(Resource):
    """`client.policy`: the settings of approvals and conversations, by thread or for all."""

    @method
    async def get(self, thread_id: str | None = None) -> PolicySettings:
        """Read the settings in force in a thread, or the default settings."""
        return PolicySettings.model_validate(await self._call(frame("get_policy", thread_id=thread_id)))

    @method
    async def update(
        self,
        *,
        thread_id: str | None = None,
        mode: Mode | EllipsisType | None = ...,
        level: Literal["deny", "allowlist", "full"] | EllipsisType | None = ...,
        ask_mode: Literal["off", "on-miss", "always"] | EllipsisType | None = ...,
        lists: Sequence[str] | EllipsisType | None = ...,
        table: Literal["askback", "nebo"] | EllipsisType | None = ...,
        shadow: Mapping[str, Any] | EllipsisType | None = ...,
        confirm: str | None = None,
        **conversation: Unpack[ConversationSettings],
    ) -> PolicySettings:
        """Change settings and return those in force; None resets a setting to its default.

        With `thread_id` only `mode` and `conversation` settings can be set, and None means the tenant's
        setting. `shadow` are settings to try out, None ends the trial.
        Raises `Conflict` (`confirmation_required`) without its `confirm` if everything would run unasked.
        """
        settings = {
            "mode": mode,
            "level": level,
            "ask_mode": ask_mode,
            "lists": lists,
            "table": table,
            "shadow": shadow,
            **conversation,
        }
        body = without_none(thread_id=thread_id, confirm=confirm)
        body |= {name: value for name, value in settings.items() if value is not ...}
        return PolicySettings.model_validate(await self._call(frame("update_policy", body=body)))


class Audit(Resource):
    """`client.audit`: the audit log."""

    @method
    async def list(self, *, after: int = 0, limit: int = 500) -> AuditPage:
        """Read audit log entries with a `seq` above `after`, as an admin; `domain.audit.verify` checks them."""
        found = await self._call(frame("get_audit_log", after=after, limit=limit))
        head = found["head"]
        # Older servers have no seals.
        return AuditPage(
            found["entries"], (head["seq"], head["hash"]), head.get("seal", {}).get("status", "unsealed")
        )
