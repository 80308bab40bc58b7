"""Rows for tests of stores: small, valid, and different from each other."""

from __future__ import annotations

import json

from askback.domain.access import AccessList
from askback.domain.events import (
    MESSAGE_ADDED,
    MESSAGE_DELTA,
    MESSAGE_UPDATED,
    REQUEST_CREATED,
    REQUEST_VOTED,
    THREAD_ACCESS,
    EventDraft,
)
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.domain.state import PENDING, State
from askback.ports.agents import Agent, Root, Token
from askback.ports.policy import AuditDraft, PolicyRecord, RuleRecord, RuleUse, SideEffects
from askback.ports.secrets import Grant, SecretRecord
from askback.ports.sessions import NewSession
from askback.ports.store import Claim, Principal, Settlement

OPEN = frozenset({Status.PENDING, Status.RESOLVING})
NOON = 1_795_176_000_000


def request_id(n: int) -> str:
    """Make an id that sorts by `n`, as real ones sort by time."""
    return f"req_{n:026d}"


def record(
    n: int,
    *,
    tenant: str = "main",
    thread: str = "t1",
    kind: str = "form",
    requester: str = "tok_1",
    expires_at: int | None = None,
    digest: str | None = None,
) -> Record:
    """Make the n-th request, pending."""
    spec = json.dumps({"id": request_id(n), "kind": kind, "form": {"title": f"Nº {n}"}}, ensure_ascii=False)
    return Record(
        id=request_id(n),
        tenant=tenant,
        thread_id=thread,
        kind=kind,
        requester=requester,
        status=Status.PENDING,
        revision=1,
        created_at=NOON + n,
        expires_at=expires_at,
        spec=Spec(spec),
        state=PENDING,
        digest=digest,
        due_at=expires_at,
    )


def request_created(row: Record) -> EventDraft:
    """Make the first event of a request."""
    return EventDraft(
        REQUEST_CREATED, row.tenant, row.thread_id, row.created_at, row.id, row.state.text, row.requester
    )


def answer(
    row: Record,
    value: str = "yes",
    *,
    tenant: str | None = None,
    status: Status = Status.ANSWERED,
    expected_statuses: frozenset[Status] = OPEN,
    revision: int | None = 1,
) -> Settlement:
    """Make a step that ends a request; `value` distinguishes answers."""
    state = json.dumps({"status": status, "revision": row.revision, "answer": {"values": {"a": value}}})
    tenant = tenant or row.tenant
    event = EventDraft(f"request.{status}", tenant, row.thread_id, NOON + 1, row.id, state, row.requester)
    return Settlement(tenant, row.id, expected_statuses, revision, status, State(state), event)


def vote(row: Record, *voters: str) -> Settlement:
    """Make the step that adds the last of `voters` to the votes of an approval, which stays open."""
    state = json.dumps({"status": "pending", "revision": row.revision, "votes": voters})
    event = EventDraft(REQUEST_VOTED, row.tenant, row.thread_id, NOON + 1, row.id, state, row.requester)
    pending = Status.PENDING
    return Settlement(
        row.tenant, row.id, frozenset({pending}), 1, pending, State(state), event, state_before=row.state
    )


def shared(
    access: AccessList, *, tenant: str = "main", thread: str = "t1", owner: str = "tok_agent"
) -> EventDraft:
    """Make the event of a thread that gets this access."""
    return EventDraft(THREAD_ACCESS, tenant, thread, NOON, None, access.stored_texts[0] or "{}", owner)


def message(text: str = "Hello") -> str:
    """Make a message of one text block."""
    return json.dumps({"role": "agent", "content": [{"type": "text", "text": text}]}, separators=(",", ":"))


def message_added(
    data: str, *, tenant: str = "main", thread: str = "t1", owner: str = "tok_agent"
) -> EventDraft:
    """Make the event of a new message."""
    return EventDraft(MESSAGE_ADDED, tenant, thread, NOON, None, data, owner)


def delta(
    message_id: str, text: str, *, tenant: str = "main", thread: str = "t1", owner: str = "tok_agent"
) -> EventDraft:
    """Make the event of a text that is appended."""
    data = json.dumps({"id": message_id, "text": text}, ensure_ascii=False)
    return EventDraft(MESSAGE_DELTA, tenant, thread, NOON, None, data, owner)


def message_updated(*, thread: str = "t1", owner: str = "tok_agent") -> EventDraft:
    """Make the event of a changed message."""
    return EventDraft(MESSAGE_UPDATED, "main", thread, NOON, None, "{}", owner)


def claim(
    key: str = "k1",
    digest: str = "d1",
    *,
    scope: str = "create",
    principal: str = "tok_1",
    tenant: str = "main",
) -> Claim:
    """Make an idempotency key."""
    return Claim(tenant, principal, scope, key, digest)


