"""A model of the store in plain Python: each call changes some dictionaries and returns the expected result.

It has one tenant, and does not model access. `Refusal` names the exception that a store has to raise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from askback.domain.events import EventDraft
from askback.domain.lifecycle import TERMINAL
from askback.domain.record import Record
from askback.ports.outcome import Outcome
from askback.ports.resumes import Lease, Resume, ResumeStatus
from askback.ports.store import Claim, ClaimMismatch, MessageFull, MessageMissing, Settlement

Refusal = type[ClaimMismatch] | type[MessageMissing] | type[MessageFull]
Did = tuple[Outcome, Record | None]


@dataclass
class Model:
    """The committed data. `log` has the type, the thread, the `seq` and the request of every event, in their order."""

    now: int
    requests: dict[str, Record] = field(default_factory=dict[str, Record])
    log: list[tuple[str, str, int, str | None]] = field(
        default_factory=list[tuple[str, str, int, str | None]]
    )
    texts: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    claims: dict[tuple[str, str], tuple[str, str]] = field(
        default_factory=dict[tuple[str, str], tuple[str, str]]
    )
    resumes: dict[tuple[str, str], ResumeStatus] = field(default_factory=dict[tuple[str, str], ResumeStatus])
    """By request, in the order in which they were written."""

    # --- requests ----------------------------------------------------------------------------

    def insert(self, record: Record, event: EventDraft, claim: Claim | None) -> Did | Refusal:
        """A new request, or the one that this claim made."""
        if (before := self._before(claim)) is not None:
            return before
        self.requests[record.id] = record
        self._tell(event, claim, record.id)
        return Outcome.APPLIED, record

    def settle(
        self, step: Settlement, claim: Claim | None, resumes: Sequence[Resume]
    ) -> Did | Refusal | None:
        """A step of the lifecycle, if the request is in the expected state."""
        if (before := self._before(claim)) is not None:
            return before
        record = self.requests.get(step.id)
        if record is None:
            return None
        is_allowed = (
            record.status in step.expected_statuses
            and step.revision in (None, record.revision)
            and step.state_before in (None, record.state)
        )
        if not is_allowed:
            return Outcome.LOST, record
        times = step.times or (record.expires_at, record.due_at)
        record = replace(
            record,
            status=step.status,
            state=step.state,
            revision=record.revision + step.asks_again,
            spec=step.spec or record.spec,
            expires_at=times[0],
            due_at=times[1],
        )
        self.requests[record.id] = record
        for resume in resumes:
            self.resumes.setdefault(
                (resume.request_id, resume.cause), ResumeStatus(resume, attempt=0, finished=False)
            )
        self._tell(step.event, claim, record.id)
        return Outcome.APPLIED, record

    def due(self) -> list[str]:
        """The due open requests, earliest first."""
        findings = [deadline for deadline in self._deadlines() if (deadline.due_at or 0) <= self.now]
        return [r.id for r in findings]

    def next_deadline(self) -> int | None:
        """The earliest time at which an open request is due."""
        return next((deadline.due_at for deadline in self._deadlines()), None)

    def _deadlines(self) -> list[Record]:
        timed = [
            request
            for request in self.requests.values()
            if request.status not in TERMINAL and request.due_at is not None
        ]
        return sorted(timed, key=lambda r: r.due_at or 0)

    # --- messages ----------------------------------------------------------------------------

    def say(self, message_id: str, text: str, event: EventDraft, claim: Claim | None) -> Did | Refusal:
        """A new message."""
        if (before := self._before(claim)) is not None:
            return before
        self.texts[event.thread_id, message_id] = text
        self._tell(event, claim, message_id)
        return Outcome.APPLIED, None

    def append(
        self, message_id: str, text: str, event: EventDraft, claim: Claim | None, *, most: int, start: int
    ) -> Did | Refusal:
        """More of a message, of which all but the first `start` bytes were appended."""
        if (before := self._before(claim)) is not None:
            return before
        stored_text = self.texts.get((event.thread_id, message_id))
        if stored_text is None:
            return MessageMissing
        if len((stored_text + text).encode()) - start > most:
            return MessageFull
        self.texts[event.thread_id, message_id] = stored_text + text
        self._tell(event, claim, message_id)
        return Outcome.APPLIED, None

    # --- resumes -----------------------------------------------------------------------------

    def lease(self, requester: str, thread_id: str | None, *, until: int, limit: int) -> list[Lease]:
        """The available resumes, oldest first."""
        findings = [s for s in self._open(requester, thread_id) if s.resume.available_at <= self.now][:limit]
        leases: list[Lease] = []
        for standing in findings:
            resume = replace(standing.resume, available_at=until)
            self.resumes[resume.request_id, resume.cause] = replace(
                standing, resume=resume, attempt=standing.attempt + 1
            )
            leases.append(Lease(resume, self.requests[resume.request_id], standing.attempt + 1, until))
        return leases

    def next_resume(self, requester: str, thread_id: str | None) -> int | None:
        """The time when the next resume is available."""
        return min((s.resume.available_at for s in self._open(requester, thread_id)), default=None)

    def finish(self, resume_id: str, requester: str, attempt: int) -> Outcome | None:
        """The end of a resume, unless somebody else has leased it since."""
        for standing in self.resumes.values():
            if (standing.resume.id, standing.resume.requester) == (resume_id, requester):
                if standing.finished:
                    return Outcome.REPLAYED
                if standing.attempt != attempt:
                    return Outcome.LOST
                self.resumes[standing.resume.request_id, standing.resume.cause] = replace(
                    standing, finished=True
                )
                return Outcome.APPLIED
        return None

    def release(self, lease: Lease) -> None:
        """A lease that is released, if it is still valid."""
        name = (lease.resume.request_id, lease.resume.cause)
        standing = self.resumes.get(name)
        if standing is not None and not standing.finished and standing.attempt == lease.attempt:
            available_at = min(standing.resume.available_at, self.now)
            self.resumes[name] = replace(standing, resume=replace(standing.resume, available_at=available_at))

    def drop_held(self, request_id: str) -> None:
        """A held resume that is not needed, unless somebody has it already."""
        for name, standing in list(self.resumes.items()):
            if name[0] == request_id and standing.resume.held and standing.attempt == 0:
                del self.resumes[name]

    def _open(self, requester: str, thread_id: str | None) -> list[ResumeStatus]:
        return [
            resume
            for resume in self.resumes.values()
            if not resume.finished
            and resume.resume.requester == requester
            and thread_id in (None, resume.resume.thread_id)
        ]

    # --- what every change does --------------------------------------------------------------

    def _before(self, claim: Claim | None) -> Did | Refusal | None:
        if claim is None or (claim.scope, claim.key) not in self.claims:
            return None
        digest, target = self.claims[claim.scope, claim.key]
        return ClaimMismatch if digest != claim.digest else (Outcome.REPLAYED, self.requests.get(target))

    def _tell(self, event: EventDraft, claim: Claim | None, target: str) -> None:
        seq = 1 + sum(1 for _, thread_id, _, _ in self.log if thread_id == event.thread_id)
        self.log.append((event.type, event.thread_id, seq, event.request_id))
        if claim is not None:
            self.claims[claim.scope, claim.key] = (claim.digest, target)
