"""`Decision`: what came of the question whether a tool call may run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from askback.domain.approval import Mode, Scope
from askback.domain.lifecycle import Status
from askback.domain.modeltext import TEXTS, model_text, refusal_text
from askback.domain.request import Answer, InputRequest

Came = Literal["approve", "deny", "declined", "cancelled", "expired", "revoked", "unavailable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether a call may run; true only when it was approved, so that `if decision:` is all that is needed.

    `status` is `approve`, `deny`, or how it ended without either: `declined`, `cancelled`, `expired`, `revoked`, and
    `unavailable` when nobody could be asked. `input` is what was approved (the changed input where the person
    changed it) and what has to be run, instead of what was asked; it is empty when nothing was approved.
    `source` is who decided: `responder`, `policy` or `hook`. `text` is the sentence for the model. `reasons` are
    those of the policy, the check or the failure. `request` is None where there never was one.
    """

    status: Came
    tool: str
    text: str
    input: Mapping[str, Any] = field(default_factory=dict[str, Any])
    scope: Scope | None = None
    note: str | None = None
    mode: Mode | None = None
    source: str | None = None
    digest: str | None = None
    reasons: tuple[str, ...] = ()
    request: InputRequest | None = field(default=None, repr=False)

    @property
    def approved(self) -> bool:
        """Whether the call may run."""
        return self.status == "approve"

    def __bool__(self) -> bool:
        return self.approved


def decided(request: InputRequest, texts: Mapping[str, str] = TEXTS) -> Decision:
    """Read the decision from a request that has ended. Whatever is not plainly a yes is a no."""
    assert request.approval is not None
    answer = request.answer or Answer()
    status = _status(request, answer)
    chosen = request.approval.input if answer.edited_input is None else answer.edited_input
    return Decision(
        status=status,
        tool=request.approval.tool,
        text=model_text(request, texts),
        input=chosen if status == "approve" else {},
        scope=cast("Scope | None", answer.scope),
        note=request.note if request.answer is None else answer.note,
        mode=answer.mode,
        source=request.source,
        digest=answer.digest or request.approval.digest,
        reasons=tuple(answer.reasons),
        request=request,
    )


def objected(
    tool: str, reason: str, texts: Mapping[str, str] = TEXTS, *, request: InputRequest | None = None
) -> Decision:
    """Say no for a hook; `request` is the one that was approved before the hook spoke."""
    text = refusal_text("hook", texts, tool=tool, reasons=(reason,))
    return Decision(status="deny", tool=tool, text=text, source="hook", reasons=(reason,), request=request)


def unavailable(tool: str, why: str, texts: Mapping[str, str] = TEXTS) -> Decision:
    """Say no because nobody could be asked; `why` is for whoever runs the agent, not for its model."""
    return Decision(
        status="unavailable", tool=tool, text=refusal_text("unavailable", texts, tool=tool), reasons=(why,)
    )


def _status(request: InputRequest, answer: Answer) -> Came:
    if request.status is Status.DECLINED:
        return "declined"
    if request.status is Status.CANCELLED:
        return "cancelled"
    if request.status is Status.EXPIRED:
        return "expired"
    if request.revoked is not None:
        return "revoked"
    return "approve" if request.status is Status.ANSWERED and answer.decision == "approve" else "deny"
