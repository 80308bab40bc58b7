"""A request as it is kept: two JSON texts and the few columns that are searched or compared.

`spec` is what was asked: an object that never changes within a revision. `state` is where it
stands: a small object that each transition replaces. The wire form is the two objects merged,
and because their keys are disjoint the merge is a splice of text: a form of any size is encoded
once, when it is created, and never again. Events store only the `state`, so the log stays small.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from askback.domain.access import OPEN, Access
from askback.domain.lifecycle import TERMINAL, Status


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
    spec: str
    state: str
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
    """Whether only those who may answer learn the names of its secrets. Set once, when it is made: what is inside
    `spec` was chosen by others."""

    @property
    def wire(self) -> str:
        """The request as JSON text for whoever may see it."""
        return splice(self.spec, self.state)

    @property
    def settled(self) -> bool:
        """Whether the request has ended."""
        return self.status in TERMINAL


def says(text: str, name: str, value: bool | str) -> bool:
    """Whether a JSON object has this member. The text may be long, so it is parsed only where the words stand in it."""
    return _member(name, value) in text and json.loads(text).get(name) == value


@cache
def _member(name: str, value: bool | str) -> str:
    return f'"{name}":{json.dumps(value)}'


def splice(spec: str, state: str) -> str:
    """Merge two non-empty JSON objects with disjoint keys into one, as text."""
    return f"{spec[:-1]},{state[1:]}"
