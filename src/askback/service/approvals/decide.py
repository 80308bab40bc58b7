"""Decide about a tool call: once or with a rule, alone or with a quorum.

An approval goes through the policy once more, because rules may have changed since it was asked, and an edited
call was never asked about. The decision, the rule that it keeps and its audit entry are one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from askback.domain.approval import DecisionBody, ShownApproval
from askback.domain.faults import Faults, fault
from askback.domain.lifecycle import Transition
from askback.domain.policy.effective import read_settings
from askback.domain.preview import reason_data
from askback.domain.record import Record
from askback.domain.shown_texts import shown_texts
from askback.domain.timestamps import rfc3339
from askback.domain.validation.approval import CheckedDecision, check_decision
from askback.domain.validation.structure import parse
from askback.domain.values import frozen
from askback.errors import Conflict, Forbidden
from askback.ports.policy import NOTHING, PolicyRecord, SideEffects
from askback.ports.store import Change, Claim, Principal
from askback.service.access import sharing
from askback.service.agents import manage
from askback.service.approvals.create import validity_ms
from askback.service.approvals.evaluate import NOT_EVALUATED, PolicyEvaluation, evaluate_call
from askback.service.approvals.rules import rule_of_decision
from askback.service.context import Services
from askback.service.lifecycle import refusals
from askback.service.lifecycle.admission import admit, parse_for_caller
from askback.service.lifecycle.idempotency import idempotency_claim, with_submission
from askback.service.lifecycle.read import require_revision
from askback.service.lifecycle.settle import ConcurrentChange, digest_mismatch, replayed, settle


async def decide_approval(
    ctx: Services,
    principal: Principal,
    record: Record,
    body: object,
    *,
    key: str | None,
    claim: Claim | None = None,
) -> Change:
    """Decide about a request for approval; see `answer_request`, which has checked the role.

    Raises `Faults` (the request stays open), `Conflict`, `Gone`, and `Forbidden` past a locked rule.
    """
    payload = await parse_for_caller(ctx, principal, record, lambda: parse(DecisionBody, body))
    claim = claim or idempotency_claim(principal, f"answer:{record.id}", key, payload)
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return with_submission(earlier_change, payload.revision)
    await admit(ctx, principal, record)
    record = await require_revision(ctx, principal, record, payload.revision)
    approval = record.spec.approval
    if payload.digest is not None and payload.digest != approval.digest:
        raise digest_mismatch(record)
    if approval.locked and payload.scope != "once":
        raise _locked_error()
    if payload.scope not in {"once", "thread"}:
        await sharing.require_unlimited(ctx, principal, "create_rule")
    decision = check_decision(payload, approval, limits=ctx.limits)
    return await _Decision(ctx, principal, payload, approval, decision, claim).run(record)


def _locked_error() -> Forbidden:
    return Forbidden("A rule asks for this call each time. Approve it with the scope `once`.", code="locked")


@frozen(slots=True)
class _Decision:
    """One decision; it is tried again if another vote was stored first."""

    ctx: Services
    principal: Principal
    payload: DecisionBody
    shown: ShownApproval
    checked_decision: CheckedDecision
    claim: Claim | None

    async def run(self, record: Record) -> Change:
        ruling = NOT_EVALUATED if self.shown.plan is not None else await self._evaluate(record)
        while True:
            try:
                return await self._step(record, ruling)
            except ConcurrentChange as error:
                record = error.record

    async def _evaluate(self, record: Record) -> PolicyEvaluation:
        """Evaluate the policy for the call that would run."""
        ruling = await evaluate_call(
            self.ctx,
            record.tenant,
            self.checked_decision.call,
            agent=record.requester,
            thread_id=record.thread_id,
            project=self.shown.project,
            secret_free=self.shown.secret_free,
        )
        if self.payload.decision == "deny":
            return ruling
        if ruling.decision.decision == "deny" and self.payload.edited_input is not None:
            raise Faults([fault("edited_input", "denied_by_policy", reason=ruling.decision.reasons)])
        if ruling.decision.locked and self.payload.scope != "once":
            raise _locked_error()
        rule = self.checked_decision.new_rule
        if (
            ruling.decision.decision != "deny"
            and rule
            and not ruling.would_allow(self.checked_decision.call, rule)
        ):
            raise Faults([fault("rule" if self.payload.rule else "scope", "rule_without_effect")])
        return ruling

    async def _step(self, record: Record, ruling: PolicyEvaluation) -> Change:
        votes = self._votes(record) if self.shown.quorum > 1 else []
        says_yes = self.payload.decision == "approve"
        if says_yes and ruling.decision.decision == "deny":
            return await self._settle_as_denied(record, ruling, votes)
        approval_count = sum(vote["decision"] == "approve" for vote in votes)
        if says_yes and votes and approval_count < self.shown.quorum:
            return await self._settle(
                record,
                Transition.VOTE,
                {},
                votes,
                principal=self.principal,
                decision="approve",
                **ruling.trial,
            )
        answer, effects = await self._answer(record)
        outcome = {"source": self.principal.answer_source, "answer": answer}
        if not says_yes and self.payload.remember:
            refusal = await refusals.remember_refusal(self.ctx, record)
            if refusal is not None:
                outcome = {**outcome, "refusal": refusal.shown}
                effects = replace(effects, refusals=refusal.effects.refusals)
        return await self._settle(
            record,
            Transition.ANSWER,
            outcome,
            votes,
            principal=self.principal,
            effects=effects,
            **ruling.trial,
        )

    async def _settle_as_denied(
        self, record: Record, ruling: PolicyEvaluation, votes: list[Mapping[str, Any]]
    ) -> Change:
        """Settle as denied by a rule that was created while the request was open (B24)."""
        answer: dict[str, Any] = {
            "decision": "deny",
            "digest": self.shown.digest,
            "reasons": list(ruling.decision.reasons),
            "reason_codes": list(map(reason_data, ruling.decision.reasons)),
        }
        if ruling.decision.rule is not None:
            answer["policy_rule"] = ruling.decision.rule
        outcome = {"source": "policy", "answer": answer}
        late_actor, now = self.principal.actor, self.ctx.clock.now_ms()
        effects = SideEffects(uses=ruling.uses(record.tenant, at=now, request_id=record.id))
        return await self._settle(
            record,
            Transition.ANSWER,
            outcome,
            votes,
            principal=None,
            effects=effects,
            approved_by=late_actor,
            **ruling.trial,
        )

    async def _settle(
        self,
        record: Record,
        transition: Transition,
        outcome: dict[str, Any],
        votes: list[Mapping[str, Any]],
        *,
        principal: Principal | None,
        effects: SideEffects = NOTHING,
        **facts: Any,
    ) -> Change:
        return await settle(
            self.ctx,
            record,
            transition,
            {**outcome, "votes": votes} if votes else outcome,
            by=principal,
            claim=self.claim,
            effects=effects,
            match_state=bool(votes),
            refused=bool(effects.refusals),
            **facts,
        )

    def _votes(self, record: Record) -> list[Mapping[str, Any]]:
        """Return the votes with this one added; raises `Conflict` if the person has voted, even in another session."""
        votes = record.state.members.get("votes", ())
        actor = self.principal.actor
        if any(_is_same_person(actor, vote["by"]) for vote in votes):
            raise Conflict(
                "You have already decided about this. Others have to approve it too.",
                code="already_voted",
                request=record.as_dict(),
            )
        vote = {"by": actor, "decision": self.payload.decision, "at": rfc3339(self.ctx.clock.now_ms())}
        return [*votes, vote]

    async def _answer(self, record: Record) -> tuple[dict[str, Any], SideEffects]:
        """Return the answer and its side effects."""
        payload, now = self.payload, self.ctx.clock.now_ms()
        answer: dict[str, Any] = {"decision": payload.decision, "digest": self.checked_decision.digest}
        if payload.note is not None:
            answer["note"] = payload.note
        shown_parts = shown_texts(payload.languages or (), title=self.shown.title, reason=self.shown.reason)
        if shown_parts is not None:
            answer["shown"] = shown_parts
        if payload.decision == "deny":
            return self._keep(
                record, answer if payload.scope == "once" else {**answer, "scope": payload.scope}
            )
        answer |= {
            "scope": payload.scope,
            "expires_at": rfc3339(now + validity_ms(self.ctx, self.shown.valid_s)),
        }
        if payload.edited_input is not None:
            answer["edited_input"] = payload.edited_input
        if payload.grant_root and self.shown.root is not None:
            answer["root"] = await self._grant(record, self.shown.root)
        if self.shown.plan is not None:
            return await self._switch_mode(record, answer)
        return self._keep(record, answer)

    async def _grant(self, record: Record, root: str) -> str:
        """Grant the folder before the call is settled, so that a crash in between leaves the request open."""
        try:
            await manage.grant_root(self.ctx, self.principal, record.requester, {"path": root})
        except Faults as error:
            raise Faults([replace(item, path="grant_root") for item in error.faults]) from None
        return root

    def _keep(self, record: Record, answer: dict[str, Any]) -> tuple[dict[str, Any], SideEffects]:
        """Add the rule of the decision, if any."""
        if self.checked_decision.new_rule is None:
            return answer, NOTHING
        scope = self.payload.scope
        subject = {"thread": record.thread_id, "project": self.shown.project or ""}.get(scope, "")
        rule = rule_of_decision(
            self.ctx,
            self.principal,
            self.checked_decision.new_rule,
            scope=scope,
            subject=subject,
            record=record,
            every_agent=self.payload.every_agent,
        )
        return {**answer, "rule": {"id": rule.id, "text": rule.text}}, SideEffects(rules=(rule,))

    async def _switch_mode(
        self, record: Record, answer: dict[str, Any]
    ) -> tuple[dict[str, Any], SideEffects]:
        """Switch the thread from plan mode to the mode that the person chose."""
        view = await self.ctx.store.policy(
            record.tenant, thread_id=record.thread_id, project=None, now_ms=self.ctx.clock.now_ms()
        )
        mode = self.payload.mode
        if mode is None and read_settings(view.tenant, view.thread).mode == "plan":
            mode = "normal"
        if mode is None:
            return answer, NOTHING
        settings = {"mode": mode, "mode_agents": [record.requester]}
        policy_record = PolicyRecord(record.tenant, record.thread_id, json.dumps(settings))
        return {**answer, "mode": mode}, SideEffects(policies=(policy_record,))


def _is_same_person(actor: Mapping[str, str], other_actor: Mapping[str, str]) -> bool:
    """Return whether two actors are one person: by user, else by id or name; sessions may spell names differently."""
    if "user" in actor and "user" in other_actor:
        return actor["user"] == other_actor["user"]
    names = {item["name"].strip().casefold() for item in (actor, other_actor)}
    return actor["id"] == other_actor["id"] or len(names) == 1
