"""A stored request: its spec, its state, and the columns that are searched or compared.

The wire form is `spec` and `state` merged. Their keys are disjoint, so their texts are joined: a form of any size
is encoded once, when the request is created. Events store only the state, so the log stays small.
"""

from __future__ import annotations

import json
from dataclasses import field, replace
from typing import Any

from askback.domain import jsontext
from askback.domain.access import UNSHARED, AccessList
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.spec import Spec
from askback.domain.state import End, State, end_of, settled_state
from askback.domain.values import frozen


@frozen(slots=True)
class Labels:
    """The agent's own ids of a new request, by which lists find it; they are in its spec as well.

    `body_digest` is the digest of the body that was sent with the `external_id`.
    """

    run_id: str | None = None
    tool_call_id: str | None = None
    external_id: str | None = None
    body_digest: str | None = None


NO_LABELS = Labels()


@frozen(slots=True)
class Record:
    """One stored request; times are milliseconds since the epoch."""

    id: str
    tenant: str
    thread_id: str
    kind: str
    requester: str
    status: Status
    revision: int
    created_at: int
    expires_at: int | None
    spec: Spec
    state: State
    digest: str | None = None
    """The digest of the call that a person was asked about (`policy/digest.py`), to look up the decision."""
    due_at: int | None = None
    """The time when the server must act on an open request next: its deadline, or an escalation step."""
    access: AccessList = UNSHARED
    """The access to the thread, when the record was read."""
    exclusive: str | None = None
    """The key for which a requester has at most one open request in a thread; see `service/lifecycle/exclusive.py`."""
    queued_behind: bool = False
    """Whether it waits behind the request that holds its key; nobody can answer it yet."""
    hides_names: bool = False
    """Whether only those who may answer learn the names of its secrets."""
    labels: Labels = field(default=NO_LABELS, compare=False)
    """Set only for a new request, not for a stored one."""
    answers_as_messages: bool | None = field(default=None, compare=False)
    """The setting of its thread, if that was read together with the access."""

    @property
    def wire(self) -> str:
        """The request as JSON text."""
        return jsontext.merge(self.spec.text, self.state.text)

    @property
    def settled(self) -> bool:
        """Whether the request has ended."""
        return self.status in TERMINAL

    @property
    def end(self) -> End:
        """How the request ended."""
        return end_of(self.status, self.state, settled_at=self.created_at)

    def wire_with(self, **members: Any) -> str:
        """Return the request as JSON text with additional members."""
        return jsontext.with_members(self.wire, **members)

    def as_dict(self) -> dict[str, Any]:
        """Return the request as the object of its wire form."""
        return json.loads(self.wire)

    def without_names(self) -> Record:
        """Return the request without the names of its secrets if it hides them."""
        if not self.hides_names:
            return self
        return replace(self, spec=self.spec.without_names(), state=self.state.without_names())

    def as_settled(self, status: Status, **outcome: Any) -> Record:
        """Return a new request that is settled on creation; None values in `outcome` are left out."""
        state = settled_state(status, self.created_at, **outcome)
        return replace(self, status=status, expires_at=None, due_at=None, digest=None, state=state)
