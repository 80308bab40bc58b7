"""Rules, the policy, and the audit log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, Literal, TypedDict, Unpack

from askback.client.frames import frame, idempotency_key
from askback.client.methods import method
from askback.client.resources.base import Page, Resource, id_of
from askback.domain.approval import Mode
from askback.domain.model import without_none
from askback.domain.policy.settings import FreeText, PolicySettings
from askback.wire.policy_replies import (
    AuditEntries,
    AuditVerification,
    BuiltInRules,
    Rule,
    RuleExport,
    RuleImport,
    RulePreview,
    RuleTrial,
)


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Entries of the audit log, oldest first, as they were sealed; `head` is the `seq` and the hash of the newest.

    `askback.domain.audit.verify` checks the entries, each as a JSON text. `seal` is the state of the seal on the
    newest: `sealed`, or the reason why it has no valid seal.
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


class RuleDraft(TypedDict, total=False):
    """The optional settings of a draft rule; see `Rules.create`."""

    effect: Literal["deny", "ask", "allow"]
    expires_in_s: float | None
    why: str | None
    locked: bool
    shadow: bool
    script_may_change: bool


def _scope_members(places: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scope of a draft rule: the thread or the project in which it is tried."""
    scope = "thread" if "thread_id" in places else "project" if "project" in places else "always"
    members = {"agent", "thread_id" if scope == "thread" else "project"}
    return {"scope": scope, **{name: value for name, value in places.items() if name in members}}


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
        reply = await self._call(op)
        return Page([Rule.model_validate(rule) for rule in reply["rules"]], reply["next_cursor"])

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

        `agent` is the id of the agent that it is for, None for every agent. A `locked` rule (admins only)
        asks each time; no decision changes that. A `shadow` rule decides nothing and is only recorded in the
        audit log. `script_may_change` accepts later changes of the files that an allowed command runs by name
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
    async def built_in(self) -> BuiltInRules:
        """Read the built-in rules, their usage, and the hard limits."""
        return BuiltInRules.model_validate(await self._call(frame("list_built_in_rules")))

    @method
    async def check(
        self,
        rule: str | None = None,
        *,
        tool: str = "bash",
        input: Any = ...,  # noqa: A002 - as in `approve`
        cwd: str | None = None,
        thread_id: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        **draft: Unpack[RuleDraft],
    ) -> RuleTrial:
        """Check a draft rule, and with `input` whether it covers this call; nothing is stored.

        Without a rule, return only the policy's decision about the call.
        """
        places = without_none(thread_id=thread_id, project=project, agent=agent)
        call = None if input is ... else {"tool": tool, "input": input, **without_none(cwd=cwd)}
        rule_body = None if rule is None else {"rule": rule, **_scope_members(places), **draft}
        body = {**places, **without_none(rule=rule_body, call=call)}
        return RuleTrial.model_validate(await self._call(frame("try_rule", body=body)))

    @method
    async def preview(
        self,
        rule: str,
        *,
        thread_id: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        cursor: str | None = None,
        **draft: Unpack[RuleDraft],
    ) -> RulePreview:
        """Read the calls of the last 30 days that a draft rule would have decided differently, newest first.

        Each page checks a bounded number of calls; continue with `next_cursor`.
        """
        places = without_none(thread_id=thread_id, project=project, agent=agent)
        body = {"rule": {"rule": rule, **_scope_members(places), **draft}, **without_none(cursor=cursor)}
        return RulePreview.model_validate(await self._call(frame("preview_rule", body=body)))

    @method
    async def export(self) -> RuleExport:
        """Read the rules in force that you may see, oldest first."""
        return RuleExport.model_validate(await self._call(frame("export_rules")))

    @method
    async def import_(self, rules: Iterable[Mapping[str, Any]], *, dry_run: bool = False) -> RuleImport:
        """Import rows of an export, as an admin: all of them, or with a refused one none, which raises `Invalid`.

        With `dry_run` nothing is stored, and refused rows are in the result.
        """
        body = {"rules": [*rules], "dry_run": dry_run}
        return RuleImport.model_validate(await self._call(frame("import_rules", body=body)))

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
        Raises `Conflict` (`confirmation_required`) without `confirm` if every call would run without asking.
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
    async def search(
        self,
        *,
        actor: str | None = None,
        action: str | None = None,
        request_id: str | None = None,
        thread_id: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int = 50,
        cursor: int | None = None,
    ) -> AuditEntries:
        """Search the log, newest entries first, as an admin.

        `actor` is an id or a part of a name, `action` such as `decide` or `rule`. One call looks at a bounded number of
        entries and may find none; continue with `next_cursor`.
        """
        search = frame(
            "list_audit_entries",
            actor=actor,
            action=action,
            request_id=request_id,
            thread_id=thread_id,
            created_after=created_after,
            created_before=created_before,
            limit=limit,
            cursor=cursor,
        )
        return AuditEntries.model_validate(await self._call(search))

    @method
    async def verify(
        self,
        after: int = 0,
        *,
        hash: str | None = None,  # noqa: A002 - the wire's name
        limit: int = 500,
    ) -> AuditVerification:
        """Verify up to `limit` entries after `after`, whose `hash` an earlier call has verified, as an admin.

        Continue with `end` until the result is `complete` or `broken`.
        """
        op = frame("verify_audit_log", after=after, hash=hash, limit=limit)
        return AuditVerification.model_validate(await self._call(op))

    @method
    async def list(self, *, after: int = 0, limit: int = 500) -> AuditPage:
        """Read audit log entries with a `seq` above `after`, as an admin; `domain.audit.verify` checks them."""
        reply = await self._call(frame("get_audit_log", after=after, limit=limit))
        head = reply["head"]
        # Older servers have no seals.
        return AuditPage(
            reply["entries"], (head["seq"], head["hash"]), head.get("seal", {}).get("status", "unsealed")
        )
