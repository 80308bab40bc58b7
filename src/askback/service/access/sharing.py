"""Check a caller's access to a thread. `threads/access.py` changes the access.

A role limits what a caller may do (`roles.py`), the access level limits in which threads. An admin may do everything
everywhere. An agent works in the threads that it is admitted to (`domain.access.ThreadAgents`) and sees only its own
requests there. An agent of one person has that person's access; an agent of nobody works for all people. A token that
is limited to some threads does not see any other.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from askback.domain.access import AccessLevel, AccessList, ThreadAgents
from askback.domain.events import Event
from askback.domain.record import Record
from askback.errors import Forbidden, NotFound
from askback.ports.store import Principal
from askback.ports.threads import ThreadConfig, ThreadOfAnother
from askback.service.access import roles
from askback.service.context import Services
from askback.wire.operation import PEOPLE

_MAX_LEVELS = MappingProxyType({"responder": AccessLevel.OWNER, "requester": AccessLevel.PROMPT})
"""The highest access level of each role."""
CACHED_AGENTS = 1_024
"""Agents whose part in threads is kept: each event asks for it, for each of its readers."""


def token_covers(principal: Principal, thread_id: str) -> bool:
    """Return whether the caller's token may be used in this thread."""
    if not principal.threads or principal.role == "runner":
        return True
    return any(fnmatchcase(thread_id, pattern) for pattern in principal.threads)


def is_thread_limited(principal: Principal) -> bool:
    """Return whether the caller's token is limited to some threads."""
    return bool(principal.threads)


async def require_unlimited(ctx: Services, principal: Principal, operation: str) -> None:
    """Raise `Forbidden`, and record the attempt, for a token that is limited to some threads."""
    if is_thread_limited(principal):
        await roles.record_refusal(ctx, principal, operation)
        raise Forbidden(
            "This token is limited to some threads, and this call affects others. Use a token without that limit."
        )


def agent_of(principal: Principal) -> ThreadAgents | None:
    """Return the calling agent with the person that it works for; None if a person is calling."""
    if principal.role != "requester":
        return None
    return _agent(principal.id, principal.user)


@lru_cache(CACHED_AGENTS)
def _agent(agent_id: str, user: str) -> ThreadAgents:
    return ThreadAgents((agent_id,), "" if user == agent_id else user)


def admits(access: AccessList, principal: Principal) -> bool:
    """Return whether the caller is a person, or an agent that is admitted to the thread with this access."""
    agent = agent_of(principal)
    return agent is None or access.admits_agent(agent)


def admits_requester(record: Record) -> bool:
    """Return whether the agent of a request is still admitted to its thread."""
    if record.access.admits_agent(ThreadAgents((record.requester,))):
        return True
    requester = record.spec.facts.requester
    return record.access.admits_agent(
        _agent(requester.id, requester.id if requester.user is None else requester.user)
    )


def level(principal: Principal, access: AccessList, thread_id: str) -> AccessLevel:
    """Return the caller's access level in a thread; at most `PROMPT` for an agent."""
    if principal.role == "admin" and token_covers(principal, thread_id):
        return AccessLevel.OWNER
    if (
        principal.role not in _MAX_LEVELS
        or not token_covers(principal, thread_id)
        or not admits(access, principal)
    ):
        return AccessLevel.NONE
    if principal.role == "requester" and principal.user == principal.id:
        return AccessLevel.PROMPT
    return min(access.level(principal.user), _MAX_LEVELS[principal.role])


def person_filter(principal: Principal) -> str | None:
    """Return the person by whose access the store filters rows; None if it does not filter."""
    return principal.user if principal.role == "responder" else None


def can_see(principal: Principal, requester: str, access: AccessList, thread_id: str) -> bool:
    """Return whether the caller may see a request of its tenant that `requester` made in a thread with this access."""
    if principal.role in PEOPLE:
        return level(principal, access, thread_id) >= AccessLevel.VIEW
    return principal.id == requester and token_covers(principal, thread_id) and admits(access, principal)


def can_see_names(principal: Principal, access: AccessList, thread_id: str) -> bool:
    """Return whether the caller may see the secret names of a request that hides them."""
    return principal.role == "requester" or level(principal, access, thread_id) >= AccessLevel.PROMPT


