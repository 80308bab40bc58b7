"""The exceptions that askback raises, as one tree.

    AskbackError                    catch this to catch all
    ├── Refused                     the server refused; `.code`, `.status`, `.field_errors`, `.request`
    │   ├── Invalid            422  the body is not valid; every error is in `.field_errors`
    │   ├── TooLarge           413  the body is over the limit that `.message` names
    │   ├── Unauthorized       401  no credential, or an unknown one
    │   ├── Forbidden          403  the credential is valid, but its role does not allow this
    │   ├── NotFound           404  not found, or you don't have access: the reply is the same
    │   ├── Conflict           409  already settled, or an old revision; `.request` is the current request
    │   │   └── Gone           410  the request expired; `.request` says when
    │   ├── RateLimited        429  `.retry_after` seconds
    │   └── Unavailable        503  the store cannot be written right now; nothing was stored, try again
    ├── NotAnswered                 a request ended without an answer; `.request` carries it
    │   ├── Declined                the person declined to answer
    │   ├── Cancelled               the request was cancelled
    │   └── Expired                 nobody answered in time
    ├── Denied                      a function that requires approval was not approved and did not run; `.decision`
    ├── BadSignature                a webhook message was not signed with the receiver's secret, or is too old
    ├── StoreUnusable               the database cannot be opened; the message names it and the reason
    ├── ForkedClient                a client was used in a child process that `fork()` made; create a new one there
    ├── ConnectionLost              the server cannot be reached, and the caller chose not to wait
    ├── NoServer                    no server was named, and none was found; the message says how to start one
    ├── LeaseEnded                  the block of a lease of secrets is over; lease them again
    └── UnusableOptions             options of the Claude Agent SDK would let calls run without askback

`askback.compat.NoFormFor`, a `TypeError`, is not in the tree: a schema or a model that no form can ask for.

`code` is stable and meant for programs; `message` is one sentence that says how to fix the problem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from askback.domain.decision import Decision
    from askback.domain.request import InputRequest


class AskbackError(Exception):
    """The base class of all exceptions that askback raises on purpose."""


class Refused(AskbackError):
    """The server refused an operation; the same class is raised in the service and in the client.

    `field_errors` are mappings with `path`, `code` and `message`. `request` is the current
    request in its wire form, when there is one to show.
    """

    status: ClassVar[int] = 400
    default_code: ClassVar[str] = "refused"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        field_errors: Sequence[Mapping[str, Any]] = (),
        request: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.field_errors = list(field_errors)
        self.request = request
        self.retry_after = retry_after

    def __str__(self) -> str:
        faults = "".join(
            f"\n  {error['path'] or '(body)'}: {error['message']}" for error in self.field_errors
        )
        return self.message + faults


class Invalid(Refused):
    """The body is not valid; `field_errors` lists every error with its path."""

    status = 422
    default_code = "invalid"


class TooLarge(Refused):
    """The body is over a size limit; the rest of it was not read."""

    status = 413
    default_code = "too_large"


class Unauthorized(Refused):
    """The call has no credential, or one that this server does not know."""

    status = 401
    default_code = "unauthorized"


class Forbidden(Refused):
    """The credential is known, but its role may not do this."""

    status = 403
    default_code = "forbidden"


class NotFound(Refused):
    """Not found, or you don't have access: the reply is the same on purpose."""

    status = 404
    default_code = "not_found"


class Conflict(Refused):
    """Somebody answered first, or the form has changed; `request` is the current request."""

    status = 409
    default_code = "already_settled"


class Gone(Conflict):
    """The request expired before the call arrived; `request` says when."""

    status = 410
    default_code = "expired"


class RateLimited(Refused):
    """Too many calls; `retry_after` says how many seconds to wait."""

    status = 429
    default_code = "rate_limited"


class Unavailable(Refused):
    """The store cannot be written right now. Nothing was stored; the call can be repeated."""

    status = 503
    default_code = "unavailable"


class NotAnswered(AskbackError):
    """A request ended without an answer; `request` is the request as it ended."""

    def __init__(self, request: InputRequest) -> None:
        super().__init__(
            f"request {request.id} was {request.status}" + (f": {request.reason}" if request.reason else "")
        )
        self.request = request


class Declined(NotAnswered):
    """The person declined to answer (`request.reason`: skipped, dismissed or refused)."""


class Cancelled(NotAnswered):
    """The request was cancelled (`request.reason` says why)."""


class Expired(NotAnswered):
    """Nobody answered before the deadline."""


class Denied(AskbackError):
    """A function that requires approval did not run; the message is for the model, `decision` says why."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.text)
        self.decision = decision


class BadSignature(AskbackError):
    """A webhook body was not signed with this secret, was changed, or is too old."""


class StoreUnusable(AskbackError):
    """The database cannot be opened: in use by another process, newer than this code, or not supported here."""


class ForkedClient(AskbackError):
    """A client was used after `fork()`: its thread and its connection belong to the parent process."""

    def __init__(self) -> None:
        super().__init__("This client was created before fork(). Create a new client in this process.")


class ConnectionLost(AskbackError):
    """The server cannot be reached, and the caller asked not to wait until it can."""


def missing_extra(subject: str, extra: str) -> str:
    """Return the sentence about an optional part whose package is not installed, with the commands to run."""
    return (
        f"{subject} needs one more package: pip install 'askback[{extra}]', "
        f"or with a clone of askback: pip install '/path/to/the/clone[{extra}]'."
    )
