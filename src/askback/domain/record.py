"""A request as it is stored: what it asks, where it stands, and the few columns that are searched or compared.

The wire form is the objects of `spec` and `state` merged. Their keys are disjoint, so their texts are joined: a form of
any size is encoded once, when the request is created. Events store only the state, so the log stays small.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from askback.domain import jsontext
from askback.domain.access import OPEN, Access
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.spec import Spec
from askback.domain.state import State, settled_state


@dataclass(frozen=True, slots=True)
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
    """Of the call that a person was asked about (`policy/digest.py`), which their word is looked up by."""
    due_at: int | None = None
    """When an open request is to be looked at next: its deadline, or a step before it."""
    access: Access = OPEN
    """To the thread, as it was when the record was read."""
    exclusive: str | None = None
    """The key of which a requester has at most one open request in a thread; see `service/exclusive.py`."""
    behind: bool = False
    """Whether it waits in line for the one that holds its key; nobody is to answer it yet."""
    hides_names: bool = False
    """Whether only those who may answer learn the names of its secrets."""

    @property
    def wire(self) -> str:
        """The request as JSON text."""
        return jsontext.merge(self.spec.text, self.state.text)

    @property
    def settled(self) -> bool:
        """Whether the request has ended."""
        return self.status in TERMINAL

    def wire_with(self, **members: Any) -> str:
        """Return the request as JSON text with members that it does not have."""
        return jsontext.with_members(self.wire, **members)

    def as_dict(self) -> dict[str, Any]:
        """Return the request as the object of its wire form."""
        return json.loads(self.wire)

    def without_names(self) -> Record:
        """Return the request without the names of its secrets where it hides them."""
        if not self.hides_names:
            return self
        return replace(self, spec=self.spec.without_names(), state=self.state.without_names())

    def settled_at_once(self, status: Status, **outcome: Any) -> Record:
        """Return a new request as one that is settled when it is created; None in `outcome` is left out."""
        state = settled_state(status, self.created_at, **outcome)
        return replace(self, status=status, expires_at=None, due_at=None, digest=None, state=state)
