"""Events: everything that happened in a thread, in order.

`seq` counts 1, 2, 3 … without gaps in each thread and is assigned in the transaction of the change itself.
`position` orders all events of a tenant, with gaps, and is the cursor of the inbox.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from askback.domain import jsontext
from askback.domain.access import UNSHARED, AccessList, ThreadAgents
from askback.domain.spec import Spec
from askback.domain.state import State
from askback.domain.timestamps import rfc3339
from askback.domain.values import frozen

REQUEST_CREATED = "request.created"
"""The request was created. Later events of a settled request are `request.<status>`."""
REQUEST_QUEUED = "request.lined_up"
"""The request waits behind another one; its `request.created` follows when it is next."""
REQUEST_VOTED = "request.voted"
REQUEST_ATTEMPTED = "request.attempted"
"""An attempt of an action failed; it can be tried again."""
REQUEST_RESOLVING = "request.resolving"
REQUEST_REPROMPTED = "request.reprompted"
REQUEST_UPDATED = "request.updated"
"""The requester has changed the form, its errors or the deadline."""
REQUEST_SHOWN = "request.shown"
REQUEST_ESCALATED = "request.escalated"
REQUEST_ASSIGNED = "request.assigned"
"""A person has assigned the request to others."""
REQUEST_NOTED = "request.noted"
"""A change that is not shown to people: somebody has opened a page that shows the request."""
REQUEST_DETACHED = "request.detached"
"""Nobody waits for the request any longer: its outcome is delivered as a resume."""
REQUEST_USED = "request.used"
"""The approved call has run."""
REQUEST_REVOKED = "request.revoked"
"""The approval was revoked before the call ran."""
_OPEN = frozenset(
    {
        REQUEST_CREATED,
        REQUEST_QUEUED,
        REQUEST_VOTED,
        REQUEST_ATTEMPTED,
        REQUEST_RESOLVING,
        REQUEST_REPROMPTED,
        REQUEST_UPDATED,
        REQUEST_SHOWN,
        REQUEST_ESCALATED,
        REQUEST_ASSIGNED,
        REQUEST_DETACHED,
        REQUEST_NOTED,
        REQUEST_USED,
        REQUEST_REVOKED,
    }
)
"""Events that settle nothing: the request is open, or was settled earlier."""
MESSAGE_ADDED = "message.added"
MESSAGE_DELTA = "message.delta"
MESSAGE_UPDATED = "message.updated"
"""A message has new parts, or one of its tool calls has a new status."""
MESSAGE_HELD = "message.held"
"""A message was written while a request was open: `message.added` follows once no request is open."""
THREAD_ACCESS = "thread.access"
THREAD_ARCHIVED = "thread.archived"
THREAD_UNARCHIVED = "thread.unarchived"
THREAD_ERASED = "thread.erased"
THREAD_UPDATED = "thread.updated"
RUN_STARTED = "run.started"
RUN_ENDED = "run.ended"
_BY_WHOM = {THREAD_ARCHIVED: "by", THREAD_UNARCHIVED: "by", THREAD_ERASED: "by"}
_SUBJECTS = {
    MESSAGE_DELTA: "delta",
    MESSAGE_UPDATED: "update",
    THREAD_ACCESS: "access",
    THREAD_UPDATED: "thread",
    RUN_STARTED: "run",
    RUN_ENDED: "run",
    **_BY_WHOM,
}


@frozen(slots=True)
class EventDraft:
    """An event before it is stored; the store assigns its numbers.

    `data` is a JSON object text: the request's `state` for `request.*`, the message for `message.added` and
    `message.held`, `{"id", "text"}` for `message.delta`, `{"id", "content"}` or `{"id", "tool_call"}` for
    `message.updated`, the access for `thread.access`, `{"title", "metadata"}` for `thread.updated`, the run for
    `run.*`, and the person (or null) for the other `thread.*`. `owner` is the id of the principal that asked
    or wrote, and so may see the request or extend the message. Without an owner, no requester may. `agent` is
    set if an agent writes something new: it must have access to the thread, and a thread without agents
    becomes its own.
    """

    type: str
    tenant: str
    thread_id: str
    at: int
    request_id: str | None
    data: str
    owner: str = ""
    agent: ThreadAgents | None = None


@frozen(slots=True)
class Event:
    """A committed event; `text` is its wire form, encoded once for all readers.

    `requester` is the id of the principal that asked, empty for a message. `access` is the access to the thread: at
    the time of the event if it was just committed, the current one if it was read. `spec` and `state` are those of its
    request. If the names of secrets are hidden, `redacted` is the same event for readers who must not see them. `at`
    is in milliseconds.
    """

    type: str
    tenant: str
    thread_id: str
    seq: int
    position: int
    request_id: str | None
    settles: bool
    text: str
    requester: str = ""
    access: AccessList = UNSHARED
    at: int = 0
    subject_at: int = 0
    spec: Spec | None = None
    state: State | None = None
    redacted: Event | None = None

    @property
    def subject(self) -> str:
        """The JSON text of the event's subject, such as the request of `request.*`."""
        return self.text[self.subject_at : -1]

    def parse(self) -> dict[str, Any]:
        """Return the event as a JSON object, for a reader of another format."""
        return json.loads(self.text)


def committed_event(
    draft: EventDraft,
    *,
    seq: int,
    position: int,
    spec: Spec | None,
    access: AccessList = UNSHARED,
    hides_names: bool = False,
) -> Event:
    """Return the event of a draft with its numbers; `spec` and `hides_names` are those of its request."""
    if spec is None:
        return _event(draft, seq, position, access, _SUBJECTS.get(draft.type, "message"), draft.data)
    state = State(draft.data)
    event = _request_event(draft, seq, position, access, spec, state)
    if not hides_names:
        return event
    public_spec, public_state = spec.without_names(), state.without_names()
    return replace(event, redacted=_request_event(draft, seq, position, access, public_spec, public_state))


def _request_event(
    draft: EventDraft, seq: int, position: int, access: AccessList, spec: Spec, state: State
) -> Event:
    text = jsontext.merge(spec.text, state.text)
    return _event(draft, seq, position, access, "request", text, spec=spec, state=state)


def _event(
    draft: EventDraft,
    seq: int,
    position: int,
    access: AccessList,
    name: str,
    subject: str,
    *,
    spec: Spec | None = None,
    state: State | None = None,
) -> Event:
    required_members = (
        f'{{"type":"{draft.type}","seq":{seq},"position":{position},'
        f'"thread_id":{json.dumps(draft.thread_id)},"at":"{rfc3339(draft.at)}","{name}":'
    )
    return Event(
        draft.type,
        draft.tenant,
        draft.thread_id,
        seq,
        position,
        draft.request_id,
        settles=draft.request_id is not None and draft.type not in _OPEN,
        at=draft.at,
        text=f"{required_members}{subject}}}",
        subject_at=len(required_members),
        spec=spec,
        state=state,
        requester="" if draft.request_id is None else draft.owner,
        access=access,
    )
