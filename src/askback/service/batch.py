"""Decide about a list of requests in one action. No rule is stored."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from askback.domain.bodies import BatchBody, BatchItem
from askback.domain.faults import Faults, fault, join
from askback.domain.record import Record
from askback.domain.validation.structure import parse
from askback.errors import RateLimited, Refused
from askback.ports.store import Change, Principal
from askback.service import access
from askback.service.answer import answer
from askback.service.context import Services
from askback.service.decline import decline
from askback.service.notes import check_note
from askback.service.settle import another_call, conflict

Result = tuple[str, Change | Exception]
"""The id of a request, and what became of it."""


async def batch(ctx: Services, principal: Principal, body: object, *, key: str | None = None) -> list[Result]:
    """Deal with each request of a `BatchBody`; one that fails does not keep the others from being settled.

    A `key` holds for each of them: keys belong to what they are used on.

    Raises `Faults` for the list itself, and `Forbidden`.
    """
    await access.require(ctx, principal, "answer")
    sent = parse(BatchBody, body)
    check_note(ctx, sent.note)
    _check(sent, most=ctx.limits.batch)
    # One action counts once. Where it is one too many, each of its requests is refused unless it is a replay.
    with suppress(RateLimited):
        await ctx.pace.take(principal, clock=ctx.clock, store=ctx.store)
        principal = replace(principal, counted=True)
    # All at once, so that the store writes them in one commit.
    return await asyncio.gather(*(_one(ctx, principal, sent, item, key) for item in sent.requests))


async def _one(
    ctx: Services, principal: Principal, sent: BatchBody, item: BatchItem, key: str | None
) -> Result:
    note: dict[str, Any] = {} if sent.note is None else {"note": sent.note}
    try:
        if sent.action == "decline":
            body = {"reason": sent.reason or "refused", **note}
            seen = partial(_check_seen, item)
            return item.id, await decline(ctx, principal, item.id, body, key=key, seen=seen)
        body = {"revision": item.revision, "decision": sent.action, **note}
        if item.digest is not None:
            body["digest"] = item.digest
        return item.id, await answer(ctx, principal, item.id, body, key=key)
    except (Refused, Faults) as failed:
        return item.id, failed


def _check_seen(item: BatchItem, record: Record) -> None:
    """Refuse what has changed since the person saw it; a decline by itself does not say what was seen."""
    if item.revision != record.revision:
        raise conflict(record)
    if item.digest not in (None, record.digest):
        raise another_call(record)


def _check(sent: BatchBody, *, most: int) -> None:
    faults = [fault("requests", "too_few", min=1)] if not sent.requests else []
    if len(sent.requests) > most:
        faults.append(fault("requests", "too_many", max=most))
    ids = [item.id for item in sent.requests[:most]]
    faults += [
        fault(join(join("requests", n), "id"), "duplicate_value")
        for n, each in enumerate(ids)
        if each in ids[:n]
    ]
    if sent.reason is not None and sent.action != "decline":
        faults.append(fault("reason", "reason_only_decline"))
    if faults:
        raise Faults(faults)
