"""Where secrets are kept for a thread, and what an agent is given when it may use one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from askback.ports.principal import Principal
from askback.ports.secrets import Grant, Place, SecretRecord
from askback.ports.vault import Binding
from askback.service.context import Services

SHARED = ""
"""The owner of what is kept for a whole tenant, and of a thread that nobody has shared (`domain.access.OPEN`)."""

REQUEST_SCOPE = "request"
"""Where the sensitive fields of one answer hold."""

EVERY_AGENT = "*"
"""Who may use a secret that is for all agents."""

REACH = ("session", "project", "global")
"""The nearest first: what is set in a thread wins over what is set for everything."""


def place(scope: str, *, thread_id: str, project: str | None) -> Place:
    """Return the place that a scope means in a thread and a project."""
    return Place(scope, {"session": thread_id, "project": project or ""}.get(scope, ""))


def places(*, thread_id: str, project: str | None) -> list[Place]:
    """Return every place that a thread can reach, the nearest first."""
    return [place(scope, thread_id=thread_id, project=project) for scope in REACH]


def nearest(found: Iterable[SecretRecord]) -> dict[str, SecretRecord]:
    """Return for each name the secret that is nearest."""
    by_reach = sorted(found, key=lambda each: REACH.index(each.scope), reverse=True)
    return {each.name: each for each in by_reach}


def covering(found: Iterable[SecretRecord], scope: str) -> list[SecretRecord]:
    """Return for each name the nearest secret that is valid in a whole scope: set in it, or in a wider one."""
    wide = REACH[REACH.index(scope) :]
    return list(nearest(each for each in found if each.scope in wide).values())


def binding(record: SecretRecord) -> Binding:
    """Return what the text of a secret is sealed to."""
    return Binding(
        tenant=record.tenant,
        owner=record.owner,
        scope=record.scope,
        subject=record.subject,
        name=record.name,
        version=record.version,
    )


async def usable(
    ctx: Services, principal: Principal, found: Sequence[SecretRecord]
) -> Sequence[SecretRecord]:
    """Return those of some secrets that an agent may use without a question."""
    pairs = await ctx.store.agents_of_secrets(principal.tenant, [each.id for each in found]) if found else ()
    known = {secret_id for secret_id, agent in pairs if agent in {principal.id, EVERY_AGENT}}
    return [each for each in found if each.id in known]


def grants(
    kept: Sequence[SecretRecord], *, thread_id: str, requester: str, request_id: str
) -> tuple[Grant, ...]:
    """Return what lets the agent of a thread use these secrets."""
    return tuple(Grant(each.tenant, thread_id, requester, each.name, each.id, request_id) for each in kept)
