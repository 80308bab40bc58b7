"""Move frames and single HTTP requests between a client and a server.

A transport opens streams of frames, which carry every call and every wait, and also sends single requests.
Secret values travel in single requests only: a frame is kept until it is answered, may be sent again, and is
logged when a connection is debugged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar, cast
from urllib.parse import urlsplit

from askback.client.server_proof import is_running
from askback.domain.secrets.secret import Secret
from askback.errors import ConnectionLost, Forbidden, Refused, Unauthorized
from askback.wire.websocket import CloseCode

if TYPE_CHECKING:
    import httpx2

VIA_HEADER = "X-Askback-Via"
Via = Literal["api", "cli", "mcp", "chat"]
"""The kind of program that calls; the audit log records it."""

MAX_FRAME = 256 * 1024
"""Bytes that the server accepts in one frame."""

REQUEST_TIMEOUT_S = 30.0
FILE_TIMEOUT_S = 120.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


T = TypeVar("T")


class TransportError(Exception):
    """The connection failed or could not be made; another attempt may work."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP reply: the status, the `Retry-After` header, and the body."""

    status: int
    retry_after: str | None
    body: Secret


@dataclass(frozen=True, slots=True)
class BytesReply:
    """An HTTP reply whose body is a file, or the text of an error."""

    status: int
    retry_after: str | None
    body: bytes


class FrameStream(Protocol):
    """One connection. Texts are the frames of `docs/reference/wire.md`, on every transport."""

    async def send(self, text: str) -> None:
        """Send a frame; raises `TransportError`."""
        ...

    async def receive(self) -> str:
        """Return the next frame; raises `TransportError`, or a `Refused` when the server rejects this client."""
        ...

    async def close(self) -> None:
        """Close; never raises."""
        ...


class Transport(Protocol):
    """Connects to one server."""

    @property
    def address(self) -> str:
        """The server's address, for messages."""
        ...

    async def frames(self) -> FrameStream:
        """Connect; raises `TransportError` if a later attempt may work, `Refused` if it will not."""
        ...

    async def request(
        self, method: str, path: str, body: Secret | None = None, *, key: str | None = None
    ) -> Reply:
        """Send one HTTP request with a JSON body; `key` is an idempotency key. Raises `TransportError`."""
        ...

    async def exchange(self, method: str, path: str, body: bytes | None = None) -> BytesReply:
        """Send one HTTP request whose body and reply are bytes, such as files. Raises `TransportError`."""
        ...

    async def close(self) -> None:
        """Free the resources that the connections share."""
        ...


class NetworkTransport:
    """A server on the network: the part that the WebSocket and the HTTP transport share."""

    def __init__(self, url: str, token: str, *, via: Via = "api", server_key: str = "") -> None:
        self.address = url
        self._server_key = server_key
        self._token = token
        self._via: Via = via
        self._http: httpx2.AsyncClient | None = None

    async def request(
        self, method: str, path: str, body: Secret | None = None, *, key: str | None = None
    ) -> Reply:
        """Send one HTTP request with a JSON body."""
        await self._check_server()
        # Keep the text of the body out of variables: an error shows the variables of this function.
        response = await without_traceback(
            self._client().request(
                method,
                path,
                content=None if body is None else body.reveal().encode(),
                headers=json_headers(body, key),
            )
        )
        return Reply(response.status_code, response.headers.get("retry-after"), Secret(response.text))

    async def exchange(self, method: str, path: str, body: bytes | None = None) -> BytesReply:
        """Send one HTTP request whose body and reply are bytes."""
        import httpx2

        await self._check_server()
        try:
            response = await self._client().request(method, path, content=body, timeout=FILE_TIMEOUT_S)
        except httpx2.HTTPError as error:
            raise connect_error(error) from error
        return BytesReply(response.status_code, response.headers.get("retry-after"), response.content)

    async def _check_server(self) -> None:
        """Raise `TransportError` if another program answers at the address of this user's server."""
        if self._server_key:
            recorded = {"url": self.address, "key": self._server_key}
            if not await asyncio.to_thread(is_running, recorded):
                raise TransportError("it does not run, or another program has its port")

    async def close(self) -> None:
        """Close the HTTP client."""
        if self._http is not None:
            await self._http.aclose()

    def _client(self) -> httpx2.AsyncClient:
        if self._http is None:
            import httpx2  # here: most clients send no single request, and this import is the slowest

            self._http = httpx2.AsyncClient(
                base_url=self.address,
                headers=credentials(self._token, self._via),
                timeout=REQUEST_TIMEOUT_S,
                trust_env=not is_loopback(self.address),
                verify=is_encrypted(self.address),
            )
        return self._http


async def without_traceback(work: Awaitable[T]) -> T:
    """Await a request, and raise its errors as `TransportError` without frames: their variables hold the body."""
    failure: BaseException
    try:
        return await work
    except asyncio.CancelledError as error:
        failure = asyncio.CancelledError(*error.args)
    except Exception as exception:  # noqa: BLE001 - any of them would hold on to the body
        failure = connect_error(exception)
    raise failure


def credentials(token: str, via: Via) -> Mapping[str, str]:
    """Return the headers that authenticate a caller and name its kind of program."""
    return {"authorization": f"Bearer {token}", VIA_HEADER: via}


def json_headers(body: Secret | None, key: str | None) -> dict[str, str]:
    """Return the headers of a request with a JSON body and an idempotency key, if there are any."""
    headers = {} if body is None else {"content-type": "application/json"}
    return headers if key is None else {**headers, "idempotency-key": key}


def is_loopback(url: str) -> bool:
    """Return whether a server is on this machine; then the proxy of the environment is not used."""
    return urlsplit(url).hostname in _LOOPBACK


def is_encrypted(url: str) -> bool:
    """Return whether a server uses TLS. Certificates are loaded only then, because that takes 20 ms."""
    return urlsplit(url).scheme != "http"


def connect_error(error: BaseException) -> TransportError | ConnectionLost:
    """Return the error for a failed connection; it is final if the operating system forbids connections."""
    if _is_forbidden(error):
        return ConnectionLost(
            "This program may not connect to the askback server: the sandbox that it runs in blocks the network. Allow "
            "connections to the server there, or run the program outside of the sandbox."
        )
    return TransportError(str(error) or type(error).__name__)


def _is_forbidden(error: BaseException | None) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return any(map(_is_forbidden, cast("BaseExceptionGroup[BaseException]", error).exceptions))
    return error is not None and (
        isinstance(error, PermissionError) or _is_forbidden(error.__cause__ or error.__context__)
    )


def close_error(code: int, reason: str = "") -> TransportError | Refused:
    """Return the error that a WebSocket close code of the server means."""
    if code == CloseCode.UNAUTHORIZED:
        return unknown_token()
    if code == CloseCode.FORBIDDEN:
        return Forbidden(
            "The server refused this client's origin. The operator can add it to ASKBACK_ALLOWED_ORIGINS.",
            code="origin_not_allowed",
        )
    return TransportError(f"closed with {code} {reason}".rstrip())


def unknown_token() -> Unauthorized:
    """Return the error for a token that the server does not accept."""
    return Unauthorized("The server does not know this token. Check ASKBACK_TOKEN, or the `token` argument.")
