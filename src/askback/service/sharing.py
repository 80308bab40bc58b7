"""How far a thread is shared: what its access allows a caller, and who may change it.

A role says what kind of thing a caller does (`access.py`), the level in a thread says in which threads. An admin may
do everything everywhere. A requester always sees what it asked itself; a token that the host made for one person is in
every other way let into a thread as that person is, and one that was made for nobody works for all of them. A token
that is limited to some threads finds nothing in any other.
"""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from types import MappingProxyType

from askback.domain import events
from askback.domain.access import OPEN, Access, Level
from askback.domain.bodies import AccessBody
from askback.domain.record import Record
from askback.domain.secrets.veil import veiled
from askback.domain.validation.prose import Prose, check_line
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.errors import Forbidden, NotFound
from askback.ports.outcome import Outcome
from askback.ports.policy import Along
from askback.ports.store import Principal
from askback.service import access as roles
from askback.service.context import Services
from askback.service.ledger import entry

_MOST = MappingProxyType({"responder": Level.OWNER, "requester": Level.PROMPT})
"""How far the access to a thread lets a role in."""


def reaches(principal: Principal, thread_id: str) -> bool:
    """Whether the caller's token is limited to no threads, or to this one among others."""
    if not principal.threads or principal.role == "runner":
        return True
    return any(fnmatchcase(thread_id, pattern) for pattern in principal.threads)


def is_limited(principal: Principal) -> bool:
    """Whether the caller's token is limited to some threads."""
    return bool(principal.threads)


async def require_unlimited(ctx: Services, principal: Principal, attempted: str) -> None:
    """Raise `Forbidden`, and record the attempt, for a token that is limited to some threads."""
    if is_limited(principal):
        await roles.record_refusal(ctx, principal, attempted)
        raise Forbidden("This token is limited to some threads, and this is for more than them.")


def level(principal: Principal, access: Access, thread_id: str) -> Level:
    """Return what an access lets the caller do in its thread; an agent never gets further than to write."""
    if not reaches(principal, thread_id):
        return Level.NONE
    everywhere = _everywhere(principal)
    if everywhere is not None:
        return everywhere
    return min(access.level(principal.user), _MOST[principal.role])


def _everywhere(principal: Principal) -> Level | None:
    """Return what a caller may do in every thread alike; None where it depends on the thread."""
    if principal.role == "admin":
        return Level.OWNER
    if principal.role not in _MOST:
        return Level.NONE
    return Level.PROMPT if principal.role == "requester" and principal.user == principal.id else None


def person(principal: Principal) -> str | None:
    """Return for whom the store has to choose what they may see; None where it need not."""
    return principal.user if principal.role == "responder" else None


def sees(principal: Principal, requester: str, access: Access, thread_id: str) -> bool:
    """Whether the caller may see a request of its tenant that `requester` made in a thread with this access."""
    if principal.role in roles.PEOPLE:
        return level(principal, access, thread_id) >= Level.VIEW
    return principal.id == requester and reaches(principal, thread_id)


def learns_names(principal: Principal, access: Access, thread_id: str) -> bool:
    """Whether the caller learns which secrets are asked for, of a request that it sees and that hides it."""
    return principal.role == "requester" or level(principal, access, thread_id) >= Level.PROMPT


def as_seen(principal: Principal, record: Record) -> Record:
    """Return a record that the caller may see without what it may not."""
    return record if learns_names(principal, record.access, record.thread_id) else veiled(record)


def listed(principal: Principal, record: Record) -> str:
    """Return the wire form of a record in a list: people learn beside it what they may do in its thread (`level`)."""
    if principal.role not in roles.PEOPLE:
        return record.wire
    return f'{record.wire[:-1]},"level":"{level(principal, record.access, record.thread_id).word}"}}'


async def require(
    ctx: Services,
    principal: Principal,
    access: Access,
    needed: Level,
    *,
    thread_id: str,
    attempted: str,
    request_id: str | None = None,
) -> None:
    """Raise `NotFound` for a thread that is hidden from the caller, and `Forbidden`, recorded, for too low a level."""
    held = level(principal, access, thread_id)
    if held >= needed:
        return
    if held is Level.NONE:
        raise no_such_thread()
    await roles.record_refusal(ctx, principal, attempted, request_id)
    raise Forbidden(f"In this thread you may {held.word}; this takes {needed.word}.")


