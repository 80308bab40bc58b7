"""What each kind of request does with the store, by the kind's name; what it is stands in `domain/kinds`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from askback.domain.record import Record
from askback.domain.secrets.unread import Unread
from askback.ports.store import Change, Claim, Principal
from askback.service.context import Services
from askback.service.decide import decide
from askback.service.forms import accept_submission, answer_form, ask_form
from askback.service.propose import propose
from askback.service.secrets import resolve as secrets
from askback.service.secrets.ask import ask_secret
from askback.service.secrets.fields import answer_fields
from askback.service.secrets.submit import submit


class Create(Protocol):
    """Create a request from a body of this kind."""

    def __call__(
        self, ctx: Services, principal: Principal, body: object, *, key: str | None
    ) -> Awaitable[Change]:
        """Return the change; errors are those of the use case that calls it."""
        ...


class AnswerWith(Protocol):
    """Answer a request with a body that was read, once per key or claim."""

    def __call__(
        self,
        ctx: Services,
        principal: Principal,
        record: Record,
        body: object,
        *,
        key: str | None,
        claimed: Claim | None = None,
    ) -> Awaitable[Change]:
        """Return the change; errors are those of the use case that calls it."""
        ...


class AnswerUnread(Protocol):
    """Answer a request with bytes that may hold secrets."""

    def __call__(
        self, ctx: Services, principal: Principal, record: Record, body: Unread, *, key: str | None
    ) -> Awaitable[Change]:
        """Return the change; errors are those of the use case that calls it."""
        ...


class Accept(Protocol):
    """Take what was sent and checked as the answer."""

    def __call__(
        self, ctx: Services, principal: Principal | None, record: Record, *, claim: Claim | None = None
    ) -> Awaitable[Change]:
        """Return the change; errors are those of the use case that calls it."""
        ...


async def _nothing_to_scrub(_ctx: Services, _record: Record) -> Callable[[str], str]:
    return str


@dataclass(frozen=True, slots=True)
class Handlers:
    """The use cases of one kind."""

    create: Create
    accept: Accept
    answer: AnswerWith | None = None
    """Of requests whose answers hold no secrets; see `Kind.is_secret`."""
    answer_unread: AnswerUnread | None = None
    """Of requests whose answers may hold secrets."""
    scrubber: Callable[[Services, Record], Awaitable[Callable[[str], str]]] = _nothing_to_scrub
    """Returns what removes the values that were sent from a text about them."""


HANDLERS: Mapping[str, Handlers] = MappingProxyType(
    {
        "form": Handlers(ask_form, accept_submission, answer=answer_form, answer_unread=answer_fields),
        "approval": Handlers(propose, accept_submission, answer=decide),
        "secret": Handlers(ask_secret, secrets.accept, answer_unread=submit, scrubber=secrets.scrubber),
    }
)


def handlers_of(record: Record) -> Handlers:
    """Return the use cases of a stored request."""
    return HANDLERS[record.kind]
