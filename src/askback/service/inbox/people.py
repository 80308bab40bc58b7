"""List the people of a tenant, and those who could answer a request."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from askback.domain.access import GROUP_PREFIX
from askback.domain.record import Record
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.access.assignees import groups_of, may_be_assigned
from askback.service.context import Services
from askback.service.lifecycle.read import get_request


async def list_people(
    ctx: Services,
    principal: Principal,
    *,
    request_id: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> tuple[Sequence[dict[str, Any]], str | None]:
    """Return people by id, each with `id`, `name` and `groups`, and the cursor of the next page or None at the end.

    With a request, only those who can answer it if it is assigned to them; a page can then have fewer than `limit`.
    Raises `NotFound`, and `Forbidden` for a token that is limited to threads without a request.
    """
    await roles.require(ctx, principal, "list_people")
    record = None
    if request_id is None:
        await sharing.require_unlimited(ctx, principal, "list_people")
    else:
        record = await get_request(ctx, principal, request_id)
    size = max(1, min(limit, ctx.limits.page))
    rows = await ctx.store.people(
        principal.tenant, now_ms=ctx.clock.now_ms(), after=cursor or "", limit=size + 1
    )
    people = [(user, list(memberships)) for user, memberships in groupby(rows, key=lambda item: item.user)]
    page = [
        {
            "id": user,
            "name": memberships[0].name,
            "groups": sorted({name for membership in memberships for name in membership.groups}),
        }
        for user, memberships in people[:size]
        if record is None or any(may_be_assigned(membership, record) for membership in memberships)
    ]
    return page, people[size - 1][0] if len(people) > size else None


async def names_of(ctx: Services, tenant: str, assignees: Sequence[str]) -> list[str]:
    """Return what people see in place of assignees: the name of a person, and of a group without its prefix."""
    people = await ctx.store.people(tenant, now_ms=ctx.clock.now_ms(), ids=assignees)
    names = {person.user: person.name for person in people}
    return [names.get(assignee, assignee.removeprefix(GROUP_PREFIX)) for assignee in assignees]


async def unknown_assignees(ctx: Services, record: Record, assignees: Sequence[str]) -> Sequence[int]:
    """Return the places of assignees that could not answer: people who may not, and groups without anybody who may."""
    now = ctx.clock.now_ms()
    people_ids = [assignee for assignee in assignees if not assignee.startswith(GROUP_PREFIX)]
    people = await ctx.store.people(record.tenant, now_ms=now, ids=people_ids)
    able = {name for person in people if may_be_assigned(person, record) for name in (person.id, person.user)}
    if len(people_ids) < len(assignees):
        able |= await _groups(ctx, record)
    return [index for index, assignee in enumerate(assignees) if assignee not in able]


async def _groups(ctx: Services, record: Record) -> set[str]:
    """Return the groups with somebody who could answer a request, as assignees."""
    groups, last_user = set[str](), ""
    while page := await ctx.store.people(record.tenant, now_ms=ctx.clock.now_ms(), after=last_user):
        for item in page:
            if may_be_assigned(item, record):
                groups |= {GROUP_PREFIX + name for name in await groups_of(ctx, item)}
        last_user = page[-1].user
    return groups
