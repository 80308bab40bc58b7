"""What the terminal calls a request: its title, who asks, how it ended."""

from __future__ import annotations

from askback.cli.language import sentences
from askback.cli.terminal import one_line
from askback.domain.lifecycle import Status
from askback.domain.request import Answer, InputRequest


def title(request: InputRequest) -> str:
    """Return the form's title or the label of its first field, a tool call's headline, or the names of secrets."""
    if request.approval is not None:
        return request.approval.preview.headline if request.approval.preview else request.approval.tool
    if request.secret is not None:
        return ", ".join(request.secret.names)
    if request.form is None:
        return request.kind
    return request.form.title or request.form.all_fields[0].label


def asker(request: InputRequest) -> str:
    """Say who asks: the name of the token, which the agent cannot choose, stands first."""
    token = request.requester.name if request.requester else "somebody"
    claimed = f", says it is {request.agent.name}" if request.agent else ""
    return f"asked by {token}{claimed}, in {request.thread_id}"


def ended(request: InputRequest) -> str:
    """Say how a request ended without the person here, and by whom."""
    by = f" by {request.settled_by.name}" if request.settled_by else ""
    why = f" ({request.reason})" if request.reason else ""
    return f"{title(request)}: {_status(request)}{by}{why} meanwhile."


def decided(request: InputRequest) -> str:
    """Say what became of a tool call by the decision of the person here."""
    answer = request.answer or Answer()
    if not request.settled:
        agreed = sum(vote.decision == "approve" for vote in request.votes)
        needed = request.approval.quorum if request.approval else 1
        return f"{title(request)}: your yes counts; {agreed} of {needed}."
    if request.source == "policy":
        why = one_line(" ".join(sentences(answer.reasons, answer.reason_codes)))
        return f"{title(request)}: {_status(request)} by the policy. {why}".rstrip()
    kept = f" The rule {answer.rule.text} is kept." if answer.rule else ""
    return f"{title(request)}: {_status(request)}.{kept}"


def handed_over(request: InputRequest) -> str:
    """Say what became of secrets that the person here has sent."""
    if request.status is Status.RESOLVING:
        return f"{title(request)}: sent. The agent tries it before it is kept."
    answer = request.answer or Answer()
    return f"{title(request)}: {'the agent may use it.' if answer.reused else f'kept ({answer.scope}).'}"


def _status(request: InputRequest) -> str:
    if request.status is Status.ANSWERED and request.answer and request.answer.decision:
        return "approved" if request.answer.decision == "approve" else "denied"
    return request.status.value
