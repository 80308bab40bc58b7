"""The use cases of each kind of request; `domain/kinds` has the kinds themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Protocol

from askback.domain.faults import Faults, fault
from askback.domain.record import Record
from askback.domain.secrets.secret import RawBody
from askback.domain.values import frozen
from askback.ports.store import Change, Claim, Principal
from askback.service.actions.create import create_action
from askback.service.actions.report import answer_action
from askback.service.context import Services
from askback.service.requests.forms import accept_submission, answer_form, create_form
from askback.service.requests.packages import answer_package_request, create_package_request
from askback.service.requests.validate import validate_again, validate_submission
from askback.service.secrets import accept, probe
from askback.service.secrets.create import create_secret_request
from askback.service.secrets.sensitive_fields import answer_sensitive_form
from askback.service.secrets.submit import submit_secrets
from askback.wire.verdicts import AcceptBody


class CreateHandler(Protocol):
    """Create a request from a body of this kind."""

    def __call__(
        self, ctx: Services, principal: Principal, body: object, *, key: str | None
    ) -> Awaitable[Change]:
        """Return the change; raises the errors of the calling use case."""
        ...


class AnswerHandler(Protocol):
    """Answer a request with a parsed body, once per key or claim."""

    def __call__(
        self,
        ctx: Services,
        principal: Principal,
        record: Record,
        body: object,
        *,
        key: str | None,
        claim: Claim | None = None,
    ) -> Awaitable[Change]:
        """Return the change; raises the errors of the calling use case."""
        ...


class AnswerBytesHandler(Protocol):
    """Answer a request with bytes that may contain secrets."""

    def __call__(
        self, ctx: Services, principal: Principal, record: Record, body: RawBody, *, key: str | None
    ) -> Awaitable[Change]:
        """Return the change; raises the errors of the calling use case."""
        ...


class AcceptHandler(Protocol):
    """Settle a request with its checked submission."""

    def __call__(
        self,
        ctx: Services,
        principal: Principal | None,
        record: Record,
        verdict: AcceptBody,
        *,
        claim: Claim | None = None,
    ) -> Awaitable[Change]:
        """Return the change; raises the errors of the calling use case."""
        ...


async def _no_redactor(_ctx: Services, _record: Record) -> Callable[[str], str]:
    return str


async def _no_check(_ctx: Services, _record: Record) -> None:
    return


@frozen(slots=True)
class Handlers:
    """The use cases of one kind."""

    create: CreateHandler
    accept: AcceptHandler
    answer: AnswerHandler | None = None
    """For answers without secrets; see `Kind.is_secret`."""
    answer_unread: AnswerBytesHandler | None = None
    """For answers that may contain secrets."""
    check: Callable[[Services, Record], Awaitable[None]] = _no_check
    """Runs the server's own check of a submission; raises `Conflict` if the request ended meanwhile."""
    end_check: Callable[[Services, Record], Awaitable[None]] = _no_check
    """Continues after the checking server has stopped."""
    scrubber: Callable[[Services, Record], Awaitable[Callable[[str], str]]] = _no_redactor
    """Returns a function that removes the submitted values from a text."""


async def accept_secret_submission(
    ctx: Services,
    principal: Principal | None,
    record: Record,
    verdict: AcceptBody,
    *,
    claim: Claim | None = None,
) -> Change:
    """Store the tested secrets; a check returns nothing else."""
    if unknown_members := sorted(verdict.model_fields_set):
        raise Faults([fault(name, "unknown_field.key") for name in unknown_members])
    return await accept.accept_secrets(ctx, principal, record, claim=claim)


async def accept_action(
    ctx: Services,
    principal: Principal | None,
    record: Record,
    verdict: AcceptBody,
    *,
    claim: Claim | None = None,
) -> Change:
    """Settle an action as done; it has no values that a check could replace."""
    if verdict.values is not None:
        raise Faults([fault("values", "unknown_field.key")])
    return await accept_submission(ctx, principal, record, verdict, claim=claim)


@cache
def _handlers_of_approvals() -> Handlers:
    """Return the use cases of approvals, and import the policy with them, which a start does not need (ADR 107)."""
    from askback.service.approvals.create import create_approval
    from askback.service.approvals.decide import decide_approval

    return Handlers(create_approval, accept_submission, answer=decide_approval)


_HANDLERS: Mapping[str, Handlers] = MappingProxyType(
    {
        "form": Handlers(
            create_form,
            accept_submission,
            answer=answer_form,
            answer_unread=answer_sensitive_form,
            check=validate_submission,
            end_check=validate_again,
        ),
        "action": Handlers(create_action, accept_action, answer=answer_action),
        "package": Handlers(create_package_request, accept_submission, answer=answer_package_request),
        "secret": Handlers(
            create_secret_request,
            accept_secret_submission,
            answer_unread=submit_secrets,
            check=probe.test_secrets,
            end_check=probe.end_unknown,
            scrubber=accept.redactor_for,
        ),
    }
)


_IMPORTED_LATER: Mapping[str, Callable[[], Handlers]] = MappingProxyType({"approval": _handlers_of_approvals})


def handlers_for(kind: str) -> Handlers:
    """Return the use cases of a kind."""
    return _HANDLERS.get(kind) or _IMPORTED_LATER[kind]()


def handlers_of(record: Record) -> Handlers:
    """Return the use cases of a stored request."""
    return handlers_for(record.kind)
