"""`Decision`: the outcome of a request to run a tool call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Literal, Self, cast

from askback.domain.approval import Mode, Scope
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.modeltext import TEXTS, model_text, refusal_text
from askback.domain.request import Answer, InputRequest
from askback.domain.values import frozen

DecisionStatus = Literal[
    "approve", "deny", "declined", "cancelled", "expired", "revoked", "used", "pending", "unavailable"
]


@frozen(slots=True, kw_only=True)
class Decision:
    """Whether a call may run; true only if it was approved, so `if decision:` is all you need.

    `status` is `approve`, `deny`, or how the request ended without either: `declined`, `cancelled`, `expired`,
    `revoked`; `used` if the approved call was started before (see `AsyncClient.use`); `pending` while nobody has
    decided, and `unavailable` if nobody could be asked.

    `input` is the approved input (edited if the person edited it): run this, not the input that you asked about. It is
    `{}` if nothing was approved. `source` is who decided: `responder`, `policy` or `hook`. `text` is the sentence for
    the model. `reasons` come from the policy, the hook or the failure. `request` is None if there was no request.
    """

    status: DecisionStatus
    tool: str
    input: Any = field(default_factory=dict[str, Any])
    scope: Scope | None = None
    note: str | None = None
    mode: Mode | None = None
    source: str | None = None
    digest: str | None = None
    reasons: tuple[str, ...] = ()
    request: InputRequest | None = field(default=None, repr=False)
    _text: str | None = field(default=None, repr=False)
    """The sentence, if it is not that of the request."""
    _texts: Mapping[str, str] | None = field(default=None, repr=False)
    """The texts of the client, if they are not askback's; a plain `dict`, which can be pickled."""

    @property
    def text(self) -> str:
        """The sentence for the model; most approvals run without it."""
        if self._text is not None or self.request is None:
            return self._text or ""
        return model_text(self.request, self._texts or TEXTS)

    @property
    def approved(self) -> bool:
        """Whether the call may run."""
        return self.status == "approve"

    def __bool__(self) -> bool:
        return self.approved

    @classmethod
    def from_request(cls, request: InputRequest, texts: Mapping[str, str] = TEXTS) -> Self:
        """Return the decision of a request for approval, even while it is open.

        Everything but a clear approval is false. Raises `ValueError` for a request of another kind.
        """
        if request.approval is None:
            raise ValueError(f"{request.id} is a {request.kind}, which has no decision.")
        answer = request.answer or Answer()
        status = _status(request, answer)
        decided_input = request.approval.input if answer.edited_input is None else answer.edited_input
        return cls(
            status=status,
            tool=request.approval.tool,
            input=decided_input if status == "approve" else {},
            scope=cast("Scope | None", answer.scope),
            note=request.note if request.answer is None else answer.note,
            mode=answer.mode,
            source=request.source,
            digest=answer.digest or request.approval.digest,
            reasons=tuple(answer.reasons),
            request=request,
            _texts=None if texts is TEXTS else dict(texts),
        )


def hook_denial(
    tool: str, reason: str, texts: Mapping[str, str] = TEXTS, *, request: InputRequest | None = None
) -> Decision:
    """Return a denial by a hook; `request` is the request that was approved before."""
    text = refusal_text("hook", texts, tool=tool, reasons=(reason,))
    return Decision(status="deny", tool=tool, _text=text, source="hook", reasons=(reason,), request=request)


def unusable_decision(decision: Decision, code: str, why: str, texts: Mapping[str, str] = TEXTS) -> Decision:
    """Return the false decision for an approval that the server refuses to use, with the code and its sentence."""
    if code == "already_consumed":
        changes: dict[str, Any] = {"status": "used", "_text": refusal_text("used", texts, tool=decision.tool)}
    elif code == "decision_expired":
        changes = {"status": "expired", "_text": refusal_text("lapsed", texts, tool=decision.tool)}
    else:
        text = refusal_text("hook", texts, tool=decision.tool, reasons=(why,))
        changes = {"status": "deny", "source": "policy", "reasons": (why,), "_text": text}
    return replace(decision, input={}, **changes)


def unavailable_decision(tool: str, why: str, texts: Mapping[str, str] = TEXTS) -> Decision:
    """Return a denial because nobody could be asked; `why` is for the operator, not for the model."""
    return Decision(
        status="unavailable", tool=tool, _text=refusal_text("unavailable", texts, tool=tool), reasons=(why,)
    )


def _status(request: InputRequest, answer: Answer) -> DecisionStatus:
    if request.status not in TERMINAL:
        return "pending"
    if request.status is Status.DECLINED:
        return "declined"
    if request.status is Status.CANCELLED:
        return "cancelled"
    if request.status is Status.EXPIRED:
        return "expired"
    if request.revoked is not None:
        return "revoked"
    return "approve" if request.status is Status.ANSWERED and answer.decision == "approve" else "deny"
