"""The client's side of the protocol, without I/O: open calls, waits, and frames to send again.

Frames are text in and text out; `link.py` sends and receives them. Each call has a future, which the session
resolves. A wait is one future in a dictionary.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from pydantic_core import from_json

from askback.client.refusals import refusal
from askback.client.subscriptions import Subscriptions
from askback.domain.lifecycle import TERMINAL
from askback.errors import AskbackError, NotFound, Unavailable

WAIT_CHUNK = 2_000
FOREVER = math.inf

FIRST_RETRY_S = 0.25
LONGEST_RETRY_S = 5.0
"""How long a call retries that was refused because nothing can be stored: at first, and at most by itself."""

_TERMINAL_STATUSES = frozenset(str(status) for status in TERMINAL)


class PendingCall(Protocol):
    """The result of a call; an asyncio future fits.

    `request_id` is set once the request is created; with `withdraw` the request is cancelled when nobody awaits the
    future any longer.
    """

    request_id: str | None
    withdraw: bool

    def done(self) -> bool:
        """Return whether it has a result or was cancelled."""
        ...

    def set_result(self, result: Any, /) -> None:
        """Resolve it."""
        ...

    def set_exception(self, exception: BaseException, /) -> None:
        """Fail it."""
        ...


@dataclass(slots=True)
class _Call:
    frame: str
    future: PendingCall | None
    watch: bool
    retry_for: float
    since: float
    on_reply: Callable[[Any], str | None] | None = None
    on_failure: Callable[[AskbackError], None] | None = None
    retries: int = 0
    retry_pending: bool = False


class RetryAfter(NamedTuple):
    """The number of seconds, or slightly more, after which a call is sent again."""

    number: int
    seconds: float


@dataclass(slots=True)
class Effects:
    """The actions that follow from a frame.

    Send `frames` now and the call of `retry` later; cancel the requests in `orphans`; with `reset`, reconnect.
    """

    frames: list[str] = field(default_factory=list[str])
    retry: RetryAfter | None = None
    orphans: list[str] = field(default_factory=list[str])
    reset: bool = False


_NO_EFFECTS = Effects()


class Session:
    """The state that outlives a connection: calls, waits and subscriptions."""

    def __init__(self) -> None:
        self._next = 0
        self._calls: dict[int, _Call] = {}
        self._waits: dict[str, list[PendingCall]] = {}
        self.subscriptions = Subscriptions(self._open)
        self.outcome_received = False
        """Whether an outcome has arrived."""

    # --- calls and waits ---------------------------------------------------------------------

    def call(
        self,
        op: str,
        future: PendingCall,
        *,
        retry_for: float,
        now: float,
        watch: bool = False,
    ) -> str:
        """Open a call and return its frame. `op` is the frame's text without its id: `"op":"ping"`.

        With `watch` the call is a `create` with `wait`, and its future is resolved when the request settles.
        It is sent again on every new connection, which is safe because calls that change something carry a key.
        """
        return self._open(op, future=future, watch=watch, retry_for=retry_for, since=now)

    def wait(self, request_id: str, future: PendingCall) -> str | None:
        """Resolve `future` with the request once it is settled; a frame to send, or None if it is watched already."""
        future.request_id = request_id
        waiting = self._waits.setdefault(request_id, [])
        waiting.append(future)
        return self._wait_frame([request_id]) if len(waiting) == 1 else None

    def abandon(self, future: PendingCall) -> str | None:
        """End a wait; returns a frame to send when it was the last one for its request."""
        waiting = self._waits.get(future.request_id or "", [])
        if future not in waiting:
            return None
        waiting.remove(future)
        if waiting:
            return None
        request_id = future.request_id or ""
        del self._waits[request_id]
        return self._unwait_frame(request_id)

    def awaits(self, request_id: str | None) -> bool:
        """Return whether this client waits for a request."""
        return request_id in self._waits

    # --- the connection ----------------------------------------------------------------------

    def reconnect_frames(self) -> list[str]:
        """Return the frames for a new connection: open calls, waits and subscriptions."""
        for number, call in list(self._calls.items()):
            if call.future is None:
                del self._calls[number]  # the session's own calls: created again below
        for call in self._calls.values():
            call.retry_pending = False
        frames = [call.frame for call in self._calls.values()]
        return [*frames, *self._watch_frames()]

    def retry(self, number: int) -> str | None:
        """Return the frame of a call to retry; None if it was sent meanwhile or its caller is gone."""
        call = self._calls.get(number)
        if call is None or not call.retry_pending:
            return None
        call.retry_pending = False
        return call.frame

    def handle(self, text: str, *, now: float) -> Effects:
        """Take a frame from the server."""
        frame: dict[str, Any] = from_json(text, cache_strings="keys")
        if "id" in frame:
            return self._handle_reply(frame, now)
        if "settled" in frame:
            self._settle(frame["settled"])
        elif "event" in frame:
            self.subscriptions.deliver(frame["event"], inbox=frame.get("inbox") is True)
        elif "answering" in frame:
            self.subscriptions.report(frame["answering"])
        elif "hidden" in frame:
            error = NotFound("The thread was not found, or you no longer have access.")
            self.subscriptions.fail(frame["hidden"], error)
        elif "resync" in frame:
            return Effects(self._watch_frames())
        return _NO_EFFECTS

    def take_overdue(self, now: float, down_since: float) -> list[PendingCall]:
        """Close and return the calls that have waited too long for a connection."""
        overdue = {
            n: c for n, c in self._calls.items() if now - max(c.since, down_since) >= c.retry_for and c.future
        }
        for number in overdue:
            del self._calls[number]
        return [call.future for call in overdue.values() if call.future is not None]

    def next_timeout(self, now: float, down_since: float) -> float:
        """Return the seconds until the next call is overdue."""
        remaining_times = (
            c.retry_for - (now - max(c.since, down_since)) for c in self._calls.values() if c.future
        )
        return max(0.0, min(remaining_times, default=FOREVER))

    def fail_all(self, error: Callable[[], AskbackError]) -> None:
        """Fail every call, every wait and every listener."""
        calls, self._calls = self._calls, {}
        waits, self._waits = self._waits, {}
        futures = [c.future for c in calls.values() if c.future] + [
            t for wait in waits.values() for t in wait
        ]
        for future in futures:
            _fail(future, error())
        self.subscriptions.fail_all(error)

    def has_pending_withdrawals(self) -> bool:
        """Return whether a request may be created for a caller that is gone, and has to be cancelled then."""
        return any(
            call.watch and call.future is not None and call.future.withdraw and call.future.done()
            for call in self._calls.values()
        )

    def busy(self) -> bool:
        """Return whether a call, a wait or a subscription is open."""
        return bool(self._calls or self._waits or self.subscriptions)

    # --- inside ------------------------------------------------------------------------------

    def _open(
        self,
        op: str,
        *,
        future: PendingCall | None = None,
        watch: bool = False,
        retry_for: float = FOREVER,
        since: float = 0.0,
        on_reply: Callable[[Any], str | None] | None = None,
        on_failure: Callable[[AskbackError], None] | None = None,
    ) -> str:
        self._next += 1
        frame = f'{{"id":{self._next},{op}}}'
        self._calls[self._next] = _Call(frame, future, watch, retry_for, since, on_reply, on_failure)
        return frame

    def _handle_reply(self, frame: dict[str, Any], now: float) -> Effects:
        call = self._calls.pop(frame["id"], None)
        if call is None:
            return _NO_EFFECTS
        if "error" in frame:
            return self._handle_error(frame["id"], call, refusal(frame["error"]), now)
        value = frame["ok"]
        if call.watch:
            return self._handle_created(call.future, value)
        if call.on_reply is not None:
            next_frame = call.on_reply(value)
            return _NO_EFFECTS if next_frame is None else Effects([next_frame])
        if call.future is not None:
            _resolve(call.future, value)
        return _NO_EFFECTS

    def _handle_error(self, number: int, call: _Call, error: AskbackError, now: float) -> Effects:
        if isinstance(error, Unavailable) and (call.watch or call.future is None or not call.future.done()):
            pause = max(error.retry_after or 0.0, min(FIRST_RETRY_S * 2**call.retries, LONGEST_RETRY_S))
            if now + pause - call.since < call.retry_for:
                call.retries, call.retry_pending = call.retries + 1, True
                self._calls[number] = call
                return Effects(retry=RetryAfter(number, pause))
        if call.future is not None:
            _fail(call.future, error)
        elif call.on_failure is not None:
            call.on_failure(error)
        else:
            # The server does not know what this client waits for: connect again.
            return Effects(reset=call.on_reply is not None)
        return _NO_EFFECTS

    def _handle_created(self, future: PendingCall | None, request: dict[str, Any]) -> Effects:
        assert future is not None
        future.request_id = request["id"]
        if request["status"] in _TERMINAL_STATUSES:
            self.outcome_received = True
            _resolve(future, request)
        elif not future.done():
            self._waits.setdefault(request["id"], []).append(future)
        elif self.awaits(request["id"]):
            return _NO_EFFECTS  # another caller of this client waits for it
        elif future.withdraw:
            return Effects(orphans=[request["id"]])
        else:
            return Effects([self._unwait_frame(request["id"])])
        return _NO_EFFECTS

    def _settle(self, request: dict[str, Any]) -> None:
        self.outcome_received = True
        for future in self._waits.pop(request["id"], ()):
            _resolve(future, request)

    def _resolve_waits(self, reply: Mapping[str, Any]) -> None:
        for request in reply["settled"]:
            self._settle(request)
        for request_id in reply["unknown"]:
            for future in self._waits.pop(request_id, ()):
                _fail(future, NotFound(f"The request {request_id} was not found, or you don't have access."))

    def _watch_frames(self) -> list[str]:
        ids = list(self._waits)
        chunks = (ids[i : i + WAIT_CHUNK] for i in range(0, len(ids), WAIT_CHUNK))
        return [*map(self._wait_frame, chunks), *self.subscriptions.frames()]

    def _wait_frame(self, ids: Iterable[str]) -> str:
        return self._open(f'"op":"wait","request_ids":{json.dumps(list(ids))}', on_reply=self._resolve_waits)

    def _unwait_frame(self, request_id: str) -> str:
        # From now on the outcome is queued as a resume instead of sent to this connection.
        def watch_again(_: Any) -> str | None:
            # A wait that began meanwhile may have come to the server first, and have ended with this.
            return self._wait_frame([request_id]) if self.awaits(request_id) else None

        op = f'"op":"unwait","request_ids":{json.dumps([request_id])}'
        return self._open(op, on_reply=watch_again, on_failure=_ignore)


def _ignore(_: AskbackError) -> None:
    """Do nothing: a server without `unwait` still sends the outcome, which is ignored."""


def _resolve(future: PendingCall, value: Any) -> None:
    if not future.done():
        future.set_result(value)


def _fail(future: PendingCall, error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
