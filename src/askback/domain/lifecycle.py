"""The lifecycle of a request: one table of all transitions. The diagram in the docs is generated from it.

Rules:
1. Nothing leaves a terminal status, so the first settlement is the only one.
2. `resolving` means an answer passed the form and somebody else is checking or applying it; it
   ends by `accept`, goes back by `reprompt`, and can still be declined or cancelled. A decline or a deadline
   that a hook decides about is held there too. Its deadline is paused: `expire` ends it only if the hook
   accepts the deadline, or its agent has ended with the server (ASKBACK_ON_RESTART).
3. Declined, cancelled and expired are never an answer.
4. A vote is one of the several decisions that some approvals need; it leaves the request open. The last vote
   needed, or the first vote against, is the answer.
5. An update changes the form or the deadline. Like a reprompt, it raises the revision.
6. A note records any other event of an open request: it was shown, a reminder was due, its agent has gone.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType


class Status(StrEnum):
    """The status of a request; the last four are terminal."""

    PENDING = "pending"
    RESOLVING = "resolving"
    ANSWERED = "answered"
    DECLINED = "declined"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class Transition(StrEnum):
    """A step that moves a request from one status to the next."""

    ANSWER = "answer"
    VOTE = "vote"
    NOTE = "note"
    SUBMIT = "submit"
    ACCEPT = "accept"
    REPROMPT = "reprompt"
    UPDATE = "update"
    DECLINE = "decline"
    CANCEL = "cancel"
    EXPIRE = "expire"


NEXT_STATUS = MappingProxyType(
    {
        (Status.PENDING, Transition.ANSWER): Status.ANSWERED,
        (Status.PENDING, Transition.VOTE): Status.PENDING,
        (Status.PENDING, Transition.NOTE): Status.PENDING,
        (Status.PENDING, Transition.UPDATE): Status.PENDING,
        (Status.PENDING, Transition.SUBMIT): Status.RESOLVING,
        (Status.PENDING, Transition.DECLINE): Status.DECLINED,
        (Status.PENDING, Transition.CANCEL): Status.CANCELLED,
        (Status.PENDING, Transition.EXPIRE): Status.EXPIRED,
        (Status.RESOLVING, Transition.NOTE): Status.RESOLVING,
        (Status.RESOLVING, Transition.ACCEPT): Status.ANSWERED,
        (Status.RESOLVING, Transition.REPROMPT): Status.PENDING,
        (Status.RESOLVING, Transition.DECLINE): Status.DECLINED,
        (Status.RESOLVING, Transition.CANCEL): Status.CANCELLED,
        (Status.RESOLVING, Transition.EXPIRE): Status.EXPIRED,
    }
)

ASKS_AGAIN = frozenset({Transition.REPROMPT, Transition.UPDATE})
"""The transitions that raise the revision."""

OUTCOMES = (
    "approve", "deny", "answered", "done", "failed", "skipped", "dismissed", "refused", "cancelled", "expired",
)  # fmt: skip
"""How a request ended, in one word: a decision, the outcome of an action, the reason of a decline, or the status."""

OPEN = frozenset({Status.PENDING, Status.RESOLVING})
TERMINAL = frozenset({Status.ANSWERED, Status.DECLINED, Status.CANCELLED, Status.EXPIRED})

CANCELLED_BY = MappingProxyType(
    {
        "agent_aborted": frozenset({"requester", "admin"}),
        "user_message": frozenset({"requester", "admin", "server"}),
        "superseded": frozenset({"requester", "admin", "server"}),
        "shutdown": frozenset({"requester", "admin"}),
        "failed": frozenset({"requester", "admin", "server"}),
        "admin": frozenset({"admin"}),
        "stopped": frozenset({"server"}),
        "thread_archived": frozenset({"server"}),
        "not_shown": frozenset({"server"}),
        "timeout": frozenset({"server"}),
    }
)
"""The roles that may give each reason for cancelling; `server` if something else causes it.

The causes are: a person's message, a newer request with the same `exclusive_key`, an answer that was sent back too
often, a person who stopped the run, an archived thread, `require_client`, and a deadline with `on_timeout: "cancel"`.
"""

REASONS = MappingProxyType(
    {
        Status.DECLINED: frozenset({"skipped", "dismissed", "refused"}),
        Status.CANCELLED: frozenset(CANCELLED_BY),
    }
)


class IllegalTransition(ValueError):
    """A transition that the table does not allow; nothing was changed."""

    def __init__(self, status: Status, transition: Transition) -> None:
        super().__init__(f"a request that is {status} cannot {transition}")
        self.status = status
        self.transition = transition


def step(status: Status, transition: Transition) -> Status:
    """Return the status that `transition` leads to, or raise `IllegalTransition`."""
    try:
        return NEXT_STATUS[status, transition]
    except KeyError:
        raise IllegalTransition(status, transition) from None
