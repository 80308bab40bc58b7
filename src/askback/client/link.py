"""Keep a session connected: one task that connects, reads and reconnects."""

from __future__ import annotations

import asyncio
import logging
import os
import random
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from copy import copy
from typing import Any, TypeVar

from askback.client.refusals import refused_reply
from askback.client.session import FOREVER, RetryAfter, Session
from askback.client.subscriptions import Listener
from askback.client.transport import MAX_FRAME, BytesReply, FrameStream, Reply, Transport, TransportError
from askback.domain.request import InputRequest
from askback.domain.secrets.secret import Secret
from askback.errors import (
    AskbackError,
    Conflict,
    ConnectionLost,
    ForkedClient,
    Refused,
    TooLarge,
    Unavailable,
)

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 5.0
GRACE_S = 1.0
"""Seconds that closing waits for pending work, such as cancelling a request."""
RECEIPT_S = 5.0
"""Seconds that closing waits until the server knows which outcomes have arrived."""

_log = logging.getLogger(__name__)


R = TypeVar("R", Reply, BytesReply)


class ProcessOwner:
    """The process that created a client: neither a thread nor a connection survives `fork()`."""

    __slots__ = ("_process",)

    def __init__(self) -> None:
        self._process = os.getpid()

    @property
    def is_current(self) -> bool:
        """Whether this is the process that made it."""
        return os.getpid() == self._process

    def check(self) -> None:
        """Raise `ForkedClient` in any other process."""
        if not self.is_current:
            raise ForkedClient


class CallFuture(asyncio.Future[Any]):
    """A call or a wait, as a future; a pending wait costs nothing else."""

    __slots__ = ("request_id", "withdraw")

    def __init__(self, *, withdraw: bool = False) -> None:
        super().__init__()
        self.request_id: str | None = None
        self.withdraw = withdraw


