"""Report the outcome of a submission beside the current request."""

from __future__ import annotations

from dataclasses import replace

from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.ports.store import Change


def with_submission(change: Change, revision: int | None = None) -> Change:
    """Return what a replay is told, with `submission`: what became of what was sent.

    `revision` is what an answer was sent to; None is for what ends a request at once.
    """
    said = "accepted" if revision is None else _outcome(change.record, revision)
    record = replace(change.record, state=change.record.state.adding(submission=said))
    return replace(change, record=record)


def _outcome(record: Record, revision: int) -> str:
    if record.revision > revision:
        return "reprompted"
    if record.status is Status.RESOLVING:
        return "checking"
    if record.status is Status.PENDING:
        return "accepted"  # a vote: it counts, and others are to follow
    answered = record.status is Status.ANSWERED and record.state.members.get("source") == "responder"
    return "accepted" if answered else "refused"