async def require_in(
    ctx: Services, principal: Principal, thread_id: str, needed: Level, *, attempted: str
) -> Level:
    """Return the caller's level in a thread, which is looked up only where that tells something.

    Raises as `require` does.
    """
    everywhere = _everywhere(principal)
    if everywhere is not None and everywhere >= needed and reaches(principal, thread_id):
        return everywhere
    access = await ctx.store.access(principal.tenant, thread_id)
    await require(ctx, principal, access, needed, thread_id=thread_id, attempted=attempted)
    return level(principal, access, thread_id)


async def of(ctx: Services, principal: Principal, thread_id: str) -> Access:
    """Return the access to a thread of the caller's tenant; raises `NotFound` for an id that none can have."""
    if not 0 < len(thread_id) <= ctx.limits.identifier:
        raise no_such_thread()
    return await ctx.store.access(principal.tenant, thread_id)


async def show(ctx: Services, principal: Principal, thread_id: str) -> Access:
    """Return who may do what in a thread: everybody who may read it may know who else can."""
    await roles.require(ctx, principal, "read")
    access = await ctx.store.access(principal.tenant, thread_id)
    await require(ctx, principal, access, Level.VIEW, thread_id=thread_id, attempted="read")
    return access


async def share(ctx: Services, principal: Principal, thread_id: str, body: object) -> Access:
    """Give a thread an access with an `AccessBody`, and return it; its watchers hear of it or are let go.

    Raises `Faults`, `NotFound`, and `Forbidden` for anybody but its owner and admins; an agent says once on whose
    behalf a thread is begun, and may say the same again.
    """
    await roles.require(ctx, principal, "share")
    check_line("thread_id", thread_id, ctx.limits.identifier)
    sent = parse(AccessBody, body)
    _check(ctx, sent)
    wanted = sent.access
    while True:
        before = await ctx.store.access(principal.tenant, thread_id)
        if not reaches(principal, thread_id):
            raise no_such_thread()
        if wanted == before and principal.role == "requester":
            return before
        await _require_owner(ctx, principal, thread_id, before, wanted)
        if wanted == before or await _set(ctx, principal, thread_id, wanted, before) is Outcome.APPLIED:
            return wanted


async def _require_owner(
    ctx: Services, principal: Principal, thread_id: str, before: Access, wanted: Access
) -> None:
    if principal.role == "requester" and before == OPEN:
        if wanted.owner == principal.user or principal.user == principal.id:
            return
        await roles.record_refusal(ctx, principal, "share")
        raise Forbidden("This token was made for one person, and begins threads for nobody else.")
    await require(ctx, principal, before, Level.OWNER, thread_id=thread_id, attempted="share")


async def _set(
    ctx: Services, principal: Principal, thread_id: str, wanted: Access, before: Access
) -> Outcome:
    now = ctx.clock.now_ms()
    shown = wanted.shown
    event = events.Draft(
        events.THREAD_ACCESS, principal.tenant, thread_id, now, None, json.dumps(shown), principal.id
    )
    told = entry("share", at=now, tenant=principal.tenant, by=principal, thread_id=thread_id, **shown)
    return await ctx.store.set_access(wanted, event, Along(audit=(told,)), before=before)


def _check(ctx: Services, sent: AccessBody) -> None:
    report = Report()
    prose = Prose(report, suspicious=True)
    prose.at("owner", sent.owner, ctx.limits.identifier)
    if len(sent.people) > ctx.limits.assignees:
        report.add("people", "too_many", max=ctx.limits.assignees)
    for name in list(sent.people)[: ctx.limits.assignees]:
        prose.at("people", name, ctx.limits.identifier)
    report.finish()


def no_such_thread() -> NotFound:
    """The answer for a thread id that none can have, and for a thread that is not the caller's to see."""
    return NotFound("There is no such thread.")
