"""Read one request or a page of them. Requests without access are reported as not found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from askback.domain.date_times import read_moment
from askback.domain.faults import Faults, fault
from askback.domain.identifiers import first_identifier
from askback.domain.kinds import KINDS
from askback.domain.lifecycle import Status
from askback.domain.modeltext import model_text
from askback.domain.record import NO_LABELS, Labels, Record
from askback.domain.request import InputRequest
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.context import Services
from askback.service.lifecycle.settle import already_settled, request_not_found
from askback.service.lifecycle.undelivered import mark_delivered
from askback.wire.operation import PEOPLE


async def get_request(ctx: Services, principal: Principal, request_id: str) -> Record:
    """Return one request as the caller may see it.

    Raises `NotFound` for an unknown id, another tenant's, another requester's, and one in a thread that is hidden.
    """
    return _visible(principal, await ctx.store.get(principal.tenant, request_id))


async def get_recent(ctx: Services, principal: Principal, request_id: str) -> Record:
    """Return one request like `get_request`, but possibly an older copy: only for a compare-and-set.

    Its access and the setting of its thread are the current ones.
    """
    recent = ctx.recent.get(principal.tenant, request_id)
    if recent is None:
        return await get_request(ctx, principal, request_id)
    thread_config = await ctx.store.thread_config(recent.tenant, recent.thread_id)
    current = replace(
        recent, access=thread_config.access, answers_as_messages=thread_config.answers_as_messages
    )
    return _visible(principal, current)


async def require_revision(ctx: Services, principal: Principal, record: Record, revision: int) -> Record:
    """Return the open request if `revision` is its current one; an outdated copy is read again first.

    Raises `Conflict` or `Gone` with the current request, and `NotFound`.
    """
    if record.settled or revision != record.revision:
        ctx.recent.discard(record.id)
        record = await get_request(ctx, principal, record.id)
    if record.settled or revision != record.revision:
        raise already_settled(record)
    return record


def _visible(principal: Principal, record: Record | None) -> Record:
    if record is None or not sharing.can_see(principal, record.requester, record.access, record.thread_id):
        raise request_not_found()
    return sharing.visible_to(principal, record)


async def get_delivered(ctx: Services, principal: Principal, request_id: str) -> Record:
    """Return one request as `get_request` does, and record that its outcome was delivered to the requester."""
    record = await get_request(ctx, principal, request_id)
    if record.settled or record.status is Status.RESOLVING:
        await mark_delivered(ctx, principal, record)
    return record


async def get_request_text(ctx: Services, principal: Principal, request_id: str) -> str:
    """Return the sentence for a model about a request; an outcome counts as received, as with `get_delivered`."""
    await roles.require(ctx, principal, "get_request_text", request_id)
    record = await get_delivered(ctx, principal, request_id)
    return model_text(InputRequest.model_validate_json(record.wire))


async def list_requests(
    ctx: Services,
    principal: Principal,
    *,
    thread_id: str | None = None,
    statuses: frozenset[Status] | None = None,
    kind: str | None = None,
    agent: str | None = None,
    labels: Labels = NO_LABELS,
    created_after: str | None = None,
    created_before: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> tuple[Sequence[Record], str | None]:
    """Return requests newest first, and the cursor of the next page or None at the end.

    A page of all threads can have fewer requests than `limit`: queued ones are left out for people, and those of
    threads that the caller's token does not cover or that its agent has lost. Raises `Faults` for an unknown kind, or
    a time that cannot be read.
    """
    if kind is not None and kind not in KINDS:
        raise Faults([fault("kind", "unknown_value", allowed=", ".join(KINDS))])
    first_id, last_id = _id_bounds(created_after, created_before)
    if principal.role not in PEOPLE:
        if agent not in (None, principal.id):
            return [], None
        agent = principal.id
    size = max(1, min(limit, ctx.limits.page))
    records = await ctx.store.list_requests(
        principal.tenant,
        thread_id=thread_id,
        statuses=statuses,
        kind=kind,
        requester=agent,
        labels=labels,
        person=sharing.person_filter(principal),
        after=first_id,
        before=min(filter(None, (cursor, last_id)), default=None),
        limit=size + 1,
    )
    page, has_more = records[:size], len(records) > size
    visible = [
        sharing.visible_to(principal, record)
        for record in page
        if sharing.can_see(principal, record.requester, record.access, record.thread_id)
        # Queued requests cannot be answered yet, so they are not in a person's list of all threads.
        and (thread_id is not None or not record.queued_behind or not roles.is_person(principal))
    ]
    return visible, page[-1].id if has_more else None


def _id_bounds(created_after: str | None, created_before: str | None) -> tuple[str | None, str | None]:
    """Return the ids between which the requests of a period are: ids sort by the millisecond of their creation."""
    after_ms = None if created_after is None else nanoseconds("created_after", created_after) // 1_000_000 + 1
    before_ms = (
        None if created_before is None else -(-nanoseconds("created_before", created_before) // 1_000_000)
    )
    return (
        None if after_ms is None else first_identifier("req", after_ms),
        None if before_ms is None else first_identifier("req", before_ms),
    )


def nanoseconds(name: str, text: str) -> int:
    """Return a time in nanoseconds since the epoch; raises `Faults` with the name as the path."""
    moment = read_moment(text)
    if moment is None:
        raise Faults([fault(name, "invalid_datetime.bound")])
    seconds, nanoseconds = moment
    return seconds * 10**9 + nanoseconds
