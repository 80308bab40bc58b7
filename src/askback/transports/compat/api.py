"""The operations of the server for one caller of a projection: the handlers that REST and the WebSocket use."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from askback.domain.access import AccessLevel
from askback.domain.events import Event
from askback.domain.faults import Faults, PathTable
from askback.domain.lifecycle import Status
from askback.domain.limits import Limits
from askback.domain.values import frozen
from askback.errors import NotFound, Unavailable
from askback.ports.agents import Principal
from askback.ports.bus import Activity, PersonalChange, request_topic, tenant_topic
from askback.ports.systems import Json, Problem, Watch
from askback.service.access import sharing
from askback.service.context import Services
from askback.service.delivery.subscriptions import Subscription, Subscriptions
from askback.service.delivery.waits import ConnectionWaits
from askback.service.threads.read import visible_events
from askback.transports.call import OperationCall
from askback.transports.handlers import HANDLERS
from askback.transports.problems import problem
from askback.wire.operation import Parameter
from askback.wire.operations import OPERATIONS

MAX_PAGE = 200
"""Requests of one page."""
MAX_BEHIND = 2_000
"""The number of events that a reader may lag behind before it has to start over."""


@frozen(slots=True)
class Gateway:
    """The shared state of all projections at one server."""

    ctx: Services
    subscriptions: Subscriptions
    waits: ConnectionWaits


class CallerApi:
    """`ports.systems.Api`."""

    def __init__(self, gateway: Gateway, principal: Principal, locale: str) -> None:
        self._gateway = gateway
        self.principal = principal
        self.locale = locale

    @property
    def ctx(self) -> Services:
        """The services."""
        return self._gateway.ctx

    @property
    def limits(self) -> Limits:
        """The limits of input."""
        return self.ctx.limits

    @property
    def principal_id(self) -> str:
        """The id of the caller."""
        return self.principal.id

    def confirm_arrival(self, request_id: str) -> None:
        """Record that the outcome of a request has arrived."""
        self._gateway.waits.on_arrival(request_id, self.principal)

    async def call(
        self,
        operation: str,
        body: object = None,
        *,
        key: str | None = None,
        paths: PathTable = (),
        **args: object,
    ) -> Any:
        """Run an operation with the role, access and checks of the caller; see `ports.systems.Api`."""
        row = OPERATIONS[operation]
        defaults = {parameter.name: _default_argument(parameter) for parameter in row.parameters}
        if unknown_arguments := args.keys() - defaults.keys() - set(row.path_parameters):
            raise TypeError(f"{operation} has no parameter {', '.join(sorted(unknown_arguments))}")
        call = OperationCall(self.ctx, self.principal, {**defaults, **args}, body, key, self.locale)
        try:
            return json.loads((await HANDLERS[operation](call)).text)
        except Faults as error:
            raise error.with_paths(paths) from None

    async def requests(self, **filters: object) -> list[Json]:
        """Return all requests that the caller may see; see `ports.systems.Api`."""
        requests, cursor_arguments = list[Json](), {}
        while True:
            page = await self.call("list_requests", limit=MAX_PAGE, **filters, **cursor_arguments)
            requests += page["requests"]
            if page["next_cursor"] is None:
                return requests[::-1]
            cursor_arguments = {"cursor": page["next_cursor"]}

    async def open_requests(self, **filters: object) -> list[Json]:
        """Return pending requests; see `ports.systems.Api`."""
        pending = await self.requests(status=[Status.PENDING], **filters)
        return [item for item in pending if not item.get("queued_behind")]

    async def outcome(self, request_id: str) -> Json:
        """Wait for the end of a request; see `ports.systems.Api`."""
        waiter, waits = _Waiter(self.principal), self._gateway.waits
        unsubscribe = self.ctx.bus.listen(request_topic(self.principal.tenant, request_id), waiter.on_event)
        try:
            record = await waits.wait_for(request_id, waiter)
            is_over = record.settled or record.state.members.get("detached")
            wire = record.wire if is_over else await waiter.outcome
            return json.loads(wire) if wire else await self.call("get_request", request_id=request_id)
        finally:
            unsubscribe()
            waits.drop((request_id,), waiter)

    @asynccontextmanager
    async def watch(
        self, thread_id: str | None, *, after: int | None = None, readonly: bool = False
    ) -> AsyncGenerator[Watch]:
        """Subscribe; see `ports.systems.Api`."""
        reader = EventQueue(self.principal, inbox=thread_id is None)
        reader.subscription = await self._gateway.subscriptions.open(
            self.principal, reader, thread_id=thread_id, after=after, readonly=readonly
        )
        try:
            yield reader
        finally:
            reader.subscription.close()

    async def history(self, thread_id: str) -> list[Json]:
        """Return the events of a thread so far; see `ports.systems.Api`."""
        return [event.parse() async for event in visible_events(self.ctx, self.principal, thread_id)]

    async def is_undelivered(self, request_id: str) -> bool:
        """Return whether a resume is held for the outcome; see `ports.systems.Api`."""
        resume = await self.ctx.store.resume_of(self.principal.tenant, request_id)
        return resume is not None and resume.resume.held and resume.attempt == 0

    @asynccontextmanager
    async def watch_messages(self) -> AsyncGenerator[AsyncIterator[Json]]:
        """Subscribe; see `ports.systems.Api`."""
        reader = EventQueue(self.principal, inbox=False)

        def on_event(event: Event) -> None:
            granted_level = sharing.level(self.principal, event.access, event.thread_id)
            if event.type.startswith(("message.", "run.")) and granted_level >= AccessLevel.VIEW:
                reader.push(event)

        unsubscribe = self.ctx.bus.listen(tenant_topic(self.principal.tenant), on_event)
        try:
            yield aiter(reader)
        finally:
            unsubscribe()

    def explain(self, error: Exception) -> Problem:
        """Return the refusal of the native API."""
        return Problem(*problem(error, locale=self.locale))


class EventQueue:
    """The events of one subscription, in order, for one reader."""

    subscription: Subscription

    def __init__(self, principal: Principal, *, inbox: bool) -> None:
        self._principal = principal
        self._inbox = inbox
        self._events: deque[Event] = deque()
        self._changed = asyncio.Event()
        self._read = asyncio.Event()
        self._is_ended = self._is_behind = False

    @property
    def cursor(self) -> int:
        """The number of the last event so far."""
        return self.subscription.cursor

    def push(self, event: Event) -> None:
        """Take the next event."""
        self._is_behind = self._is_behind or len(self._events) >= MAX_BEHIND
        self._events.append(event)
        self._changed.set()

    async def drain(self) -> None:
        """Wait until every event so far was read."""
        while self._events:
            self._read.clear()
            await self._read.wait()

    def on_hidden(self, _subscription: Subscription, /) -> None:
        """End, because the thread is now hidden."""
        self._is_ended = True
        self._changed.set()

    def on_activity(self, _activity: Activity, /) -> None:
        """Do nothing: no other system shows who is answering."""

    def on_change(self, _change: PersonalChange, /) -> None:
        """Do nothing: no other system has this."""

    def on_access_change(self, _thread_id: str, _level: AccessLevel, /) -> None:
        """Do nothing: every operation checks the access."""

    async def set_readonly(self, *, readonly: bool) -> None:
        """Set whether the caller counts as somebody who can answer."""
        await self.subscription.set_readonly(readonly=readonly)

    async def __aiter__(self) -> AsyncIterator[Json]:
        """Yield the events; raises `Unavailable` for a reader that is too far behind."""
        while True:
            while self._events:
                if self._is_behind:
                    raise Unavailable("This reader is too far behind. Connect again.")
                yield self._json(self._events.popleft())
            self._read.set()
            if self._is_ended:
                return
            self._changed.clear()
            await self._changed.wait()

    def _json(self, event: Event) -> Json:
        content = event.parse()
        if self._inbox:
            content["level"] = sharing.level(self._principal, event.access, event.thread_id).wire_name
        return content


class _Waiter:
    """`service.delivery.waits.Waiter` for one request."""

    def __init__(self, principal: Principal) -> None:
        self.principal = principal
        self.outcome: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def on_settled(self, request_id: str, wire: str) -> None:  # noqa: ARG002 - there is one
        """Take the outcome."""
        if not self.outcome.done():
            self.outcome.set_result(wire)

    def on_event(self, event: Event) -> None:
        """End the wait, without the outcome, once the request is detached."""
        if event.state is not None and event.state.members.get("detached"):
            self.on_settled(event.request_id or "", "")

    def on_request_hidden(self) -> None:
        """End the wait: the request is hidden from its requester now."""
        if not self.outcome.done():
            self.outcome.set_exception(NotFound("You no longer have access to this request."))


def _default_argument(parameter: Parameter) -> object:
    return False if parameter.type == "flag" else parameter.default