class Link:
    """One client's connection to one server, over one stream of frames after another."""

    def __init__(self, transport: Transport) -> None:
        self._owner = ProcessOwner()
        self._transport = transport
        self._session = Session()
        self._frames: FrameStream | None = None
        self._runner: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._background: set[asyncio.Task[Any]] = set()
        self._received_frame = asyncio.Event()
        self._unsubscribe_tasks: set[asyncio.Task[Any]] = set()
        self._down_since = 0.0
        self._is_lost = False
        self._cause = "not connected yet"
        self._closed = False

    async def call(self, op: str, *, retry_for: float) -> Any:
        """Run an operation; raises `Refused`, or `ConnectionLost` after `retry_for` seconds without a server.

        A call that the server cannot store is sent again for the same time, and then raises `Unavailable`.
        """
        future = CallFuture()
        await self._send(op, future, retry_for=retry_for)
        return await future

    async def ask(self, op: str, *, withdraw: bool, retry_for: float = FOREVER) -> CallFuture:
        """Send a `create` with `wait`; the future is resolved with the settled request.

        It fails when the server has not taken the question after `retry_for` seconds without a connection.
        """
        future = CallFuture(withdraw=withdraw)
        try:
            await self._send(op, future, retry_for=retry_for, watch=True)
        except asyncio.CancelledError:
            future.cancel()
            raise
        return future

    async def wait(self, request_id: str) -> CallFuture:
        """Watch a request; the future is resolved with it once it is settled."""
        self._start()
        future = CallFuture()
        await self._transmit(self._session.wait(request_id, future))
        return future

    def abandon(self, future: CallFuture) -> bool:
        """End a wait; False when another caller of this client still waits for the same request."""
        if (frame := self._session.abandon(future)) is not None and not self._closed:
            self.background(self._transmit(frame))
        return not self._session.awaits(future.request_id)

    async def listen(self, thread_id: str | None, listener: Listener) -> None:
        """Deliver events to `listener`."""
        self._start()
        while (
            self._unsubscribe_tasks
        ):  # or the server would receive the end of the last one after this beginning
            await asyncio.wait(self._unsubscribe_tasks)
        await self._transmit(self._session.subscriptions.listen(thread_id, listener))

    def leave(self, thread_id: str | None, listener: Listener) -> None:
        """Stop delivering events to `listener`."""
        if (frame := self._session.subscriptions.leave(thread_id, listener)) is not None:
            task = self.background(self._transmit(frame))
            self._unsubscribe_tasks.add(task)
            task.add_done_callback(self._unsubscribe_tasks.discard)

    def background(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run work to its end, also when its caller is cancelled; closing waits for it briefly."""
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._on_background_done)
        return task

    async def request(
        self, method: str, path: str, body: Secret | None = None, *, key: str | None = None, retry_for: float
    ) -> Secret:
        """Send one HTTP request, and return the body of the reply; raises as `call` does.

        It is sent again for `retry_for` seconds while no server answers or the server cannot store it.
        """
        reply = await self._repeat(
            lambda: self._transport.request(method, path, body, key=key), retry_for=retry_for
        )
        return reply.body

    async def _repeat(self, send: Callable[[], Awaitable[R]], *, retry_for: float) -> R:
        """Send a request until it is accepted; see `request`."""
        self._owner.check()
        loop = asyncio.get_running_loop()
        deadline, pause = loop.time() + retry_for, FIRST_PAUSE_S
        while True:
            failure: AskbackError
            seconds = pause
            try:
                reply = await send()
            except TransportError as error:
                failure = self._no_answer(str(error))
            else:
                if 200 <= reply.status < 300:
                    return reply
                failure = refused_reply(reply.status, _text(reply.body), retry_after=reply.retry_after)
                if not isinstance(failure, Unavailable):
                    raise failure
                seconds = max(pause, failure.retry_after or 0.0)
            if loop.time() + seconds > deadline:
                raise failure
            await asyncio.sleep(seconds * random.uniform(1.0, 1.5))  # noqa: S311 - jitter, not a secret
            pause = min(pause * 2, LONGEST_PAUSE_S)

    async def download(self, path: str, *, retry_for: float) -> bytes:
        """Return the bytes at a URL; raises as `request` does, and is repeated as that is."""
        return (await self._repeat(lambda: self._transport.exchange("GET", path), retry_for=retry_for)).body

    async def upload(self, path: str, content: bytes) -> bytes:
        """Post bytes once, and return the body of the reply; raises as `request` does."""
        exchange = self._repeat(lambda: self._transport.exchange("POST", path, content), retry_for=0.0)
        return (await exchange).body

    async def close(self) -> None:
        """Finish pending work, close, and fail open calls, also when the caller is cancelled meanwhile.

        After a fork do nothing: the parent owns the connection.
        """
        if self._owner.is_current:
            self._closing = asyncio.create_task(self._close_tasks())
            await asyncio.shield(self._closing)

    async def _close_tasks(self) -> None:
        await self._confirm_outcomes()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await self._finish()
        self._closed = True
        for task in [*self._background, self._runner]:
            if task is not None:
                task.cancel()
        if self._runner is not None:
            await asyncio.wait({self._runner})
        self._session.fail_all(lambda: ConnectionLost("the client was closed"))
        await self._transport.close()

    # --- inside ------------------------------------------------------------------------------

    async def _confirm_outcomes(self) -> None:
        """Wait until the server knows which outcomes have arrived, or it would deliver them again as resumes.

        A ping follows each outcome, and a later call on the same connection is answered after that ping, so
        one call and its reply are enough.
        """
        if self._session.outcome_received and self._frames is not None:
            with suppress(AskbackError, TimeoutError):
                async with asyncio.timeout(RECEIPT_S):
                    await self.call('"op":"ping"', retry_for=0.0)

    async def _finish(self) -> None:
        """Cancel the requests whose callers are gone."""
        while self._session.has_pending_withdrawals():
            self._received_frame.clear()
            await self._received_frame.wait()
        while self._background:
            await asyncio.wait(self._background)

    async def _send(self, op: str, future: CallFuture, *, retry_for: float, watch: bool = False) -> None:
        self._start()
        if len(op) > MAX_FRAME // 4 and len(op.encode()) > MAX_FRAME - 32:
            raise TooLarge(f"The call is larger than {MAX_FRAME} bytes.")
        frame = self._session.call(
            op,
            future,
            retry_for=retry_for,
            now=asyncio.get_running_loop().time(),
            watch=watch,
        )
        await self._transmit(frame)

    def _start(self) -> None:
        self._owner.check()
        if self._closed:
            raise ConnectionLost("the client is closed")
        if self._runner is None or self._runner.done():
            loop = asyncio.get_running_loop()
            self._down_since = loop.time()
            self._runner = loop.create_task(self._run())

    async def _transmit(self, frame: str | None) -> None:
        # If there is no connection, or it breaks, the session still has the call and sends it on the next connection.
        # If the server closed the connection permanently, the reader notices it too, and fails every call.
        if frame is not None and self._frames is not None:
            with suppress(TransportError, Refused):
                await self._frames.send(frame)

    async def _run(self) -> None:
        try:
            await self._keep_connected()
        except asyncio.CancelledError:
            raise
        except AskbackError as error:
            failure = error  # each future gets a copy: a traceback belongs to one task
            self._session.fail_all(lambda: copy(failure))
        except Exception as error:  # noqa: BLE001 - every pending call fails with it
            _log.exception("the connection to %s failed for good", self._transport.address)
            text = f"{self._transport.address}: {error}"
            self._session.fail_all(lambda: ConnectionLost(text))

    async def _keep_connected(self) -> None:
        pause = FIRST_PAUSE_S
        while True:
            served = False
            try:
                stream = await self._transport.frames()
                served = await self._serve(stream)
            except TransportError as error:
                self._cause = str(error) or type(error).__name__
            if served:
                self._is_lost = True
                text = "The connection to %s is lost. Trying again; start the server if it was stopped."
                _log.info(text, self._transport.address)
            pause = FIRST_PAUSE_S if served else min(pause * 2, LONGEST_PAUSE_S)
            await self._pause(pause * random.uniform(0.5, 1.0))  # noqa: S311 - jitter, not a secret

    async def _serve(self, stream: FrameStream) -> bool:
        """Use a connection until it fails; True when anything was received."""
        served = abandoned = False
        try:
            frames = self._session.reconnect_frames()
            self._frames = stream
            for frame in frames:
                await stream.send(frame)
            while True:
                await self._handle_text(await stream.receive())
                served = True
                if self._is_lost:
                    self._is_lost = False
                    _log.info("Connected to %s again.", self._transport.address)
        except GeneratorExit:  # the client was dropped without being closed: there may be no event loop
            abandoned = True
            raise
        except TransportError as error:
            self._cause = str(error)
            return served
        finally:
            self._frames = None
            if not abandoned:
                self._down_since = asyncio.get_running_loop().time()
                await asyncio.shield(stream.close())

    async def _handle_text(self, text: str) -> None:
        effects = self._session.handle(text, now=asyncio.get_running_loop().time())
        for frame in effects.frames:
            await self._transmit(frame)
        if effects.retry is not None:
            self.background(self._transmit_later(effects.retry))
        for request_id in effects.orphans:
            self.background(self.withdraw(request_id))
        self._received_frame.set()
        if effects.reset:
            raise TransportError("the server lost track of this client")

    async def try_withdraw(self, request: str | Awaitable[InputRequest]) -> bool:
        """Withdraw a request; True if that takes longer than a moment: then it continues in the background."""
        task = self.background(self.withdraw(request))
        await asyncio.wait({task}, timeout=GRACE_S)
        return not task.done() or task.cancelled() or task.result()

    async def withdraw(self, request: str | Awaitable[InputRequest]) -> bool:
        """Cancel a request whose caller is gone, however long the server is away; False if it has ended before.

        `request` is its id, or its creation.
        """
        try:
            request_id = request if isinstance(request, str) else (await request).id
        except AskbackError:
            return False  # it was not created
        op = f'"op":"cancel_request","request_id":"{request_id}","body":{{"reason":"agent_aborted"}}'
        try:
            await self.call(op, retry_for=FOREVER)
        except Conflict:
            return False
        except AskbackError as error:
            _log.warning("%s could not be withdrawn: %s", request_id, error)
        return True

    async def _transmit_later(self, retry: RetryAfter) -> None:
        # A random time longer: all clients of a server were refused at the same moment.
        await asyncio.sleep(retry.seconds * random.uniform(1.0, 1.5))  # noqa: S311 - jitter, not a secret
        await self._transmit(self._session.retry(retry.number))

    async def _pause(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while (remaining_s := deadline - loop.time()) > 0:
            await asyncio.sleep(min(remaining_s, self._session.next_timeout(loop.time(), self._down_since)))
            for future in self._session.take_overdue(loop.time(), self._down_since):
                if not future.done():
                    future.set_exception(self._no_answer(self._cause))

    def _no_answer(self, cause: str) -> ConnectionLost:
        return ConnectionLost(
            f"No askback server answers at {self._transport.address} ({cause}). Start one with `askback serve`."
        )

    def _on_background_done(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("work in the background failed: %r", error)


def _text(body: Secret | bytes) -> str:
    return body.reveal() if isinstance(body, Secret) else body.decode("utf-8", "replace")
