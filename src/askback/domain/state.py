"""The state of a request: the small JSON object that each transition replaces. Only this module writes it.

Some members persist: votes, the time when the request was first shown, escalation steps, and the mark that
nobody waits any longer. The others belong to one transition: the answer that is being checked, its errors, how
the request ended.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypedDict

from pydantic_core import to_json

from askback.domain import jsontext
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.timestamps import rfc3339
from askback.domain.values import frozen

_LASTING_MEMBERS = (
    "queued_behind", "votes", "shown_at", "escalated", "assigned", "detached", "unseen", "updates",
    "declined_once", "assignment",
)  # fmt: skip


class Members(TypedDict, total=False):
    """The members of a state in wire form; see `InputRequest`. Times are RFC 3339."""

    status: str
    revision: int
    expires_at: str
    queued_behind: bool
    votes: Sequence[Mapping[str, Any]]
    shown_at: str
    escalated: int
    assigned: Sequence[str]
    assignment: Mapping[str, Any]
    notified: Sequence[str]
    detached: bool
    unseen: bool
    updates: int
    declined_once: bool
    held: Mapping[str, Any]
    submitted: Mapping[str, Any]
    submitted_by: Mapping[str, str]
    check: Mapping[str, Any]
    attempt: Mapping[str, Any]
    tried_until: str
    time_left_s: float
    field_errors: Sequence[Mapping[str, str]]
    error_summary: str
    answer: Mapping[str, Any]
    source: str
    reason: str
    note: str
    refusal: Mapping[str, Any]
    queued: bool
    settled_at: str
    settled_by: Mapping[str, str]
    used_at: str
    revoked: Mapping[str, Any]
    repeated: bool
    submission: str


@frozen()
class State:
    """The state of a request: `text` is a JSON object; its members are decoded on first use."""

    text: str

    @cached_property
    def members(self) -> Members:
        """The members."""
        return json.loads(self.text)

    @property
    def queued(self) -> bool:
        """Whether a resume was stored with the end of the request; most texts need not be decoded to tell."""
        return '"queued":true' in self.text and self.members.get("queued", False)

    def with_members(self, **members: Any) -> State:
        """Return the state with additional members."""
        return State(jsontext.with_members(self.text, **members))

    def without_names(self) -> State:
        """Return the state without the names of secrets, including those of fields with errors."""
        members: dict[str, Any] = {**self.members}
        members.pop("field_errors", None)
        members.pop("error_summary", None)
        for part in ("answer", "submitted"):
            if part in members:
                members[part] = {**members[part], "names": [], "existing": []}
        return _state(members)


class End(NamedTuple):
    """How a request ended, as the history finds it; None while it is open.

    `person` is the `user` or id of who ended it, None if nobody did. `outcome` is a decision (`approve`, `deny`), what
    became of an action (`done`, `failed`), the reason of a decline, or the status.
    """

    settled_at: str | None = None
    person: str | None = None
    outcome: str | None = None


def end_of(status: Status, state: State, *, settled_at: int) -> End:
    """Return how a request with this status and state ended; `at` (ms) is when, if the state does not say so."""
    if status not in TERMINAL:
        return End()
    members = state.members
    settled_by, answer = members.get("settled_by") or {}, members.get("answer") or {}
    outcome = None
    if status is Status.ANSWERED:
        outcome = answer.get("decision") or answer.get("outcome")
    elif status is Status.DECLINED:
        outcome = members.get("reason")
    return End(
        members.get("settled_at") or rfc3339(settled_at),
        settled_by.get("user") or settled_by.get("id"),
        outcome or status.value,
    )


PENDING = State('{"status":"pending","revision":1}')
"""The state of a new request without a deadline."""


def pending(expires_at: int | None = None) -> State:
    """Return the state of a new request; its deadline is in milliseconds since the epoch."""
    return PENDING if expires_at is None else PENDING.with_members(expires_at=rfc3339(expires_at))


def settled_state(status: Status, settled_at: int, **outcome: Any) -> State:
    """Return the state of a request that is settled on creation, at `at` (ms); None in `outcome` is left out."""
    return _state({"status": status, "revision": 1, **outcome, "settled_at": rfc3339(settled_at)})


def next_state(
    state: State, status: Status, changes: Mapping[str, Any], *, revision: int, expires_at: int | None
) -> State:
    """Return the state after a step that leads to `status`; `changes` are its members, None removes one."""
    lasting_members = {name: value for name, value in state.members.items() if name in _LASTING_MEMBERS}
    members = {**lasting_members, **changes, "status": status, "revision": revision}
    members["expires_at"] = None if expires_at is None else rfc3339(expires_at)
    return _state(members)


def _state(members: Mapping[str, Any]) -> State:
    present_members = {name: value for name, value in members.items() if value is not None}
    state = State(to_json(present_members).decode())
    vars(state)["members"] = present_members
    return state
