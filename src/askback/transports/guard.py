"""The outermost layer of the app: check addresses, add security and CORS headers, turn errors into replies.

CORS headers let pages of listed origins call with a bearer token. `Access-Control-Allow-Credentials` is never sent, so
a browser neither sends nor stores cookies for them.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Awaitable, Callable
from urllib.parse import quote

from askback.logs import request_id
from askback.transports.http import ASGIApp, ClientGone, Headers, Message, Receive, Reply, Scope, Send, header
from askback.transports.problems import problem, problem_reply
from askback.transports.security import FOREIGN_ORIGIN, SAFE_METHODS, Addresses
from askback.wire.websocket import CloseCode

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types askback"
)
SECURITY_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
NO_STORE = (b"cache-control", b"no-store")
REQUEST_ID = b"x-request-id"
_SANE = re.compile(r"[0-9A-Za-z-]{8,64}")
CLOSE_CODES = {401: CloseCode.UNAUTHORIZED, 403: CloseCode.FORBIDDEN, 421: CloseCode.FORBIDDEN}

ErrorPage = Callable[[int], Awaitable[Reply | None]]
"""Returns the page that a browser shows for a status, if there is one."""

log = logging.getLogger(__name__)


class Guard:
    """Raw ASGI middleware: one closure a request, and nothing between a stream and its reader."""

    def __init__(self, app: ASGIApp, *, addresses: Addresses, error_page: ErrorPage | None = None) -> None:
        self._app = app
        self._addresses = addresses
        self._error_page = error_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve HTTP and WebSockets; the lifespan passes through."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        scope["path"] = _encoded_path(scope)
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._http(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        call = _request_id(scope)
        token = request_id.set(call)
        try:
            await self._answer(scope, receive, send, (REQUEST_ID, call.encode()))
        finally:
            request_id.reset(token)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, header: tuple[bytes, bytes]) -> None:
        started = False

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = _with_security([*message["headers"], header, *self._cors(scope)])
            await send(message)

        try:
            self._addresses.check(scope)
            if FOREIGN_ORIGIN in scope and is_preflight(scope):
                await preflight().send(send_guarded)
            else:
                await self._app(scope, receive, send_guarded)
        except ClientGone:
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets the error shape
            if started:
                problem(error, locale="en")  # logs it; the stream just ends, and its reader resumes
            else:
                reply = problem_reply(error, scope)
                await (await self._as_page(reply, scope) or reply).send(send_guarded)

    async def _as_page(self, reply: Reply, scope: Scope) -> Reply | None:
        """Return a page in place of JSON if a person has opened the address in a browser."""
        if self._error_page is None or scope["method"] not in SAFE_METHODS:
            return None
        return (
            await self._error_page(reply.status) if "text/html" in (header(scope, b"accept") or "") else None
        )

    def _cors(self, scope: Scope) -> Headers:
        """Return the headers for a page of another origin; the same address must not be cached for all origins."""
        if not self._addresses.origins:
            return ()
        foreign_headers = headers_for(scope[FOREIGN_ORIGIN]) if FOREIGN_ORIGIN in scope else ()
        return (VARY, *foreign_headers)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        accepted = False

        async def send_watched(message: Message) -> None:
            nonlocal accepted
            accepted = accepted or message["type"] == "websocket.accept"
            try:
                await send(message)
            except OSError:  # in ASGI, this means that the peer has left
                raise ClientGone from None

        try:
            self._addresses.check(scope)
            await self._app(scope, receive, send_watched)
        except ClientGone:
            return
        except Exception as error:  # noqa: BLE001 - as above
            if accepted:
                problem(error, locale="en")
                await send({"type": "websocket.close", "code": CloseCode.INTERNAL_ERROR})
            else:
                await _deny(error, scope, send)


async def _deny(error: Exception, scope: Scope, send: Send) -> None:
    """Refuse a handshake with the status and body of an HTTP reply, if the server supports it."""
    reply = problem_reply(error, scope)
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send(
            {"type": "websocket.close", "code": CLOSE_CODES.get(reply.status, CloseCode.INTERNAL_ERROR)}
        )
        return
    headers = _with_security([(b"content-length", b"%d" % len(reply.body)), *reply.headers])
    await send({"type": "websocket.http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": reply.body})


def _with_security(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    value = {name for name, _ in headers}
    return [*headers, *(item for item in (*SECURITY_HEADERS, NO_STORE) if item[0] not in value)]


def _request_id(scope: Scope) -> str:
    """Use the caller's id of the call if it is safe to log, or make one."""
    value = header(scope, REQUEST_ID)
    return value if value is not None and _SANE.fullmatch(value) else secrets.token_hex(16)


def _encoded_path(scope: Scope) -> str:
    """Return the path still percent-encoded: a thread id may contain a slash, which must not split the path."""
    raw = scope.get("raw_path")
    return quote(scope["path"]) if raw is None else raw.partition(b"?")[0].decode("latin-1")


METHODS = b"GET, HEAD, POST, PUT, PATCH, DELETE"
ALLOWED_REQUEST_HEADERS = (
    b"Authorization, Content-Type, Accept-Language, Idempotency-Key, Last-Event-ID, If-None-Match, "
    b"X-Request-Id, X-Askback-Via, Traceparent, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name"
)
EXPOSED_HEADERS = (
    b"X-Request-Id, Retry-After, WWW-Authenticate, Allow, ETag, Content-Disposition, Mcp-Session-Id"
)
"""Reply headers that scripts of a listed origin may read, besides those that every page may."""
MAX_AGE_S = b"600"
VARY = (b"vary", b"Origin")


def is_preflight(scope: Scope) -> bool:
    """Return whether this is a CORS preflight."""
    return scope["method"] == "OPTIONS" and header(scope, b"access-control-request-method") is not None


def preflight() -> Reply:
    """Return the reply to a preflight; only the call itself shows whether the path exists."""
    return Reply(
        204,
        headers=(
            (b"access-control-allow-methods", METHODS),
            (b"access-control-allow-headers", ALLOWED_REQUEST_HEADERS),
            (b"access-control-max-age", MAX_AGE_S),
        ),
    )


def headers_for(origin: str) -> Headers:
    """Return the CORS headers of a reply for a listed origin."""
    return (
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", EXPOSED_HEADERS),
    )
