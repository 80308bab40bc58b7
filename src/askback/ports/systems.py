"""The projection of another system: its HTTP routes and WebSockets, and the server's operations for them.

A projection has no rule and no storage of its own. It translates frames and bodies, and calls operations for the
caller (`Api`), which check roles, access and values as for any caller. It never sees a service, the store or a token.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple, Protocol

from askback.domain.faults import PathTable
from askback.domain.model import Model
from askback.domain.secrets.secret import RawBody
from askback.domain.values import frozen

Json = dict[str, Any]


@frozen(slots=True)
class Problem:
    """A refusal of the native API: the HTTP status, and the object below `error`."""

    status: int
    error: Mapping[str, Any]

    @property
    def code(self) -> str:
        """Its code, such as `invalid`."""
        return self.error["code"]

    @property
    def message(self) -> str:
        """Its sentence."""
        return self.error["message"]

    @property
    def field_errors(self) -> Sequence[Mapping[str, str]]:
        """The errors: `path`, `code` and `message` of each."""
        return self.error.get("field_errors", ())


class Watch(Protocol):
    """The events of a thread or of the inbox, in order, as JSON objects; it ends when the thread is hidden."""

    @property
    def cursor(self) -> int:
        """The number of the last event so far."""
        ...

    def __aiter__(self) -> AsyncIterator[Json]: ...

    async def set_readonly(self, *, readonly: bool) -> None:
        """Set whether the caller counts as somebody who can answer in this thread."""
        ...


class Api(Protocol):
    """The operations of the server (`wire/operations.py`) for one caller. Errors are those of `errors` and `Faults`."""

    @property
    def principal_id(self) -> str:
        """The id of the caller: of the agent, or of the person's token."""
        ...

    @property
    def locale(self) -> str:
        """The language of the caller."""
        ...

    async def call(
        self,
        operation: str,
        body: object = None,
        *,
        key: str | None = None,
        paths: PathTable = (),
        **args: object,
    ) -> Any:
        """Run an operation and return its reply; `args` are its parameters, `key` the idempotency key.

        `paths` maps places of the body to places in the caller's message, for `Faults`.
        A confidential operation also accepts a `RawBody`, which nothing else reads.
        """
        ...

    async def requests(self, **filters: object) -> list[Json]:
        """Return all requests that the caller may see, oldest first; filters are those of `list_requests`."""
        ...

    async def open_requests(self, **filters: object) -> list[Json]:
        """Return pending requests, without queued ones."""
        ...

    async def outcome(self, request_id: str) -> Json:
        """Wait until a request of the caller has ended, and return it; raises `NotFound` once it is hidden.

        A detached request, whose outcome comes in another turn, is returned immediately. The outcome counts as
        received when a sent frame or reply names it (`outcome_of`); otherwise it is queued as a resume.
        """
        ...

    def watch(
        self, thread_id: str | None, *, after: int | None = None, readonly: bool = False
    ) -> AbstractAsyncContextManager[Watch]:
        """Subscribe to a thread, or to the inbox (None), after an event, or from now on."""
        ...

    async def history(self, thread_id: str) -> list[Json]:
        """Return the events of a thread so far; the caller does not count as a viewer."""
        ...

    async def is_undelivered(self, request_id: str) -> bool:
        """Return whether a request of the caller ended while nobody waited, and its outcome is still unread."""
        ...

    def watch_messages(self) -> AbstractAsyncContextManager[AsyncIterator[Json]]:
        """Subscribe to the events of messages and runs, from now on, in all threads that the caller may view."""
        ...

    def explain(self, error: Exception) -> Problem:
        """Return the native API's reply to an error; an unexpected one is logged and shows no details."""
        ...


class HttpConnection(Protocol):
    """An HTTP request or a WebSocket."""

    @property
    def api(self) -> Api:
        """The operations for the caller."""
        ...

    @property
    def path(self) -> Mapping[str, str]:
        """The parameters of the path."""
        ...

    @property
    def query(self) -> Mapping[str, str]:
        """The parameters of the query; if one is repeated, the last value."""
        ...


class Channel(HttpConnection, Protocol):
    """One WebSocket connection."""

    async def send(self, frame: Json, *, outcome_of: str = "") -> None:
        """Send a frame; `outcome_of` is the request whose outcome it contains."""
        ...

    def start(self, work: Coroutine[Any, Any, None], frame: Json | None = None) -> asyncio.Task[Any]:
        """Run something concurrently, until the connection ends; its error is reported as an error of `frame`."""
        ...

    def follow(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[Any]:
        """Run something until the connection ends; its error ends the connection, and the other side reconnects."""
        ...

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """End the connection."""
        ...


class Peer(Protocol):
    """The other side of a channel, in the format of its system."""

    async def on_open(self) -> None:
        """Greet, and send the open requests."""
        ...

    async def take(self, frame: Json) -> None:
        """Handle a frame; the next one waits until this returns."""
        ...

    def error_frame(self, frame: Json | None, problem: Problem) -> Json | None:
        """Return the frame for an error; `frame` is None if the received text was not a JSON object."""
        ...


@frozen(slots=True)
class Socket:
    """A WebSocket of a system; `path` as in the table of operations, `max_bytes` the largest frame."""

    path: str
    roles: frozenset[str]
    peer: Callable[[Channel], Peer]
    max_bytes: int | None = None


class ApiCall(HttpConnection, Protocol):
    """One HTTP request to the API of a system."""

    def header(self, name: str) -> str | None:
        """Return the first header of that (lower case) name."""
        ...

    def json(self) -> Any:
        """Parse the body as JSON; raises `Faults`."""
        ...

    def body(self) -> RawBody:
        """Return the body unread: it may contain a secret."""
        ...

    async def start_oauth(self, request_id: str) -> JsonReply:
        """Begin to connect an account; return `{"url"}`, the provider's address; see `System.connects_accounts`."""
        ...


@frozen(slots=True)
class JsonReply:
    """A JSON reply; `outcome_of` is the request whose outcome it contains."""

    body: object
    status: int = 200
    outcome_of: str = ""
    headers: Sequence[tuple[bytes, bytes]] = ()


class StreamEvent(NamedTuple):
    """A server-sent event; a reader that reconnects sends the last `id` (`last-event-id`)."""

    name: str
    data: object
    id: str = ""


@frozen(slots=True)
class EventStream:
    """A reply of server-sent events, until they end or the reader leaves."""

    events: AsyncIterator[StreamEvent]


@frozen(slots=True)
class Route:
    """An HTTP route, such as `POST /api/chats/{chat}`; a route that `lasts` waits for people, or streams events."""

    route: str
    roles: frozenset[str]
    handler: Callable[[ApiCall], Awaitable[JsonReply | EventStream]]
    lasts: bool = False


@frozen(slots=True)
class Tools:
    """Tools that a model calls over MCP at a path: the arguments of each by its name, described by their docstring.

    `run` calls one, with its arguments and the key of the call, and returns its result. The `message` of a refusal is
    for the model.
    """

    path: str
    arguments: Mapping[str, type[Model]]
    run: Callable[[ApiCall, str, object, str | None], Awaitable[Json]]


@frozen(slots=True)
class System:
    """All paths of a system below its base URL; `refuse` returns the status and the body of a refusal over HTTP.

    With `connects_accounts`, OAuth providers redirect to `/oauth/callback`, a page for the browser that clicked.
    """

    routes: Sequence[Route] = ()
    sockets: Sequence[Socket] = ()
    refuse: Callable[[Problem], tuple[int, Json]] = lambda problem: (problem.status, {"error": problem.error})
    connects_accounts: bool = False
    tools: Tools | None = None
