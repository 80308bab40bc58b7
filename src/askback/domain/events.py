"""Events: what happened in a thread, in order, for ever.

`seq` counts 1, 2, 3 … without a gap in each thread and is given in the transaction of the change
itself; `position` orders all events of a tenant, with gaps allowed, and is the cursor of the inbox.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from askback.domain import jsontext
from askback.domain.access import OPEN, Access, Agents
from askback.domain.spec import Spec
from askback.domain.state import State
from askback.domain.timestamps import rfc3339

REQUEST_CREATED = "request.created"
"""What comes later is `request.<status>`, by the status that the request came to."""
REQUEST_LINED_UP = "request.lined_up"
"""It waits in line behind another; its `request.created` follows when it comes forward."""
REQUEST_VOTED = "request.voted"
REQUEST_RESOLVING = "request.resolving"
REQUEST_REPROMPTED = "request.reprompted"
REQUEST_SHOWN = "request.shown"
REQUEST_ESCALATED = "request.escalated"
REQUEST_NOTED = "request.noted"
"""Nothing that a person need see: somebody has come who would see it."""
REQUEST_DETACHED = "request.detached"
"""Nobody waits for it any more: what comes of it is delivered as a resume."""
REQUEST_USED = "request.used"
"""The call that a person approved has run."""
REQUEST_REVOKED = "request.revoked"
"""The approval was taken back before the call has run."""
_OPEN = frozenset(
    {
        REQUEST_CREATED,
        REQUEST_LINED_UP,
        REQUEST_VOTED,
        REQUEST_RESOLVING,
        REQUEST_REPROMPTED,
        REQUEST_SHOWN,
        REQUEST_ESCALATED,
        REQUEST_DETACHED,
        REQUEST_NOTED,
        REQUEST_USED,
        REQUEST_REVOKED,
    }
)
"""Events that settle nothing: the request is open, or was settled before."""
MESSAGE_ADDED = "message.added"
MESSAGE_DELTA = "message.delta"
MESSAGE_HELD = "message.held"
"""Somebody has written while a request was open: its `message.added` follows when nothing is open any more."""
THREAD_ACCESS = "thread.access"
THREAD_ARCHIVED = "thread.archived"
THREAD_UNARCHIVED = "thread.unarchived"
THREAD_ERASED = "thread.erased"
_BY_WHOM = {THREAD_ARCHIVED: "by", THREAD_UNARCHIVED: "by", THREAD_ERASED: "by"}
_SUBJECTS = {MESSAGE_DELTA: "delta", THREAD_ACCESS: "access", **_BY_WHOM}


@dataclass(frozen=True, slots=True)
class Draft:
    """An event that is about to be written: the store gives it its numbers.

    `data` is a JSON object text: the request's `state` for `request.*`, the message for `message.added` and
    `message.held`, `{"id", "text"}` for `message.delta`, the access for `thread.access`, who did it for the other
    `thread.*`, null for nobody. `owner` is the id of the
    principal that asked or wrote: who may see the request, who may extend the message. Without one, no requester may.
    `agent` is the agent that writes something new, by its id and its person: it must be let into the thread, and a
    thread without agents is its own from then on.
    """

    type: str
    tenant: str
    thread_id: str
    at: int
    request_id: str | None
    data: str
    owner: str = ""
    agent: Agents | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A committed event; `text` is its wire form, encoded once for all its readers.

    `requester` is the id of the principal whose request it tells of, empty for a message. `access` is that to the
    thread: with the event itself for one that was just committed, and as it is now for one that was read. `spec` and
    `state` are those of the request that it is about. Where the names of secrets are hidden, `redacted` is the same
    event for those who must not learn them. `at` is in milliseconds.
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
    access: Access = OPEN
    at: int = 0
    subject_at: int = 0
    spec: Spec | None = None
    state: State | None = None
    redacted: Event | None = None

    @property
    def subject(self) -> str:
        """The JSON text of what the event is about, such as the request of `request.*`."""
        return self.text[self.subject_at : -1]


def commit(
    draft: Draft,
    *,
    seq: int,
    position: int,
    spec: Spec | None,
    access: Access = OPEN,
    hides_names: bool = False,
) -> Event:
    """Give a draft its numbers; `spec` and `hides_names` are those of the request, for `request.*` events."""
    if spec is None:
        return _event(draft, seq, position, access, _SUBJECTS.get(draft.type, "message"), draft.data)
    state = State(draft.data)
    event = _of_request(draft, seq, position, access, spec, state)
    if not hides_names:
        return event
    asked, known = spec.without_names(), state.without_names()
    return replace(event, redacted=_of_request(draft, seq, position, access, asked, known))


def _of_request(draft: Draft, seq: int, position: int, access: Access, spec: Spec, state: State) -> Event:
    text = jsontext.merge(spec.text, state.text)
    return _event(draft, seq, position, access, "request", text, spec=spec, state=state)


def _event(
    draft: Draft,
    seq: int,
    position: int,
    access: Access,
    name: str,
    subject: str,
    *,
    spec: Spec | None = None,
    state: State | None = None,
) -> Event:
    head = (
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
        text=f"{head}{subject}}}",
        subject_at=len(head),
        spec=spec,
        state=state,
        requester="" if draft.request_id is None else draft.owner,
        access=access,
    )
