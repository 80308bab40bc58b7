"""Describe a request in the terminal: its title, its requester, its outcome."""

from __future__ import annotations

from askback.cli.card import headline
from askback.cli.language import sentences, text
from askback.cli.terminal import one_line
from askback.domain.lifecycle import Status
from askback.domain.request import Answer, InputRequest

MAX_TITLE = 200
"""Characters of a title in the terminal; a prompt without one can be very long."""


def title(request: InputRequest) -> str:
    """Return the form's title or the name of its first field, a tool call's headline, or the names of secrets."""
    if request.approval is not None:
        return headline(request.approval)
    if request.secret is not None:
        return ", ".join(request.secret.names)
    if request.action is not None:
        return one_line(text(request.action.title))
    if request.summary is not None:
        return one_line(request.summary)
    if request.form is None:
        return request.kind
    return _shorten(one_line(text(request.form.title or next(iter(request.form.names.values())))))


def _shorten(line: str) -> str:
    return line if len(line) <= MAX_TITLE else f"{line[:MAX_TITLE]}…"


def requester_text(request: InputRequest) -> str:
    """Return the requester: first the name of the token, which the agent cannot choose."""
    token = request.requester.name if request.requester else "someone"
    agent_text = f", as {request.agent.name}" if request.agent else ""
    return f"asked by {token}{agent_text}, in {request.thread_id}"


def ended_text(request: InputRequest) -> str:
    """Return the outcome of a request that someone else ended."""
    settler_text = f" by {request.settled_by.name}" if request.settled_by else ""
    reason_text = f" ({request.reason})" if request.reason else ""
    return f"{title(request)}: {_status(request)}{settler_text}{reason_text} meanwhile."


def form_text(request: InputRequest) -> str:
    """Return the outcome of an answer to a form, with the sentence of its check."""
    if request.status is Status.RESOLVING:
        return f"{title(request)}: sent. The agent checks it."
    message = request.answer.message if request.answer else None
    return f"{title(request)}: {_status(request)}." + (f" {one_line(message)}" if message else "")


def decision_text(request: InputRequest) -> str:
    """Return the outcome of a decision about a tool call."""
    answer = request.answer or Answer()
    if not request.settled:
        approval_count = sum(vote.decision == "approve" for vote in request.votes)
        quorum = request.approval.quorum if request.approval else 1
        return f"{title(request)}: your approval counts; {approval_count} of {quorum}."
    if request.source == "policy":
        reasons_text = one_line(" ".join(sentences(answer.reasons, answer.reason_codes)))
        return f"{title(request)}: {_status(request)} by the policy. {reasons_text}".rstrip()
    rule_text = f" The rule {answer.rule.text} was stored." if answer.rule else ""
    return f"{title(request)}: {_status(request)}.{rule_text}"


def secrets_text(request: InputRequest) -> str:
    """Return the outcome of submitted secrets."""
    if request.status is Status.RESOLVING:
        return f"{title(request)}: sent. The agent tests it before it is stored."
    answer = request.answer or Answer()
    return f"{title(request)}: {'the agent may use it.' if answer.reused else f'stored ({answer.scope}).'}"


def action_text(request: InputRequest) -> str:
    """Return the outcome of an action."""
    if request.status is Status.RESOLVING:
        return f"{title(request)}: sent. The agent checks it."
    return f"{title(request)}: {_status(request)}."


def _status(request: InputRequest) -> str:
    if request.status is Status.ANSWERED and request.answer and request.answer.decision:
        return "approved" if request.answer.decision == "approve" else "denied"
    if request.status is Status.ANSWERED and request.answer and request.answer.outcome:
        return request.answer.outcome
    return request.status.value
