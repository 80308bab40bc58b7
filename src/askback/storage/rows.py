"""Rows as values of the domain and of the ports, the same for each backend: columns in the order of its queries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace
from typing import Any, Protocol

from askback.domain import events as domain_events
from askback.domain.access import read_access
from askback.domain.events import Event, EventDraft
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.runs import Run
from askback.domain.spec import Spec
from askback.domain.state import State
from askback.domain.transcript import append_text
from askback.ports.agents import Agent, Root, Token
from askback.ports.policy import RuleRecord
from askback.ports.secrets import Grant, SecretRecord
from askback.ports.sessions import Session
from askback.ports.store import Message, Principal, ThreadView
from askback.ports.threads import ThreadConfig, ThreadDetails
from askback.ports.webhooks import Delivery, DeliveryState, Webhook

_STATUS = {status.value: status for status in Status}


class Row(Protocol):
    """The columns of a row: a tuple, or the driver's equivalent."""

    def __iter__(self) -> Iterator[Any]:
        """Return the columns, in order."""
        ...

    def __getitem__(self, index: Any, /) -> Any:
        """Return a column, or a slice of them as a tuple."""
        ...


def record(row: Row) -> Record:
    """Make a request: the fields of `Record`, the access to its thread as its two texts."""
    (
        request_id, tenant, thread_id, kind, requester, status, revision,
        created_at, expires_at, spec, state, digest, due_at, people, agents, exclusive, queued_behind,
        hides_names,
    ) = row  # fmt: skip
    return Record(
        request_id, tenant, thread_id, kind, requester, _STATUS[status], revision,
        created_at, expires_at, Spec(spec), State(state), digest, due_at, read_access(people, agents),
        exclusive, bool(queued_behind), bool(hides_names),
    )  # fmt: skip


def event(row: Row) -> Event:
    """Make an event: the fields of `EventDraft`, seq, position, its request's spec and `hides_names`, the access."""
    *draft, seq, position, spec, hides_names, people, agents = row
    return domain_events.committed_event(
        EventDraft(*draft),
        seq=seq,
        position=position,
        spec=None if spec is None else Spec(spec),
        access=read_access(people, agents),
        hides_names=bool(hides_names),
    )


def message(row: Row) -> Message:
    """Make a message: id, seq, data, and the text that was appended since (as UTF-8, where texts have no NUL)."""
    message_id, seq, data, streamed = row
    if isinstance(streamed, bytes):
        streamed = streamed.decode()
    return Message(message_id, seq, append_text(data, streamed) if streamed else data)


def thread_view(
    thread: Row, messages: Sequence[Message], requests: Sequence[Row], runs: Sequence[Row]
) -> ThreadView:
    """Put a thread together: its seq, access and when it was archived, its messages, its requests, its runs.

    Each request comes after the seq of its creation. Messages and requests come newest first.
    """
    seq, people, agents, archived_at, title, metadata = thread
    pairs = sorted(((row[0], record(row[1:])) for row in requests), key=lambda pair: pair[0])
    access = read_access(people, agents)
    running = tuple(Run(*row) for row in runs)
    return ThreadView(seq, list(reversed(messages)), pairs, access, archived_at, title, metadata, running)


def thread_details(row: Row) -> ThreadDetails:
    """Make a thread of a list: the fields of `ThreadDetails`, the access as its two texts."""
    key, thread_id, title, metadata, as_messages, archived_at, updated_at, pending, people, agents = row
    access = read_access(people, agents)
    return ThreadDetails(
        key, thread_id, title, metadata, bool(as_messages), archived_at, updated_at, pending, access
    )


def thread_config(row: Row) -> ThreadConfig:
    """Return the configuration of a thread from its row: the fields of `ThreadConfig`, the access as its two texts."""
    tenant_settings, thread_settings, refused_at, answers_as_messages, people, agents = row
    access = read_access(people, agents)
    return ThreadConfig(
        tenant_settings, thread_settings, refused_at, access, answers_as_messages=bool(answers_as_messages)
    )


PRINCIPAL = "principal, tenant, role, name, person, groups"
"""The columns of a principal in a login, a session, a person or a token."""


def principal(row: Row) -> Principal:
    """Make the principal of a login or a session."""
    principal_id, tenant, role, name, person, groups = row
    return Principal(principal_id, tenant, role, name, user=person, groups=tuple(json.loads(groups)))


