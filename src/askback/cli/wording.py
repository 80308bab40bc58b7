"""What the terminal calls a request: its title, who asks, how it ended."""

from __future__ import annotations

from askback.domain.request import InputRequest


def title(request: InputRequest) -> str:
    """Return the form's title, or the label of its first field."""
    if request.form is None:
        return request.kind
    return request.form.title or request.form.all_fields[0].label


def asker(request: InputRequest) -> str:
    """Say who asks: the name of the token, which the agent cannot choose, stands first."""
    token = request.requester.name if request.requester else "somebody"
    claimed = f", says it is {request.agent.name}" if request.agent else ""
    return f"asked by {token}{claimed}, in {request.thread_id}"


def ended(request: InputRequest) -> str:
    """Say how a request ended, and by whom."""
    by = f" by {request.settled_by.name}" if request.settled_by else ""
    why = f" ({request.reason})" if request.reason else ""
    return f"{title(request)}: {request.status.value}{by}{why} meanwhile."
