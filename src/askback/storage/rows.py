"""Rows as values of the domain and of the ports, the same for each backend: columns in the order of its queries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

from askback.domain import events as domain_events
from askback.domain.access import read_access
from askback.domain.events import Draft, Event
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.ports.policy import RuleRecord
from askback.ports.secrets import Grant, SecretRecord
from askback.ports.store import Message, Principal, Session, ThreadView
from askback.ports.webhooks import Delivery, DeliveryState, Webhook
from askback.storage.transcript import extend

_STATUS = {status.value: status for status in Status}


class Row(Protocol):
    """The columns of a row: a tuple, or what a driver has in its place."""

    def __iter__(self) -> Iterator[Any]:
        """Return the columns, in order."""
        ...

    def __getitem__(self, index: Any, /) -> Any:
        """Return a column, or a slice of them as a tuple."""
        ...


def record(row: Row) -> Record:
    """Make a request: the fields of `Record`, the access to its thread as a text."""
    (
        request_id, tenant, thread_id, kind, requester, status, revision,
        created_at, expires_at, spec, state, digest, due_at, access, exclusive, behind,
    ) = row  # fmt: skip
    return Record(
        request_id, tenant, thread_id, kind, requester, _STATUS[status], revision,
        created_at, expires_at, spec, state, digest, due_at, read_access(access), exclusive, bool(behind),
    )  # fmt: skip


def event(row: Row) -> Event:
    """Make an event: the fields of `Draft`, seq, position, the spec of its request, the access to its thread."""
    return domain_events.commit(
        Draft(*row[:7]), seq=row[7], position=row[8], spec=row[9], access=read_access(row[10])
    )


def message(row: Row) -> Message:
    """Make a message: id, seq, data, and the text that was appended since."""
    message_id, seq, data, streamed = row
    return Message(message_id, seq, extend(data, streamed) if streamed else data)


def thread_view(thread: Row, messages: Sequence[Message], requests: Sequence[Row]) -> ThreadView:
    """Put a thread together: its seq, access and when it was archived, its messages, its requests.

    Each request comes after the seq of its creation. Messages and requests come newest first.
    """
    seq, access, archived_at = thread
    pairs = sorted(((row[0], record(row[1:])) for row in requests), key=lambda pair: pair[0])
    return ThreadView(seq, list(reversed(messages)), pairs, read_access(access), archived_at)


def principal(row: Row) -> Principal:
    """Make whom a login or a session stands for."""
    principal_id, tenant, role, name, person, groups = row
    return Principal(principal_id, tenant, role, name, user=person, groups=tuple(json.loads(groups)))


def token(row: Row) -> Principal:
    """Make whom a token stands for: a principal, and what it may lease."""
    *who, names, threads = row
    return replace(principal(who), names=tuple(json.loads(names)), threads=tuple(json.loads(threads)))


def session(row: Row) -> Session:
    """Make a session: a principal, the CSRF token, when it ends."""
    *who, csrf, expires_at = row
    return Session(principal(who), csrf, expires_at)


def rule(row: Row) -> RuleRecord:
    """Make a rule: the fields of `RuleRecord`."""
    rule_id, tenant, effect, text, scope, subject, locked, shadow, expires_at, revoked, wire = row
    return RuleRecord(
        rule_id, tenant, effect, text, scope, subject, bool(locked), bool(shadow), expires_at, bool(revoked), wire
    )  # fmt: skip


def granted(row: Row) -> tuple[Grant, SecretRecord | None]:
    """Make a grant with its secret: the fields of `Grant`, then those of `SecretRecord`, NULL when it is gone."""
    return Grant(*row[:6]), None if row[6] is None else SecretRecord(*row[6:15])


def webhook(row: Row) -> Webhook:
    """Make a webhook: the fields of `Webhook`, its events as JSON."""
    webhook_id, tenant, url, requester, events, secret_id, created_at, cursor, active = row
    wanted = tuple(json.loads(events))
    return Webhook(webhook_id, tenant, url, requester, wanted, secret_id, created_at, cursor, bool(active))


def delivery(row: Row) -> Delivery:
    """Make a delivery: the fields of `Delivery`."""
    delivery_id, tenant, webhook_id, kind, subject, since, next_at, state, attempt, again, log = row
    found = Delivery(delivery_id, tenant, webhook_id, kind, subject, since, next_at)
    return replace(found, state=DeliveryState(state), attempt=attempt, again=bool(again), log=log)