def principal_columns(principal: Principal) -> tuple[str, ...]:
    """Return the columns of a principal, as `principal` reads them."""
    groups = json.dumps(principal.groups)
    return (principal.id, principal.tenant, principal.role, principal.name, principal.user, groups)


def token(row: Row) -> Token:
    """Make a token: its principal, its limits, its lifetime. One that an older server wrote has its principal's id."""
    *person, names, threads, token_id, expires_at, system = row[:11]
    token_record = replace(
        principal(person),
        names=tuple(json.loads(names)),
        threads=tuple(json.loads(threads)),
        token=token_id or row[0],
        expires_at=expires_at,
        system=system,
    )
    return Token(token_record, *row[11:17])


def token_columns(token: Token) -> tuple[str | int | None, ...]:
    """Return the columns of a token, as `token` reads them."""
    principal = token.principal
    limits = (
        json.dumps(principal.names),
        json.dumps(principal.threads),
        principal.token,
        principal.expires_at,
        principal.system,
    )
    origin_columns = (token.source, token.created_at, token.created_by)
    return (
        *principal_columns(principal),
        *limits,
        *origin_columns,
        token.revoked_at,
        token.revoked_by,
        token.last_used_at,
    )


def agent(row: Row) -> Agent:
    """Make an agent: the fields of `Agent`, its roots as JSON."""
    agent_id, tenant, name, person, created_at, created_by, stopped_at, roots = row
    granted_roots = tuple(Root(*root) for root in json.loads(roots))
    return Agent(agent_id, tenant, name, person, created_at, created_by, stopped_at, granted_roots)


def agent_columns(agent: Agent) -> tuple[str | int | None, ...]:
    """Return the columns of an agent, as `agent` reads them."""
    columns = (agent.id, agent.tenant, agent.name, agent.user)
    return (*columns, agent.created_at, agent.created_by, agent.stopped_at, roots_text(agent.roots))


def roots_text(roots: Sequence[Root]) -> str:
    """Return roots as they are kept: the same roots are always the same text."""
    return json.dumps([astuple(root) for root in roots], separators=(",", ":"))


def root_paths(text: str | None) -> tuple[str, ...]:
    """Return the paths of roots as they are kept; none for an agent that is not known."""
    return () if text is None else tuple(path for path, *_ in json.loads(text))


def session(row: Row) -> Session:
    """Make a session: its id, a principal, and the other fields of `Session`."""
    session_id, *person, browser_secret, device, created_at, seen_at, expires_at = row
    return Session(session_id, principal(person), browser_secret, device, created_at, seen_at, expires_at)


def session_row(session: Session) -> Row:
    """Return the columns of a session, as `session` reads them."""
    times = (session.created_at, session.seen_at, session.expires_at)
    return session.id, *principal_columns(session.principal), session.half, session.device, *times


def rule(row: Row) -> RuleRecord:
    """Make a rule: the fields of `RuleRecord`."""
    rule_id, tenant, effect, text, scope, subject, locked, shadow, expires_at, revoked, wire, agent = row
    flags = {"locked": bool(locked), "shadow": bool(shadow), "revoked": bool(revoked)}
    return RuleRecord(
        rule_id, tenant, effect, text, scope, subject, expires_at=expires_at, wire=wire, agent=agent, **flags
    )


def grant_and_secret(row: Row) -> tuple[Grant, SecretRecord | None]:
    """Make a grant with its secret: the fields of `Grant`, then those of `SecretRecord`, NULL when it is gone."""
    return Grant(*row[:6]), None if row[6] is None else SecretRecord(*row[6:15])


def webhook(row: Row) -> Webhook:
    """Make a webhook: the fields of `Webhook`, its events as JSON."""
    webhook_id, tenant, url, requester, events, secret_id, created_at, cursor, active = row
    event_types = tuple(json.loads(events))
    return Webhook(
        webhook_id, tenant, url, requester, event_types, secret_id, created_at, cursor, bool(active)
    )


def delivery(row: Row) -> Delivery:
    """Make a delivery: the fields of `Delivery`."""
    delivery_id, tenant, webhook_id, kind, subject, first_at, next_at, state, attempt, is_repeated, log = row
    delivery_record = Delivery(delivery_id, tenant, webhook_id, kind, subject, first_at, next_at)
    return replace(
        delivery_record, state=DeliveryState(state), attempt=attempt, again=bool(is_repeated), log=log
    )


def delivered(data: str) -> str:
    """Return the JSON of a message that is held as it is once it is delivered."""
    message: dict[str, Any] = json.loads(data)
    message.pop("held", None)
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
