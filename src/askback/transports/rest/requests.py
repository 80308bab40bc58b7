"""Create, read, list, answer, decline, cancel: translated from HTTP and back, without a rule of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from askback.ports.outcome import Outcome
from askback.ports.store import Change
from askback.service import answer as answers
from askback.service import ask as asks
from askback.service import cancel as cancels
from askback.service import checks, refusals, resolve, revoke, sharing
from askback.service import decline as declines
from askback.service import read as reads
from askback.service import shown as notes
from askback.service import wait as waits
from askback.transports.http import Call, ClientGone, Receive, Reply, text_reply
from askback.transports.rest import query

MAX_WAIT_S = 60
REPLAYED = (b"idempotent-replayed", b"true")
_T = TypeVar("_T")


async def create(call: Call) -> Reply:
    """`POST /v1/requests`."""
    change = await asks.ask(call.ctx, call.principal, await call.json(), key=call.key)
    repeated = change.outcome is Outcome.REPLAYED and change.record.state.members.get("repeated", False)
    return _changed(change, status=200 if repeated else 201)


async def answer(call: Call) -> Reply:
    """`POST /v1/requests/{id}/answer`: what is in the body may be a secret, so it is not read here."""
    body = await call.body()
    done = await answers.answer_unread(call.ctx, call.principal, call.path["id"], body, key=call.key)
    return _changed(done)


async def decline(call: Call) -> Reply:
    """`POST /v1/requests/{id}/decline`."""
    body = await call.json()
    return _changed(await declines.decline(call.ctx, call.principal, call.path["id"], body, key=call.key))


async def cancel(call: Call) -> Reply:
    """`POST /v1/requests/{id}/cancel`."""
    body = await call.json()
    return _changed(await cancels.cancel(call.ctx, call.principal, call.path["id"], body, key=call.key))


async def accept(call: Call) -> Reply:
    """`POST /v1/requests/{id}/accept`."""
    body = await call.json()
    return _changed(await resolve.accept(call.ctx, call.principal, call.path["id"], body, key=call.key))


async def reprompt(call: Call) -> Reply:
    """`POST /v1/requests/{id}/reprompt`."""
    body = await call.json()
    return _changed(await resolve.reprompt(call.ctx, call.principal, call.path["id"], body, key=call.key))


async def check(call: Call) -> Reply:
    """`POST /v1/requests/{id}/check`."""
    return _changed(await checks.check(call.ctx, call.principal, call.path["id"], await call.json()))


async def ask_again(call: Call) -> Reply:
    """`POST /v1/requests/{id}/ask-again`."""
    record = await refusals.ask_again(call.ctx, call.principal, call.path["id"], await call.json())
    return text_reply(record.wire)


async def revoke_approval(call: Call) -> Reply:
    """`POST /v1/requests/{id}/revoke`."""
    record = await revoke.revoke(call.ctx, call.principal, call.path["id"], await call.json())
    return text_reply(record.wire)


async def shown(call: Call) -> Reply:
    """`POST /v1/requests/{id}/shown`."""
    body = await call.json()
    return text_reply((await notes.shown(call.ctx, call.principal, call.path["id"], body)).wire)


async def read(call: Call) -> Reply:
    """`GET /v1/requests/{id}`, with `?wait=` a long poll."""
    seconds = query.number(call, "wait", minimum=0, maximum=MAX_WAIT_S)
    revision = query.integer(call, "revision", minimum=0)
    if not seconds:
        return text_reply((await reads.look(call.ctx, call.principal, call.path["id"])).wire)
    receipt = query.flag(call, "receipt")
    waiting = waits.wait(
        call.ctx, call.principal, call.path["id"], seconds=seconds, revision=revision, receipt=receipt
    )
    record = await while_connected(call.receive, waiting)
    return Reply(204) if record is None else text_reply(record.wire)


async def page(call: Call) -> Reply:
    """`GET /v1/requests`."""
    records, cursor = await reads.page(
        call.ctx,
        call.principal,
        thread_id=query.text(call, "thread_id"),
        statuses=query.statuses(call),
        kind=query.text(call, "kind"),
        limit=query.integer(call, "limit", minimum=1, maximum=call.ctx.limits.page) or query.PAGE,
        cursor=query.text(call, "cursor"),
    )
    following = "null" if cursor is None else f'"{cursor}"'
    wires = ",".join([sharing.listed(call.principal, record) for record in records])
    return text_reply(f'{{"requests":[{wires}],"next_cursor":{following}}}')


def _changed(change: Change, *, status: int = 200) -> Reply:
    if change.outcome is Outcome.REPLAYED:
        return text_reply(change.record.wire, status=status, headers=(REPLAYED,))
    return text_reply(change.record.wire, status=status)


async def while_connected(receive: Receive, work: Awaitable[_T]) -> _T:
    """Do the work as long as somebody waits for it; raises `ClientGone` when nobody does."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_disconnect(receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGone
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
