"""Keeps a session connected: one task that connects, reads, and connects again."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Coroutine
from contextlib import suppress
from copy import copy
from typing import Any

from askback.client.channel import MAX_FRAME, Channel, Connector, Lost
from askback.client.ownership import Ownership
from askback.client.session import FOREVER, Listener, Rest, Session
from askback.errors import AskbackError, ConnectionLost, Refused, TooLarge

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 5.0
GRACE_S = 1.0
"""How long closing waits for what must still be said, such as a request taken back."""
RECEIPT_S = 5.0
"""How long closing waits until the server knows which outcomes have arrived."""

_log = logging.getLogger(__name__)


class Ticket(asyncio.Future[Any]):
    """A call or a wait, as a future: the only thing that a pending wait costs."""

    __slots__ = ("request_id", "withdraw")

    def __init__(self, *, withdraw: bool = False) -> None:
        super().__init__()
        self.request_id: str | None = None
        self.withdraw = withdraw


class Link:
    """One client's connection to one server, through however many channels it takes."""

    def __init__(self, connector: Connector) -> None:
        self._ownership = Ownership()
        self._connector = connector
        self._session = Session()
        self._channel: Channel | None = None
        self._runner: asyncio.Task[None] | None = None
        self._background: set[asyncio.Task[Any]] = set()
        self._heard = asyncio.Event()
        self._leaving: set[asyncio.Task[Any]] = set()
        self._down_since = 0.0
        self._cause = "not connected yet"
        self._closed = False

    async def call(self, op: str, *, retry_for: float) -> Any:
        """Run an operation; raises `Refused`, or `ConnectionLost` after `retry_for` seconds without a server.

        A server that cannot store anything is asked again for as long, and then raises `Unavailable`.
        """
        ticket = Ticket()
        await self._post(op, ticket, retry_for=retry_for)
        return await ticket

    async def ask(self, op: str, *, withdraw: bool, retry_for: float = FOREVER) -> Ticket:
        """Send a `create` with `wait`; the ticket is resolved with the settled request.

        It fails when the server has not taken the question after `retry_for` seconds without a connection.
        """
        ticket = Ticket(withdraw=withdraw)
        try:
            await self._post(op, ticket, retry_for=retry_for, watch=True)
        except asyncio.CancelledError:
            ticket.cancel()
            raise
        return ticket

    async def wait(self, request_id: str) -> Ticket:
        """Watch a request; the ticket is resolved with it once it is settled."""
        self._start()
        ticket = Ticket()
        await self._transmit(self._session.wait(request_id, ticket))
        return ticket

    def abandon(self, ticket: Ticket) -> bool:
        """Forget a wait; False when somebody else in this client still waits for the same request."""
        if (frame := self._session.abandon(ticket)) is not None and not self._closed:
            self.background(self._transmit(frame))
        return not self._session.awaits(ticket.request_id)

    async def listen(self, thread_id: str | None, listener: Listener) -> None:
        """Deliver events to `listener`."""
        self._start()
        while self._leaving:  # or the server would hear of the end of the last one after this beginning
            await asyncio.wait(self._leaving)
        await self._transmit(self._session.listen(thread_id, listener))

    def leave(self, thread_id: str | None, listener: Listener) -> None:
        """Stop delivering events to `listener`."""
        if (frame := self._session.leave(thread_id, listener)) is not None:
            task = self.background(self._transmit(frame))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)

    def background(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run something to its end, also when whoever wanted it is cancelled; closing waits for it a moment."""
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background_ended)
        return task

    def check_process(self) -> None:
        """Raise `ForkedClient` in another process than that which made the client."""
        self._ownership.check()

    async def close(self) -> None:
        """Say what must still be said, close, and fail what is open. After a fork all of it is the parent's."""
        if not self._ownership.here:
            return
        await self._confirm_outcomes()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await self._take_leave()
        self._closed = True
        for task in [*self._background, self._runner]:
            if task is not None:
                task.cancel()
        if self._runner is not None:
            await asyncio.wait({self._runner})
        self._session.fail_all(lambda: ConnectionLost("the client was closed"))
        await self._connector.close()

    # --- inside ------------------------------------------------------------------------------

    async def _confirm_outcomes(self) -> None:
        """Wait until the server knows which outcomes have arrived, or it would deliver them again as resumes.

        It asks by a ping behind each outcome. Whatever follows on the same connection is answered behind that ping, so
        one call and its reply are enough.
        """
        if self._session.was_told and self._channel is not None:
            with suppress(AskbackError, TimeoutError):
                async with asyncio.timeout(RECEIPT_S):
                    await self.call('"op":"ping"', retry_for=0.0)

    async def _take_leave(self) -> None:
        """Hear what became of questions whose asker has gone, and finish taking them back."""
        while self._session.owes():
            self._heard.clear()
            await self._heard.wait()
        while self._background:
            await asyncio.wait(self._background)

    async def _post(self, op: str, ticket: Ticket, *, retry_for: float, watch: bool = False) -> None:
        self._start()
        if len(op) > MAX_FRAME // 4 and len(op.encode()) > MAX_FRAME - 32:
            raise TooLarge(f"The call is larger than {MAX_FRAME} bytes.")
        frame = self._session.call(
            op,
            ticket,
            retry_for=retry_for,
            now=asyncio.get_running_loop().time(),
            watch=watch,
        )
        await self._transmit(frame)

    def _start(self) -> None:
        self.check_process()
        if self._closed:
            raise ConnectionLost("the client is closed")
        if self._runner is None or self._runner.done():
            loop = asyncio.get_running_loop()
            self._down_since = loop.time()
            self._runner = loop.create_task(self._run())

    async def _transmit(self, frame: str | None) -> None:
        # Without a channel, or when it breaks: the session has the call, and the next channel gets it.
        # When the server closed it for good, the reader hears that as well, and fails every call.
        if frame is not None and self._channel is not None:
            with suppress(Lost, Refused):
                await self._channel.send(frame)

    async def _run(self) -> None:
        try:
            await self._keep_connected()
        except asyncio.CancelledError:
            raise
        except AskbackError as error:
            failed = error  # each ticket gets a copy: a traceback belongs to one task
            self._session.fail_all(lambda: copy(failed))
        except Exception as error:  # noqa: BLE001 - whoever waits must be told, whatever it was
            _log.exception("the connection to %s failed for good", self._connector.where)
            text = f"{self._connector.where}: {error}"
            self._session.fail_all(lambda: ConnectionLost(text))

    async def _keep_connected(self) -> None:
        pause = FIRST_PAUSE_S
        while True:
            served = False
            try:
                channel = await self._connector.connect()
                served = await self._serve(channel)
            except Lost as error:
                self._cause = str(error) or type(error).__name__
            pause = FIRST_PAUSE_S if served else min(pause * 2, LONGEST_PAUSE_S)
            await self._pause(pause * random.uniform(0.5, 1.0))  # noqa: S311 - jitter, not a secret

    async def _serve(self, channel: Channel) -> bool:
        """Use a channel until it is lost; True when anything came through it."""
        served = False
        try:
            frames = self._session.connected()
            self._channel = channel
            for frame in frames:
                await channel.send(frame)
            while True:
                await self._received(await channel.receive())
                served = True
        except Lost as error:
            self._cause = str(error)
            return served
        finally:
            self._channel = None
            self._down_since = asyncio.get_running_loop().time()
            await asyncio.shield(channel.close())

    async def _received(self, text: str) -> None:
        happened = self._session.received(text, now=asyncio.get_running_loop().time())
        for frame in happened.frames:
            await self._transmit(frame)
        if happened.rest is not None:
            self.background(self._transmit_rested(happened.rest))
        for request_id in happened.orphans:
            self.background(self.withdraw(request_id))
        self._heard.set()
        if happened.reset:
            raise Lost("the server lost track of this client")

    async def withdraw(self, request_id: str) -> None:
        """Take a request back whose asker has gone; whoever settled it first wins."""
        op = f'"op":"cancel","request_id":"{request_id}","body":{{"reason":"agent_aborted"}}'
        with suppress(AskbackError):
            await self.call(op, retry_for=GRACE_S)

    async def _transmit_rested(self, rest: Rest) -> None:
        # Longer than asked for, by chance: all clients of a server were refused at the same moment.
        await asyncio.sleep(rest.seconds * random.uniform(1.0, 1.5))  # noqa: S311 - jitter, not a secret
        await self._transmit(self._session.rested(rest.number))

    async def _pause(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while (left := until - loop.time()) > 0:
            await asyncio.sleep(min(left, self._session.patience(loop.time(), self._down_since)))
            for ticket in self._session.overdue(loop.time(), self._down_since):
                if not ticket.done():
                    ticket.set_exception(
                        ConnectionLost(
                            f"No askback server answers at {self._connector.where} ({self._cause}). "
                            "Start one with `askback serve`."
                        )
                    )

    def _background_ended(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("work in the background failed: %r", error)