def visible_to(principal: Principal, record: Record) -> Record:
    """Return a record as the caller may see it: without secret names if those are hidden."""
    return record if can_see_names(principal, record.access, record.thread_id) else record.without_names()


def visible_event(principal: Principal, event: Event) -> Event | None:
    """Return an event of a thread that the caller may view, as the caller may see it; None for a hidden request.

    People who may view a thread see all its requests. Two agents can work in one thread; neither sees the other's.
    """
    if (
        principal.role not in PEOPLE
        and event.request_id is not None
        and not can_see(principal, event.requester, event.access, event.thread_id)
    ):
        return None
    if event.redacted is not None and not can_see_names(principal, event.access, event.thread_id):
        return event.redacted
    return event


def list_item(principal: Principal, record: Record, **members: Any) -> str:
    """Return the JSON of a record in a list, with more `members`; people also get their level in its thread."""
    if principal.role not in PEOPLE:
        return record.wire
    return record.wire_with(level=level(principal, record.access, record.thread_id).wire_name, **members)


async def require(
    ctx: Services,
    principal: Principal,
    access: AccessList,
    needed_level: AccessLevel,
    *,
    thread_id: str,
    operation: str,
    request_id: str | None = None,
) -> None:
    """Raise `NotFound` for a thread that is hidden from the caller, and `Forbidden`, recorded, for too low a level.

    An agent that is not admitted gets `ThreadOfAnother` when it writes, unless the thread is hidden from the person
    that it works for.
    """
    granted_level = level(principal, access, thread_id)
    if granted_level >= needed_level:
        return
    is_other_agent = needed_level > AccessLevel.VIEW and not admits(access, principal)
    if granted_level is AccessLevel.NONE and (
        not is_other_agent or level(principal, replace(access, agents=None), thread_id) is AccessLevel.NONE
    ):
        raise no_such_thread()
    await roles.record_refusal(ctx, principal, operation, request_id)
    if is_other_agent:
        raise ThreadOfAnother
    raise Forbidden(
        f"In this thread you have the level {granted_level.wire_name}; this needs {needed_level.wire_name}. "
        "Ask its owner for more access."
    )


async def require_in(
    ctx: Services, principal: Principal, thread_id: str, needed_level: AccessLevel, *, operation: str
) -> AccessLevel:
    """Return the caller's level in a thread, which is read from the store only if the role needs it.

    Raises as `require` does.
    """
    if principal.role == "admin" and token_covers(principal, thread_id):
        return AccessLevel.OWNER
    access = await ctx.store.access(principal.tenant, thread_id)
    await require(ctx, principal, access, needed_level, thread_id=thread_id, operation=operation)
    return level(principal, access, thread_id)


async def require_to_watch(ctx: Services, principal: Principal, thread_id: str) -> AccessLevel:
    """Return the caller's level in a thread; raises `NotFound` for an invalid id, and for a hidden thread."""
    if not 0 < len(thread_id) <= ctx.limits.identifier:
        raise no_such_thread()
    return await require_in(ctx, principal, thread_id, AccessLevel.VIEW, operation="watch_thread")


async def require_to_ask(ctx: Services, principal: Principal, thread_id: str) -> ThreadConfig:
    """Return the configuration of a thread in which an agent creates a request; raises as `require` does."""
    thread_config = await ctx.store.thread_config(principal.tenant, thread_id)
    await require(
        ctx,
        principal,
        thread_config.access,
        AccessLevel.PROMPT,
        thread_id=thread_id,
        operation="create_request",
    )
    return thread_config


async def get_access(ctx: Services, principal: Principal, thread_id: str) -> AccessList:
    """Return the access to a thread of the caller's tenant; raises `NotFound` for an invalid id."""
    if not 0 < len(thread_id) <= ctx.limits.identifier:
        raise no_such_thread()
    return await ctx.store.access(principal.tenant, thread_id)


def no_such_thread() -> NotFound:
    """Return the error for an invalid thread id, and for a thread that is hidden from the caller."""
    return NotFound("There is no such thread.")
