"""Exchange frames over plain HTTP, for networks without WebSockets: REST, long polls and event streams.

The same operations have the same results and errors. A wait is a long poll; more than `POLLS` waits take turns, so
with very many waits an outcome arrives later than over a WebSocket.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Mapping
from typing import Any

import httpx2

from askback.client.refusals import refused_reply
from askback.client.rest import RestCall, has_route, rest_call, step
from askback.client.transport import (
    FrameStream,
    NetworkTransport,
    TransportError,
    connect_error,
    credentials,
    is_encrypted,
    is_loopback,
)
from askback.domain.lifecycle import TERMINAL
from askback.domain.tracing import HEADER
from askback.errors import NotFound, Refused, Unavailable

POLLS = 16
"""The number of concurrent long polls."""

POLL_S = 25
TURN_S = 2
"""The longest poll, in seconds, while other waits are queued."""

STREAM_S = 40.0
"""A stream without even a heartbeat for this many seconds is dead."""

_TERMINAL_STATUSES = frozenset(str(status) for status in TERMINAL)


class HttpTransport(NetworkTransport):
    """Connects to the REST API of one server."""

    async def frames(self) -> FrameStream:
        """Check that the server is there and knows the token."""
        await self._check_server()
        http = httpx2.AsyncClient(
            base_url=self.address,
            headers=credentials(self._token, self._via),
            timeout=httpx2.Timeout(10.0, read=POLL_S + 15.0),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=POLLS),
            trust_env=not is_loopback(self.address),
            verify=is_encrypted(self.address),
        )
        frames = HttpFrames(http)
        try:
            await frames.check()
        except BaseException:
            await frames.close()
            raise
        return frames


class HttpFrames:
    """Answers frames over HTTP as the server would over a WebSocket."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http
        self._incoming: asyncio.Queue[str | None] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._awaited_ids: set[str] = set()
        self._polls: deque[str] = deque()
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._polling = 0
        self._streams: dict[str | None, asyncio.Task[None]] = {}
        self._subscribing = asyncio.Lock()
        self._cause = "closed"

    async def check(self) -> None:
        """Raise the errors that a WebSocket handshake would raise."""
        try:
            await self._get("/v1/session")
        except httpx2.TransportError as error:
            raise connect_error(error) from None
        except Unavailable as error:
            raise TransportError(str(error)) from None

    async def send(self, text: str) -> None:
        """Run the operation of a frame."""
        frame = json.loads(text)
        self._start(self._operate(frame))

    async def receive(self) -> str:
        """Return the next frame."""
        text = await self._incoming.get()
        if text is None:
            raise TransportError(self._cause)
        return text

    async def close(self) -> None:
        """Cancel every request in progress."""
        for task in tuple(self._tasks):
            task.cancel()
        await self._http.aclose()

    # --- operations --------------------------------------------------------------------------

    async def _operate(self, frame: dict[str, Any]) -> None:
        try:
            if frame["op"] == "subscribe":
                async with self._subscribing:  # in the order of the frames
                    await self._subscribe(frame)
                return
            reply = await self._run(frame)
        except Refused as error:
            self._put({"id": frame["id"], "error": _error(error)})
            return
        except httpx2.TransportError:
            raise  # the connection is lost: `_task_done` says so
        except Exception as error:  # noqa: BLE001 - sending it again would fail again: the caller has to know
            self._put({"id": frame["id"], "error": {"code": "not_sent", "message": str(error)}})
            return
        self._put({"id": frame["id"], "ok": reply})
        if (
            frame["op"] == "create_request"
            and frame.get("wait")
            and reply["status"] not in _TERMINAL_STATUSES
        ):
            self._awaited_ids.add(reply["id"])
            self._poll(reply["id"])

    async def _run(self, frame: dict[str, Any]) -> Any:
        if has_route(frame["op"]):
            return await self._send(rest_call(frame))
        if frame["op"] == "ping":
            return {}
        if frame["op"] == "wait":
            return await self._wait(frame["request_ids"])
        if frame["op"] == "unwait":
            return self._unwait(frame["request_ids"])
        async with self._subscribing:
            self._end_stream(frame.get("thread_id"))
        return {}

    async def _wait(self, ids: list[str]) -> dict[str, Any]:
        settled_requests: list[dict[str, Any]] = []
        unknown_ids: list[str] = []
        self._awaited_ids.update(ids)
        for request_id in ids:
            if request_id not in self._awaited_ids:
                continue  # an `unwait` came while the others were read
            try:
                request = await self._get(f"/v1/requests/{step(request_id)}")
            except NotFound:
                unknown_ids.append(request_id)
                self._awaited_ids.discard(request_id)
                continue
            if request["status"] in _TERMINAL_STATUSES:
                settled_requests.append(request)
                self._awaited_ids.discard(request_id)
            else:
                self._poll(request_id)
        return {"settled": settled_requests, "unknown": unknown_ids}

    def _unwait(self, ids: list[str]) -> dict[str, Any]:
        self._awaited_ids.difference_update(ids)
        for request_id in ids:
            if (poll := self._asking.pop(request_id, None)) is not None:
                poll.cancel()
        return {}

    async def _subscribe(self, frame: dict[str, Any]) -> None:
        """Open a stream, and put the reply before its events; without a cursor an earlier stream continues."""
        thread_id: str | None = frame.get("thread_id")
        cursor: int | None = frame.get("cursor")
        starts_without_cursor = cursor is None
        if starts_without_cursor and thread_id is not None:
            cursor = (await self._get(f"/v1/threads/{step(thread_id)}"))["seq"]
        reply = {"id": frame["id"], "ok": {"cursor": cursor}}
        if starts_without_cursor and thread_id in self._streams:
            self._put(reply)
            return
        self._end_stream(thread_id)
        is_open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._streams[thread_id] = self._start(self._stream(thread_id, cursor, reply, is_open))
        await is_open

    def _end_stream(self, thread_id: str | None) -> None:
        if (stream := self._streams.pop(thread_id, None)) is not None:
            stream.cancel()

    # --- waiting and listening ---------------------------------------------------------------

    def _poll(self, request_id: str) -> None:
        self._enqueue(request_id)
        if self._polls and self._polling < POLLS:
            self._polling += 1
            self._start(self._run_polls())

    def _enqueue(self, request_id: str) -> None:
        if (
            request_id in self._awaited_ids
            and request_id not in self._polls
            and request_id not in self._asking
        ):
            self._polls.append(request_id)

    async def _run_polls(self) -> None:
        try:
            while self._polls:
                request_id = self._polls.popleft()
                if request_id in self._awaited_ids:
                    await self._poll_once(request_id)
                    self._enqueue(request_id)
        finally:
            self._polling -= 1

    async def _poll_once(self, request_id: str) -> None:
        """Wait for one request until its turn is over, or until the wait is abandoned."""
        poll = self._asking[request_id] = asyncio.create_task(self._long_poll(request_id))
        try:
            await asyncio.wait({poll})
        finally:
            poll.cancel()
            if self._asking.get(request_id) is poll:
                del self._asking[request_id]
        if not poll.cancelled():
            poll.result()

    async def _long_poll(self, request_id: str) -> None:
        """Wait for one request, and stop waiting when it has ended or is gone.

        A request that has ended is read once more: the second read tells the server that the outcome has arrived.
        """
        path, seconds = f"/v1/requests/{step(request_id)}", TURN_S if self._polls else POLL_S
        try:
            request = await self._get(path, {"wait": seconds, "receipt": "true"})
            if request is not None and request["status"] in _TERMINAL_STATUSES:
                request = await self._get(path)
        except NotFound:
            self._awaited_ids.discard(request_id)
            self._put({"resync": True})  # the session waits again and gets the error
        except Unavailable:
            await asyncio.sleep(TURN_S)
        else:
            if request is not None and request["status"] in _TERMINAL_STATUSES:
                self._awaited_ids.discard(request_id)
                self._put({"settled": request})

    async def _stream(
        self,
        thread_id: str | None,
        cursor: int | None,
        reply: Mapping[str, Any],
        is_open: asyncio.Future[None],
    ) -> None:
        path = "/v1/events" if thread_id is None else f"/v1/threads/{step(thread_id)}/events"
        query = {} if cursor is None else {"cursor": cursor}
        timeout = httpx2.Timeout(10.0, read=STREAM_S)
        async with self._http.stream("GET", path, params=query, timeout=timeout) as response:
            if response.status_code != 200:
                await response.aread()
                del self._streams[thread_id]
                is_open.set_exception(_refusal_of(response))
                return
            self._put(reply)
            is_open.set_result(None)
            async for data in _events(response):
                inbox = ',"inbox":true' if thread_id is None else ""
                self._incoming.put_nowait(f'{{"event":{data}{inbox}}}')
        raise httpx2.ReadError("the event stream ended")

    # --- HTTP --------------------------------------------------------------------------------

    async def _get(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        return _body(await self._http.get(path, params=query or {}))

    async def _send(self, call: RestCall) -> Any:
        headers = {} if call.key is None else {"idempotency-key": call.key}
        if call.trace is not None:
            headers[HEADER] = call.trace
        content = None if call.body is None else json.dumps(call.body)
        if content is not None:
            headers["content-type"] = "application/json"
        response = await self._http.request(
            call.method, call.path, params=call.query, content=content, headers=headers
        )
        return _body(response)

    def _put(self, frame: Mapping[str, Any]) -> None:
        self._incoming.put_nowait(json.dumps(frame))

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)
        return task

    def _on_task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._cause = str(error) or type(error).__name__
            self._incoming.put_nowait(None)


def _body(response: httpx2.Response) -> Any:
    if response.status_code == 204:
        return None
    if response.is_success:
        return response.json()
    raise _refusal_of(response)


def _refusal_of(response: httpx2.Response) -> Refused:
    return refused_reply(response.status_code, response.text, retry_after=response.headers.get("retry-after"))


def _error(error: Refused) -> dict[str, Any]:
    return {
        "status": error.status,
        "code": error.code,
        "message": error.message,
        "field_errors": error.field_errors,
        "request": error.request,
        "retry_after": error.retry_after,
    }


async def _events(response: httpx2.Response) -> AsyncIterator[str]:
    """Yield the data of each event; the server writes each as one `data:` line.

    Split by hand: `splitlines` knows more line ends than the format, and JSON may contain them.
    """
    incomplete_line = b""
    async for chunk in response.aiter_bytes():
        *lines, incomplete_line = (incomplete_line + chunk).split(b"\n")
        for line in lines:
            if line.startswith(b"data: "):
                yield line[len(b"data: ") :].decode()
