"""Approvals: whether a tool call may run, or a plan may be carried out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askback.domain.access import AccessLevel
from askback.domain.canonicaljson import NotCanonical
from askback.domain.kinds.kind import RequestKind
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.request import Answer, InputRequest
from askback.domain.spec import Spec


class ApprovalKind(RequestKind):
    """A tool call or a plan that a person decides about."""

    name = "approval"
    level = AccessLevel.ALL
    refusals = frozenset({"refused"})  # a call that was dismissed was not refused
    is_executed = True

    def identity(self, spec: Spec, /) -> str | None:
        """The same call, as the policy reads it; None for a plan, and for a call without a canonical form."""
        from askback.domain.policy.calls import Call  # clients read outcomes, and need no policy

        approval = spec.approval
        try:
            return None if approval.plan is not None else Call(approval.tool, approval.input).identity
        except NotCanonical:
            return None

    def audit_subject(self, spec: Spec, /) -> Mapping[str, Any]:
        """The tool."""
        return {"tool": spec.approval.tool}

    def excludes_requester(self, spec: Spec, /) -> bool:
        """As the agent says (K6)."""
        return spec.approval.exclude_requester

    def takes_reported_answer(self, spec: Spec, /) -> bool:
        """Unless several people have to agree, or somebody may not decide."""
        return spec.approval.quorum == 1 and not spec.approval.exclude_requester

    def deciders(self, spec: Spec, /) -> int:
        """As many as have to approve."""
        return spec.approval.quorum

    def outcome_key(self, request: InputRequest, answer: Answer, /) -> str:
        """By decision, source, and revocation. Everything but a clear approval is a denial."""
        plan = request.approval is not None and request.approval.plan is not None
        subject = "plan" if plan else "approval"
        if request.status not in TERMINAL:
            return f"{subject}.pending"
        if request.revoked is not None:
            return f"{subject}.revoked"
        if request.repeated:
            return f"{subject}.repeated"
        if request.status is not Status.ANSWERED:
            return f"{subject}.{request.status}.{request.reason}"
        if answer.decision != "approve":
            return "plan.changes" if plan else f"approval.deny.{request.source}"
        if plan:
            return f"plan.{answer.mode if answer.mode == 'accept_edits' else 'approve'}"
        return f"approval.approve{'' if answer.edited_input is None else '.edited'}"
