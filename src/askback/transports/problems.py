"""Turn exceptions into `{"error": {…}}`. An unexpected one shows no details."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from math import ceil
from typing import Any

from askback import logs, messages
from askback.domain.faults import Fault, Faults, fault
from askback.errors import NotFound, RateLimited, Refused, Unauthorized, Unavailable
from askback.ports.files import FileRefused
from askback.ports.store import ClaimMismatch
from askback.ports.threads import ThreadArchived, ThreadOfAnother
from askback.ports.vault import CannotOpen, KeysUnreachable, VaultLocked
from askback.transports.http import Reply, Scope, header, json_reply

RETRY_S = 1

RECONNECT_S = 5.0
"""Seconds until a client with too many connections, or one whose server stops, should connect again."""

log = logging.getLogger(__name__)


class MethodNotAllowed(Refused):
    """The path exists, but not for this method; `allow` are its methods."""

    status = 405
    default_code = "method_not_allowed"

    def __init__(self, allow: str) -> None:
        super().__init__(f"This path accepts only: {allow}.")
        self.allow = allow


class HostNotAllowed(Refused):
    """The `Host` header names another server; this may be DNS rebinding."""

    status = 421
    default_code = "host_not_allowed"


def no_such_path() -> NotFound:
    """Return the error for an address that has nothing."""
    return NotFound("There is nothing at this address. Check the path.")


def problem(error: Exception, *, locale: str) -> tuple[int, dict[str, Any]]:
    """Return the status and the inner error object: `code`, `message`, `field_errors`?, `request`?."""
    if isinstance(error, Faults):
        return 422, _faults(error, locale)
    if isinstance(error, ClaimMismatch):
        text = "This Idempotency-Key was used before with another body. Use a new key for a new call."
        return 422, {"code": "idempotency_mismatch", "message": text}
    if isinstance(error, ThreadArchived):
        text = "The thread is archived and accepts nothing new. Unarchive it, or continue in another thread."
        return 409, {"code": "thread_archived", "message": text}
    if isinstance(error, ThreadOfAnother):
        text = (
            "This thread belongs to another agent. Use your own thread, or ask its owner or an admin for access "
            "(PUT /v1/threads/{id}/access)."
        )
        return 403, {"code": "thread_of_another_agent", "message": text}
    if isinstance(error, FileRefused):  # it was removed while the answer was sent
        return 422, _faults(Faults([fault("values", "unknown_file")]), locale)
    if isinstance(error, VaultLocked):
        return 409, {"code": "secrets_off", "message": str(error)}
    if isinstance(error, CannotOpen):
        return 409, {"code": "cannot_open", "message": str(error)}
    if isinstance(error, KeysUnreachable):
        return 503, {
            "code": "unavailable",
            "message": "The keys for secrets are currently unreachable. Try again.",
            "retry_after": RETRY_S,
        }
    if isinstance(error, Refused):
        return error.status, _refusal_body(error)
    _log(error)
    return 500, {"code": "internal", "message": "Something went wrong inside the server; it has been logged."}


def problem_reply(error: Exception, scope: Scope) -> Reply:
    """Return the HTTP response for an exception, with texts in the caller's language."""
    status, body = problem(error, locale=locale_of(scope))
    return json_reply({"error": body}, status=status, headers=headers_of(error))


def locale_of(scope: Scope) -> str:
    """Return the best language of the catalogues for the caller."""
    return messages.negotiate_locale(header(scope, b"accept-language"))


def fault_texts(faults: Iterable[Fault], locale: str) -> list[dict[str, str]]:
    """Return faults as they are in a reply: the path, the code and the sentence of each."""
    return [{"path": f.path, "code": f.code, "message": messages.render(f, locale)} for f in faults]


def _faults(error: Faults, locale: str) -> dict[str, Any]:
    faults = fault_texts(error.faults, locale)
    return {
        "code": "invalid",
        "message": messages.translate("message.invalid", locale, count=len(faults)),
        "field_errors": faults,
    }


def _refusal_body(error: Refused) -> dict[str, Any]:
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.field_errors:
        body["field_errors"] = error.field_errors
    if error.request is not None:
        body["request"] = error.request
    if isinstance(error, RateLimited | Unavailable):
        body["retry_after"] = _seconds(error)
    return body


def _seconds(error: RateLimited | Unavailable) -> int:
    return max(1, ceil(error.retry_after or RETRY_S))


def headers_of(error: Exception) -> list[tuple[bytes, bytes]]:
    """Return the headers that belong to a refusal."""
    if isinstance(error, MethodNotAllowed):
        return [(b"allow", error.allow.encode())]
    if isinstance(error, Unauthorized):
        return [(b"www-authenticate", b"Bearer")]
    if isinstance(error, RateLimited | Unavailable):
        return [(b"retry-after", b"%d" % _seconds(error))]
    if isinstance(error, KeysUnreachable):
        return [(b"retry-after", b"%d" % RETRY_S)]
    return []


def _log(error: Exception) -> None:
    # Not the exception's own text: validators and drivers put the refused value into theirs.
    log.error("internal error: %s", logs.outline(error))
