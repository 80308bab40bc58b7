"""Decide about a list of requests in one action. No rule is stored."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from askback.domain.faults import Faults, fault, join
from askback.domain.record import Record
from askback.domain.validation.structure import parse
from askback.errors import RateLimited
from askback.ports.store import Change, Principal
from askback.service.access import roles
from askback.service.context import Services
from askback.service.lifecycle.admission import check_note
from askback.service.lifecycle.settle import already_settled, digest_mismatch
from askback.service.requests.answer import answer_request, decline_request
from askback.wire.bodies import BatchBody, BatchItem

Result = tuple[str, Change | Exception]
"""The id of a request, and its result."""


async def batch_requests(
    ctx: Services, principal: Principal, body: object, *, key: str | None = None
) -> list[Result]:
    """Answer or decline each request of a `BatchBody`; each one succeeds or fails by itself.

    A `key` applies to each request separately.

    Raises `Faults` for the list itself, and `Forbidden`.
    """
    await roles.require(ctx, principal, "batch_requests")
    payload = parse(BatchBody, body)
    check_note(ctx, payload.note)
    _check(payload, limit=ctx.limits.batch)
    # A batch counts as one answer. Over the limit, each request is refused unless it is a replay.
    with suppress(RateLimited):
        await ctx.rate_limiter.count_answer(principal, clock=ctx.clock, store=ctx.store)
        principal = replace(principal, counted=True)
    # Concurrently, so that the store writes them in one commit.
    return await asyncio.gather(*(_apply(ctx, principal, payload, item, key) for item in payload.requests))


async def _apply(
    ctx: Services, principal: Principal, payload: BatchBody, item: BatchItem, key: str | None
) -> Result:
    note: dict[str, Any] = {} if payload.note is None else {"note": payload.note}
    try:
        if payload.action == "decline":
            body = {"reason": payload.reason or "refused", **note}
            unchanged_check = partial(_check_unchanged, item)
            return item.id, await decline_request(
                ctx, principal, item.id, body, key=key, check_seen=unchanged_check
            )
        body = {"revision": item.revision, "decision": payload.action, **note}
        if item.digest is not None:
            body["digest"] = item.digest
        return item.id, await answer_request(ctx, principal, item.id, body, key=key)
    except Exception as error:  # noqa: BLE001 - an error of one request is its own result
        return item.id, error


def _check_unchanged(item: BatchItem, record: Record) -> None:
    """Refuse to decline a request that has changed since the person saw it."""
    if item.revision != record.revision:
        raise already_settled(record)
    if item.digest not in (None, record.digest):
        raise digest_mismatch(record)


def _check(payload: BatchBody, *, limit: int) -> None:
    faults = [fault("requests", "too_few", min=1)] if not payload.requests else []
    if len(payload.requests) > limit:
        faults.append(fault("requests", "too_many", max=limit))
    ids = [item.id for item in payload.requests[:limit]]
    faults += [
        fault(join(join("requests", n), "id"), "duplicate_value")
        for n, item in enumerate(ids)
        if item in ids[:n]
    ]
    if payload.reason is not None and payload.action != "decline":
        faults.append(fault("reason", "reason_only_decline"))
    if faults:
        raise Faults(faults)
