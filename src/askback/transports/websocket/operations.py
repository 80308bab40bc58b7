"""The operations of the WebSocket: those of REST, and those that watch.

Operations with the value of a secret go over HTTP only: submit, set and lease.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Protocol

from askback.domain.access import AccessLevel
from askback.domain.events import Event
from askback.domain.faults import Faults, fault
from askback.domain.tracing import HEADER, read_trace
from askback.errors import Gone, NotFound
from askback.ports.bus import Activity, PersonalChange
from askback.ports.outcome import Outcome
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.context import Services
from askback.service.delivery.subscriptions import Subscriber, Subscription, Subscriptions
from askback.service.delivery.waits import ConnectionWaits, Waiter
from askback.service.lifecycle import undelivered
from askback.service.requests import answering, create
from askback.transports.call import Handler, OperationCall
from askback.transports.handlers import HANDLERS, requests
from askback.transports.parameters import Frame, from_frame, text
from askback.wire.operation import Operation
from askback.wire.operations import OPERATIONS as TABLE
from askback.wire.operations import RENAMED

YIELD_EVERY = 100
MAX_REPLY = 1024 * 1024
"""Characters of settled requests in one reply to `wait`."""

COMMON_MEMBERS = frozenset({"id", "op", "key", HEADER})
"""The members that every frame may have. `key` and the trace are headers in REST, perhaps without an effect."""


class InboxConnection(Subscriber, Protocol):
    """The connection of an inbox; `seen_threads` are the threads whose events the person has received."""

    seen_threads: set[str]

    @property
    def principal(self) -> Principal:
        """The connected principal."""
        ...

    def push_inbox(self, event: Event) -> None:
        """Send an event of the inbox."""
        ...


class Inbox:
    """The inbox of a connection, as a separate reader."""

    __slots__ = ("_connection",)

    def __init__(self, connection: InboxConnection) -> None:
        self._connection = connection

    def push(self, event: Event) -> None:
        """Send the next event."""
        self._connection.push_inbox(event)
        record_seen_thread(self._connection, event.thread_id)

    async def drain(self) -> None:
        """Return when there is room for another page."""
        await self._connection.drain()

    def on_hidden(self, subscription: Subscription, /) -> None:
        """Pass on the end of the subscription; an inbox never ends."""
        self._connection.on_hidden(subscription)

    def on_activity(self, activity: Activity, /) -> None:
        """Do nothing: only people who have the thread open are told who is answering."""

    def on_change(self, change: PersonalChange, /) -> None:
        """Send what to read again."""
        self._connection.on_change(change)

    def on_access_change(self, thread_id: str, level: AccessLevel, /) -> None:
        """Send a person their new access level in a thread."""
        connection = self._connection
        if roles.is_person(connection.principal) and (
            level > AccessLevel.NONE or thread_id in connection.seen_threads
        ):
            connection.on_access_change(thread_id, level)


def record_seen_thread(connection: InboxConnection, thread_id: str) -> None:
    """Record that a person got an event of a thread; not for agents, whose connections can last for years."""
    if roles.is_person(connection.principal):
        connection.seen_threads.add(thread_id)


class OperationConnection(InboxConnection, Waiter, Protocol):
    """The interface of a connection for its operations."""

    ctx: Services
    subscriptions: Subscriptions
    waits: ConnectionWaits
    open_subscriptions: dict[str | None, Subscription]
    waiting: set[str]
    activities: dict[str, Activity]
    closed: bool
    locale: str
    subscribing: asyncio.Lock

    def unsubscribe(self, thread_id: str | None) -> int | None:
        """End a subscription, and return the number of its last event; None if there is none."""
        ...


async def _run_shared(handler: Handler, _connection: OperationConnection, call: OperationCall) -> str:
    return (await handler(call)).text


async def _create(connection: OperationConnection, call: OperationCall) -> str:
    change = await create.create_request(call.ctx, call.principal, call.body, key=call.key)
    record = change.record
    if call.args["wait"] and not record.settled and not connection.closed:
        if change.outcome is not Outcome.APPLIED:
            # The row is older than this call: it may settle between that read and this wait.
            return await _watch_request(connection, record.id) or record.wire
        connection.waits.add(record.id, connection)
        connection.waiting.add(record.id)
    return record.wire


async def _list(connection: OperationConnection, call: OperationCall) -> str:
    records, cursor = await requests.page(call)
    for record in records:
        record_seen_thread(connection, record.thread_id)
    return requests.page_text(call, records, cursor)


async def _wait(connection: OperationConnection, call: OperationCall) -> str:
    settled_texts, unknown_ids, size = list[str](), list[str](), 0
    for number, request_id in enumerate(dict.fromkeys(call.args["request_ids"]), 1):
        try:
            change = await _watch_request(connection, request_id)
        except NotFound:
            unknown_ids.append(request_id)
        else:
            size += len(change or "")
            if change is not None and size > MAX_REPLY:
                # The rest is sent like later outcomes, as fast as the peer reads.
                await connection.drain()
                connection.on_settled(request_id, change)
            elif change is not None:
                settled_texts.append(change)
        if number % YIELD_EVERY == 0:
            await asyncio.sleep(0)  # point reads do not suspend; others want the loop as well
    return f'{{"settled":[{",".join(settled_texts)}],"unknown":{json.dumps(unknown_ids)}}}'


async def _unwait(connection: OperationConnection, call: OperationCall) -> str:
    ids: list[str] = call.args["request_ids"]
    connection.waits.drop(ids, connection)
    connection.waiting.difference_update(ids)
    # Nobody waits any longer for outcomes that are still in transit.
    await undelivered.requeue_unacknowledged(connection.ctx, connection.principal, ids)
    return "{}"


async def _watch_request(connection: OperationConnection, request_id: str) -> str | None:
    record = await connection.waits.wait_for(request_id, connection)
    if record.settled:
        return record.wire
    if connection.closed:
        connection.waits.drop((request_id,), connection)
    else:
        connection.waiting.add(request_id)
    return None


async def _subscribe(connection: OperationConnection, call: OperationCall) -> str:
    thread_id = _topic(call)
    reader = Inbox(connection) if thread_id is None else connection
    async with connection.subscribing:  # first come, first served: beginnings and ends keep their order
        notifications = connection.unsubscribe(thread_id)
        subscription = await connection.subscriptions.open(
            connection.principal,
            reader,
            thread_id=thread_id,
            after=call.args["cursor"],
            readonly=call.args["readonly"],
        )
        if connection.closed:
            subscription.close()
        else:
            connection.open_subscriptions[thread_id] = subscription
    subscription_state = {
        "cursor": subscription.cursor,
        "level": subscription.level and subscription.level.wire_name,
    }
    if notifications is not None:
        subscription.rewind(
            notifications
        )  # for the reader of the earlier subscription, which may lack later events
    return json.dumps({name: part for name, part in subscription_state.items() if part is not None})


async def _mark_answering(connection: OperationConnection, call: OperationCall) -> str:
    """Report that a person is answering, until their connection ends."""
    request_id = call.args["request_id"]
    activity = await answering.mark_answering(call.ctx, call.principal, request_id, call.body)
    connection.activities.pop(request_id, None)
    if activity is not None and activity.active:
        connection.activities[request_id] = activity
    return "{}"


async def _unsubscribe(connection: OperationConnection, call: OperationCall) -> str:
    async with connection.subscribing:
        connection.unsubscribe(_topic(call))
    return "{}"


def _topic(call: OperationCall) -> str | None:
    """Return the thread of a subscription, None for the inbox."""
    thread_id = call.args["thread_id"]
    if call.args["inbox"] and thread_id is not None:
        raise Faults([fault("thread_id", "contradiction.subscription")])
    if call.args["inbox"]:
        return None
    if thread_id is None:
        raise Faults([fault("thread_id", "missing_required")])
    return thread_id


def _ping(_connection: OperationConnection, _frame: Frame) -> str:
    return "{}"


_SOCKET_OPERATIONS: Mapping[str, Callable[[OperationConnection, OperationCall], Awaitable[str]]] = {
    "create_request": _create,
    "list_requests": _list,
    "wait": _wait,
    "unwait": _unwait,
    "subscribe": _subscribe,
    "unsubscribe": _unsubscribe,
    "mark_answering": _mark_answering,
}


async def _run(
    operation: Operation,
    handler: Callable[[OperationConnection, OperationCall], Awaitable[str]],
    connection: OperationConnection,
    frame: Frame,
) -> str:
    args = from_frame(operation, frame, connection.ctx.limits)
    trace, caller = read_trace(frame.get(HEADER)), connection.principal
    if trace != caller.trace:
        caller = replace(caller, trace=trace)
    call = OperationCall(
        connection.ctx, caller, args, frame.get("body", {}), text(frame, "key"), connection.locale
    )
    return await handler(connection, call)


INLINE: Mapping[str, Callable[[OperationConnection, Frame], str]] = MappingProxyType({"ping": _ping})
"""Operations that finish immediately."""

_OVER_WEBSOCKET = {
    name: item for name, item in TABLE.items() if "websocket" in item.transports and name not in INLINE
}
OPERATIONS: Mapping[str, Callable[[OperationConnection, Frame], Awaitable[str]]] = MappingProxyType(
    {
        name: partial(_run, operation, _SOCKET_OPERATIONS.get(name) or partial(_run_shared, HANDLERS[name]))
        for name, operation in _OVER_WEBSOCKET.items()
    }
)
"""Operations that may wait for the store: each takes a frame and returns the text of its `ok`."""

LARGE = frozenset(name for name, operation in _OVER_WEBSOCKET.items() if operation.large)
"""Operations with replies of megabytes. A connection runs one at a time, and none while a reply is in transit."""

PATIENT = frozenset({"pull_resumes"})
"""Operations that may wait for something that then belongs to the caller."""

_MEMBERS: Mapping[str, frozenset[str]] = {
    name: frozenset(
        (
            *COMMON_MEMBERS,
            *operation.path_parameters,
            *(parameter.name for parameter in operation.parameters if "websocket" in parameter.transports),
            *(("body",) if operation.body else ()),
        )
    )
    for name, operation in TABLE.items()
}


def operation_name(frame: Frame) -> str:
    """Return the operation of a frame.

    Raises `Gone` for a name of an earlier version, and `Faults` for an unknown one and for unknown members: a
    misspelt filter must not return everything.
    """
    name = frame.get("op")
    if not isinstance(name, str) or (name not in OPERATIONS and name not in INLINE):
        if isinstance(name, str) and name in RENAMED:
            raise Gone(f"The operation {name} is now called {RENAMED[name]}.", code="renamed")
        raise Faults([fault("op", "unknown_value", allowed=", ".join([*OPERATIONS, *INLINE]))])
    if unknown_members := frame.keys() - _MEMBERS[name]:
        raise Faults([fault(member, "unknown_field.key") for member in sorted(unknown_members)])
    return name
