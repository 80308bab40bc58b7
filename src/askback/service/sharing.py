"""Check a caller's access to a thread. `threadaccess.py` changes the access.

A role says what kind of thing a caller does (`access.py`), the level in a thread says in which threads. An admin may
do everything everywhere. An agent works in threads that it was let into (`domain.access.Agents`), and of the requests
there it sees its own; one that the host made for one person is in every other way let into a thread as that person is,
and one that was made for nobody works for all of them. A token that is limited to some threads finds nothing in any
other.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from types import MappingProxyType

from askback.domain.access import Access, Agents, Level
from askback.domain.record import Record
from askback.errors import Forbidden, NotFound
from askback.ports.store import Principal
from askback.ports.threads import Terms, ThreadOfAnother
from askback.service import access as roles
from askback.service.context import Services

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
        raise Forbidden(
            "This token is limited to some threads, and this call affects others. Use a token without that limit."
        )


def agent_of(principal: Principal) -> Agents | None:
    """Return the agent that is calling, with the person for whom it works; None for a person."""
    if principal.role != "requester":
        return None
    return _agent(principal.id, principal.user)


def _agent(agent_id: str, user: str) -> Agents:
    return Agents((agent_id,), "" if user == agent_id else user)


def lets_in(access: Access, principal: Principal) -> bool:
    """Whether the caller is a person, or an agent that was let into the thread with this access."""
    agent = agent_of(principal)
    return agent is None or access.admits(agent)


def lets_in_requester(record: Record) -> bool:
    """Whether the agent that made a request is still let into its thread."""
    if record.access.admits(Agents((record.requester,))):
        return True
    who = record.spec.facts.requester
    return record.access.admits(_agent(who.id, who.id if who.user is None else who.user))


def level(principal: Principal, access: Access, thread_id: str) -> Level:
    """Return what an access lets the caller do in its thread; an agent never gets further than to write."""
    if principal.role == "admin" and reaches(principal, thread_id):
        return Level.OWNER
    if principal.role not in _MOST or not reaches(principal, thread_id) or not lets_in(access, principal):
        return Level.NONE
    if principal.role == "requester" and principal.user == principal.id:
        return Level.PROMPT
    return min(access.level(principal.user), _MOST[principal.role])


def person(principal: Principal) -> str | None:
    """Return for whom the store has to choose what they may see; None where it need not."""
    return principal.user if principal.role == "responder" else None


def sees(principal: Principal, requester: str, access: Access, thread_id: str) -> bool:
    """Whether the caller may see a request of its tenant that `requester` made in a thread with this access."""
    if principal.role in roles.PEOPLE:
        return level(principal, access, thread_id) >= Level.VIEW
    return principal.id == requester and reaches(principal, thread_id) and lets_in(access, principal)


def learns_names(principal: Principal, access: Access, thread_id: str) -> bool:
    """Whether the caller learns which secrets are asked for, of a request that it sees and that hides it."""
    return principal.role == "requester" or level(principal, access, thread_id) >= Level.PROMPT


def as_seen(principal: Principal, record: Record) -> Record:
    """Return a record that the caller may see without what it may not."""
    return record if learns_names(principal, record.access, record.thread_id) else record.without_names()


def listed(principal: Principal, record: Record) -> str:
    """Return the wire form of a record in a list: people learn beside it what they may do in its thread (`level`)."""
    if principal.role not in roles.PEOPLE:
        return record.wire
    return record.wire_with(level=level(principal, record.access, record.thread_id).word)


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
    """Raise `NotFound` for a thread that is hidden from the caller, and `Forbidden`, recorded, for too low a level.

    An agent that was not let in hears that the thread is another's when it would write there
    (`ThreadOfAnother`), unless the thread is hidden from the person for whom it works.
    """
    held = level(principal, access, thread_id)
    if held >= needed:
        return
    foreign = needed > Level.VIEW and not lets_in(access, principal)
    if held is Level.NONE and (
        not foreign or level(principal, replace(access, agents=None), thread_id) is Level.NONE
    ):
        raise no_such_thread()
    await roles.record_refusal(ctx, principal, attempted, request_id)
    if foreign:
        raise ThreadOfAnother
    raise Forbidden(
        f"In this thread you have the level {held.word}; this needs {needed.word}. Ask its owner for more access."
    )


async def require_in(
    ctx: Services, principal: Principal, thread_id: str, needed: Level, *, attempted: str
) -> Level:
    """Return the caller's level in a thread, which is looked up only where that tells something.

    Raises as `require` does.
    """
    if principal.role == "admin" and reaches(principal, thread_id):
        return Level.OWNER
    access = await ctx.store.access(principal.tenant, thread_id)
    await require(ctx, principal, access, needed, thread_id=thread_id, attempted=attempted)
    return level(principal, access, thread_id)


async def require_to_ask(ctx: Services, principal: Principal, thread_id: str) -> Terms:
    """Return what holds in a thread in which an agent is about to ask something; raises as `require` does."""
    terms = await ctx.store.terms(principal.tenant, thread_id)
    await require(ctx, principal, terms.access, Level.PROMPT, thread_id=thread_id, attempted="create")
    return terms


async def of(ctx: Services, principal: Principal, thread_id: str) -> Access:
    """Return the access to a thread of the caller's tenant; raises `NotFound` for an id that none can have."""
    if not 0 < len(thread_id) <= ctx.limits.identifier:
        raise no_such_thread()
    return await ctx.store.access(principal.tenant, thread_id)


def no_such_thread() -> NotFound:
    """The answer for a thread id that none can have, and for a thread that is not the caller's to see."""
    return NotFound("There is no such thread.")