def principal(who: str = "tok_1", *, tenant: str = "main", role: str = "responder") -> Principal:
    """Make a caller."""
    return Principal(who, tenant, role, f"{who}'s name")


def agent(
    n: int = 1,
    *,
    tenant: str = "main",
    user: str = "",
    created_at: int | None = NOON,
    roots: tuple[Root, ...] = (),
) -> Agent:
    """Make the n-th agent; they sort by `n`."""
    agent_id = f"agt_{n:026d}"
    made_by = json.dumps({"id": "tok_admin", "name": "Ada"})
    return Agent(agent_id, tenant, f"agent {n}", user or agent_id, created_at, made_by, roots=roots)


def root(path: str, time: int = NOON) -> Root:
    """Make a folder that an agent may read."""
    return Root(path, time, json.dumps({"id": "usr_1", "name": "Ädä"}))


def token(
    n: int = 1,
    *,
    agent: Agent | None = None,
    tenant: str = "main",
    role: str = "responder",
    ends: int | None = None,
) -> Token:
    """Make the n-th token, of an agent or of a person; they sort by `n`."""
    token_id = f"tok_{n:026d}"
    if agent is None:
        person = Principal(token_id, tenant, role, f"{token_id}'s name", token=token_id, expires_at=ends)
    else:
        person = Principal(
            agent.id, agent.tenant, "requester", agent.name, user=agent.user, token=token_id, expires_at=ends
        )
    return Token(person, "api", NOON, json.dumps({"id": "tok_admin", "name": "Ada"}))


def new_session(
    session_id: str = "ses_1", *, browser_secret: str = "", device: str = "", expires_at: int = NOON + 9
) -> NewSession:
    """Make a session that a login code opens."""
    return NewSession(session_id, browser_secret, device, NOON, expires_at)


def rule_id(n: int) -> str:
    """Make the id of the n-th rule; they sort by `n`."""
    return f"rul_{n:026d}"


def use(n: int, *, time: int = NOON, about: int = 1) -> RuleUse:
    """Make a use of the n-th rule, for a request."""
    return RuleUse("main", rule_id(n), time, request_id(about))


def rule(
    n: int,
    *,
    tenant: str = "main",
    scope: str = "always",
    subject: str = "",
    expires_at: int | None = None,
    agent: str | None = None,
) -> RuleRecord:
    """Make the n-th rule; the odd ones are locked, every third is only tried."""
    text = f"bash(make {n}:*)"
    wire = json.dumps({"id": rule_id(n), "rule": text})
    return RuleRecord(
        rule_id(n),
        tenant,
        "allow",
        text,
        scope,
        subject,
        n % 2 == 1,
        n % 3 == 0,
        expires_at,
        False,
        wire,
        agent,
    )


def policy(data: str, *, tenant: str = "main", thread: str = "") -> PolicyRecord:
    """Make the settings of a tenant, or of a thread."""
    return PolicyRecord(tenant, thread, data)


def entry(action: str, *, tenant: str = "main") -> AuditDraft:
    """Make an entry of the audit log."""
    return AuditDraft(
        tenant, json.dumps({"action": "decide", "at": NOON, "tool": action}, ensure_ascii=False)
    )


def secret_id(n: int) -> str:
    """Make the id of the n-th secret; they sort by `n`."""
    return f"sec_{n:026d}"


def secret(
    n: int,
    *,
    version: int = 1,
    tenant: str = "main",
    owner: str = "",
    scope: str = "global",
    subject: str = "",
    name: str | None = None,
) -> SecretRecord:
    """Make a version of the n-th secret, in its own location unless a `name` is passed."""
    name = name or f"KEY_{n}"
    wire = json.dumps({"id": secret_id(n), "name": name, "version": version})
    sealed = f"sealed.{tenant}.{n}.{version}"
    return SecretRecord(secret_id(n), tenant, owner, scope, subject, name, version, sealed, wire)


def grant(secret_record: SecretRecord, n: int = 1, *, thread: str = "t1", requester: str = "tok_1") -> Grant:
    """Make the grant of a secret to an agent, because of the n-th request."""
    return Grant(secret_record.tenant, thread, requester, secret_record.name, secret_record.id, request_id(n))


def effects(n: int, *, tenant: str = "main") -> SideEffects:
    """Make the n-th of all side effects."""
    kept_secret_record = secret(n, tenant=tenant)
    return SideEffects(
        rules=(rule(n, tenant=tenant),),
        policies=(policy(f'{{"n":{n}}}', tenant=tenant),),
        audit=(entry(f"{n}", tenant=tenant),),
        secrets=(kept_secret_record,),
        grants=(grant(kept_secret_record),),
    )
