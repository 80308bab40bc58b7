"""The operations of the WebSocket: each takes a frame and returns the text of its `ok`.

What holds the value of a secret goes over HTTP alone: handing it over, keeping it, and the lease.

Stored requests are spliced in as text; nothing is decoded and encoded again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol, cast

from askback.domain.faults import Faults, fault
from askback.domain.tracing import HEADER, read_trace
from askback.errors import NotFound
from askback.ports.outcome import Outcome
from askback.ports.store import Change
from askback.service import (
    answer,
    ask,
    audit,
    batch,
    cancel,
    checks,
    consume,
    decline,
    messages,
    orphans,
    policies,
    read,
    refusals,
    resolve,
    resumes,
    revoke,
    rules,
    sharing,
    shown,
    thread,
    threadaccess,
)
from askback.service.context import Services
from askback.service.secrets import agents, keep, rotate
from askback.service.waits import Waiter, Waits
from askback.service.watch import Watcher, Watches
from askback.transports import texts
from askback.transports.websocket.arguments import Frame, needed, place, statuses, text, whole
from askback.transports.websocket.inbox import Around, Inbox, note
from askback.transports.websocket.secret_agents import SECRET_AGENTS
from askback.transports.websocket.webhooks import WEBHOOKS
from askback.transports.websocket.whole_threads import WHOLE_THREADS

BREATH = 100
AUDIT_PAGE = 500
MAX_WAIT_S = 60
MAX_REPLY = 1024 * 1024
"""Characters of settled requests in one reply to `wait`."""

_MAX_CURSOR = 2**53 - 1


class Peer(Around, Waiter, Protocol):
    """What the operations need of their connection."""

    ctx: Services
    watches: Watches
    waits: Waits
    watchers: dict[str | None, Watcher]
    waiting: set[str]
    closed: bool
    locale: str
    subscribing: asyncio.Lock

    def unwatch(self, thread_id: str | None) -> None:
        """End a subscription, if there is one."""
        ...


async def _create(peer: Peer, frame: Frame) -> str:
    trace = read_trace(frame.get(HEADER))
    caller = peer.principal if trace == peer.principal.trace else replace(peer.principal, trace=trace)
    change = await ask.ask(peer.ctx, caller, frame.get("body"), key=text(frame, "key"))
    record = change.record
    if frame.get("wait") is True and not record.settled and not peer.closed:
        if change.outcome is Outcome.REPLAYED:
            # The row is older than this call: it may settle between that read and this wait.
            return await _look(peer, record.id) or record.wire
        peer.waits.add(record.id, peer)
        peer.waiting.add(record.id)
    return record.wire


async def _get(peer: Peer, frame: Frame) -> str:
    return (await read.look(peer.ctx, peer.principal, needed(frame, "request_id"))).wire


async def _list(peer: Peer, frame: Frame) -> str:
    limit = whole(frame, "limit", minimum=1, maximum=peer.ctx.limits.page)
    records, cursor = await read.page(
        peer.ctx,
        peer.principal,
        thread_id=text(frame, "thread_id"),
        statuses=statuses(frame.get("status")),
        kind=text(frame, "kind"),
        limit=50 if limit is None else limit,
        cursor=text(frame, "cursor"),
    )
    for record in records:
        note(peer, record.thread_id)
    wires = ",".join([sharing.listed(peer.principal, record) for record in records])
    return f'{{"requests":[{wires}],"next_cursor":{json.dumps(cursor)}}}'


async def _wait(peer: Peer, frame: Frame) -> str:
    settled, unknown, size = list[str](), list[str](), 0
    for number, request_id in enumerate(dict.fromkeys(_request_ids(frame)), 1):
        try:
            found = await _look(peer, request_id)
        except NotFound:
            unknown.append(request_id)
        else:
            size += len(found or "")
            if found is not None and size > MAX_REPLY:
                # What does not fit is told like an outcome that comes later, as fast as the peer reads.
                await peer.drained()
                peer.settled(request_id, found)
            elif found is not None:
                settled.append(found)
        if number % BREATH == 0:
            await asyncio.sleep(0)  # point reads do not suspend; others want the loop as well
    return f'{{"settled":[{",".join(settled)}],"unknown":{json.dumps(unknown)}}}'


async def _unwait(peer: Peer, frame: Frame) -> str:
    ids = _request_ids(frame)
    peer.waits.drop(ids, peer)
    peer.waiting.difference_update(ids)
    # What was told and is still on its way finds nobody there any more.
    await orphans.unheard(peer.ctx, peer.principal, ids)
    return "{}"


def _request_ids(frame: Frame) -> list[str]:
    ids: object = frame.get("request_ids")
    if not isinstance(ids, list) or not all(isinstance(i, str) for i in cast("list[object]", ids)):
        raise Faults([fault("request_ids", "wrong_type.list")])
    return cast("list[str]", ids)


async def _look(peer: Peer, request_id: str) -> str | None:
    record = await peer.waits.look(request_id, peer)
    if record.settled:
        return record.wire
    if peer.closed:
        peer.waits.drop((request_id,), peer)
    else:
        peer.waiting.add(request_id)
    return None


async def _answer(peer: Peer, frame: Frame) -> str:
    return await _settle(answer.answer, peer, frame)


async def _decline(peer: Peer, frame: Frame) -> str:
    return await _settle(decline.decline, peer, frame)


async def _cancel(peer: Peer, frame: Frame) -> str:
    return await _settle(cancel.cancel, peer, frame)


async def _consume(peer: Peer, frame: Frame) -> str:
    request_id = needed(frame, "request_id")
    return json.dumps(await consume.consume(peer.ctx, peer.principal, request_id, frame.get("body")))


async def _report(peer: Peer, frame: Frame) -> str:
    request_id = needed(frame, "request_id")
    return json.dumps(await consume.report(peer.ctx, peer.principal, request_id, frame.get("body")))


async def _accept(peer: Peer, frame: Frame) -> str:
    return await _settle(resolve.accept, peer, {"body": {}, **frame})


async def _reprompt(peer: Peer, frame: Frame) -> str:
    return await _settle(resolve.reprompt, peer, frame)


async def _check(peer: Peer, frame: Frame) -> str:
    request_id = needed(frame, "request_id")
    return (await checks.check(peer.ctx, peer.principal, request_id, frame.get("body", {}))).record.wire


async def _revoke(peer: Peer, frame: Frame) -> str:
    request_id = needed(frame, "request_id")
    return (await revoke.revoke(peer.ctx, peer.principal, request_id, frame.get("body", {}))).wire


async def _ask_again(peer: Peer, frame: Frame) -> str:
    request_id = needed(frame, "request_id")
    return (await refusals.ask_again(peer.ctx, peer.principal, request_id, frame.get("body", {}))).wire


async def _shown(peer: Peer, frame: Frame) -> str:
    request_id = needed(frame, "request_id")
    return (await shown.shown(peer.ctx, peer.principal, request_id, frame.get("body", {}))).wire


async def _resumes(peer: Peer, frame: Frame) -> str:
    seconds = whole(frame, "wait", minimum=0, maximum=MAX_WAIT_S)
    limit = whole(frame, "limit", minimum=1, maximum=peer.ctx.limits.page)
    found = await resumes.pull(
        peer.ctx,
        peer.principal,
        thread_id=text(frame, "thread_id"),
        seconds=seconds or 0,
        limit=limit or resumes.PAGE,
    )
    return texts.resumes_text(found, peer.ctx.texts)


async def _ack(peer: Peer, frame: Frame) -> str:
    await resumes.ack(peer.ctx, peer.principal, needed(frame, "resume_id"), frame.get("body"))
    return "{}"


async def _secrets(peer: Peer, frame: Frame) -> str:
    limit = whole(frame, "limit", minimum=1, maximum=peer.ctx.limits.page)
    found, cursor = await keep.page(
        peer.ctx, peer.principal, limit=50 if limit is None else limit, cursor=text(frame, "cursor")
    )
    may_use = await agents.of_each(peer.ctx, peer.principal, found)
    return texts.secrets_text(found, may_use, cursor)


async def _drop_secret(peer: Peer, frame: Frame) -> str:
    await keep.drop(peer.ctx, peer.principal, needed(frame, "secret_id"))
    return "{}"


async def _rotate(peer: Peer, frame: Frame) -> str:
    done = await rotate.rotate(peer.ctx, peer.principal, frame.get("body", {}))
    return json.dumps(done._asdict())


async def _batch(peer: Peer, frame: Frame) -> str:
    results = await batch.batch(peer.ctx, peer.principal, frame.get("body"), key=text(frame, "key"))
    return texts.results_text(results, locale=peer.locale)


async def _rules(peer: Peer, frame: Frame) -> str:
    limit = whole(frame, "limit", minimum=1, maximum=peer.ctx.limits.page)
    found, cursor = await rules.page(
        peer.ctx,
        peer.principal,
        thread_id=text(frame, "thread_id"),
        project=text(frame, "project"),
        ended=frame.get("ended") is True,
        limit=50 if limit is None else limit,
        cursor=text(frame, "cursor"),
    )
    return texts.rules_text(found, cursor)


async def _add_rule(peer: Peer, frame: Frame) -> str:
    rule, _ = await rules.add(peer.ctx, peer.principal, frame.get("body"))
    return rule.wire


async def _revoke_rule(peer: Peer, frame: Frame) -> str:
    return await rules.revoke(peer.ctx, peer.principal, needed(frame, "rule_id"))


async def _policy(peer: Peer, frame: Frame) -> str:
    found = await policies.show(peer.ctx, peer.principal, thread_id=text(frame, "thread_id"))
    return found.model_dump_json()


async def _set_policy(peer: Peer, frame: Frame) -> str:
    return (await policies.change(peer.ctx, peer.principal, frame.get("body"))).model_dump_json()


async def _audit(peer: Peer, frame: Frame) -> str:
    after = whole(frame, "after", minimum=0, maximum=_MAX_CURSOR)
    limit = whole(frame, "limit", minimum=1, maximum=AUDIT_PAGE)
    found = await audit.page(peer.ctx, peer.principal, after=after or 0, limit=limit or AUDIT_PAGE)
    return texts.audit_text(*found)


async def _settle(step: Callable[..., Awaitable[Change]], peer: Peer, frame: Frame) -> str:
    request_id = needed(frame, "request_id")
    change = await step(peer.ctx, peer.principal, request_id, frame.get("body"), key=text(frame, "key"))
    return change.record.wire


async def _message(peer: Peer, frame: Frame) -> str:
    thread_id, key = needed(frame, "thread_id"), text(frame, "key")
    made, _ = await messages.post(peer.ctx, peer.principal, thread_id, frame.get("body"), key=key)
    return json.dumps(made)


async def _thread(peer: Peer, frame: Frame) -> str:
    return await thread.read(peer.ctx, peer.principal, needed(frame, "thread_id"))


async def _access(peer: Peer, frame: Frame) -> str:
    return json.dumps((await threadaccess.show(peer.ctx, peer.principal, needed(frame, "thread_id"))).shown)


async def _share(peer: Peer, frame: Frame) -> str:
    thread_id = needed(frame, "thread_id")
    return json.dumps(
        (await threadaccess.share(peer.ctx, peer.principal, thread_id, frame.get("body"))).shown
    )


async def _subscribe(peer: Peer, frame: Frame) -> str:
    thread_id = place(frame)
    after = whole(frame, "cursor", minimum=0, maximum=_MAX_CURSOR)
    reader = Inbox(peer) if thread_id is None else peer
    async with peer.subscribing:  # first come, first served: beginnings and ends keep their order
        peer.unwatch(thread_id)
        watcher = await peer.watches.open(peer.principal, reader, thread_id=thread_id, after=after)
        if peer.closed:
            watcher.close()
        else:
            peer.watchers[thread_id] = watcher
    begun = {"cursor": watcher.cursor, "level": watcher.level and watcher.level.word}
    return json.dumps({name: part for name, part in begun.items() if part is not None})


async def _unsubscribe(peer: Peer, frame: Frame) -> str:
    async with peer.subscribing:
        peer.unwatch(place(frame))
    return "{}"


def _ping(_peer: Peer, _frame: Frame) -> str:
    return "{}"


OPERATIONS: Mapping[str, Callable[[Peer, Frame], Awaitable[str]]] = MappingProxyType(
    {
        "create": _create,
        "get": _get,
        "list": _list,
        "wait": _wait,
        "unwait": _unwait,
        "answer": _answer,
        "decline": _decline,
        "cancel": _cancel,
        "consume": _consume,
        "report": _report,
        "shown": _shown,
        "check": _check,
        "ask_again": _ask_again,
        "revoke": _revoke,
        "resumes": _resumes,
        "ack": _ack,
        "accept": _accept,
        "reprompt": _reprompt,
        "batch": _batch,
        "rules": _rules,
        "add_rule": _add_rule,
        "revoke_rule": _revoke_rule,
        "policy": _policy,
        "set_policy": _set_policy,
        "audit": _audit,
        "secrets": _secrets,
        "drop_secret": _drop_secret,
        "rotate_secrets": _rotate,
        "message": _message,
        "thread": _thread,
        "access": _access,
        "share": _share,
        **WHOLE_THREADS,
        **SECRET_AGENTS,
        **WEBHOOKS,
        "subscribe": _subscribe,
        "unsubscribe": _unsubscribe,
    }
)
"""Those that may wait for the store."""

LARGE = frozenset({"list", "thread", "wait", "unwait", "batch", "audit", "export"})
"""Those whose reply may be megabytes: one at a time on a connection, and none while the last is on its way.

`unwait` is among them to come after the `wait` that it ends.
"""

PATIENT = frozenset({"resumes"})
"""Those that may wait for something to come that is then the caller's."""

INLINE: Mapping[str, Callable[[Peer, Frame], str]] = MappingProxyType({"ping": _ping})
"""Those that are done at once."""
