"""Who is calling, and through which door: tokens, browser sessions, `Host` and `Origin`.

Used alike by REST, SSE and the WebSocket.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from ipaddress import ip_address

from askback.domain.tracing import HEADER, read_trace
from askback.errors import Forbidden, Unauthorized
from askback.service import access
from askback.service.context import Services
from askback.transports.http import Identity, Scope, header
from askback.transports.problems import HostNotAllowed

COOKIE = "askback_session"
CSRF_HEADER = b"x-askback-csrf"
VIA_HEADER = b"x-askback-via"
WAYS = frozenset({"api", "cli", "mcp", "chat"})
SAFE_METHODS = frozenset({"GET", "HEAD"})
_HTTP_SCHEME = {"ws": "http", "wss": "https"}


async def identify(ctx: Services, scope: Scope, *, token: str | None = None) -> Identity:
    """Return who calls, by `token`, by `Authorization`, or by the session cookie; or raise `Unauthorized`.

    A cookie counts only beside no token. It needs the CSRF header wherever something can change,
    and for a WebSocket an `Origin` that `Addresses` allowed: browsers always send one there.
    """
    if token is None:
        token = bearer(scope)
    if token is not None:
        principal = await access.authenticate(ctx, token)
        if principal is None:
            raise Unauthorized("This token is not known here.")
        trace = read_trace(header(scope, HEADER.encode()))
        return Identity(replace(principal, via=_via(scope), trace=trace))
    secret = cookie(scope)
    session = await access.session(ctx, secret) if secret else None
    if session is None:
        raise Unauthorized("Send `Authorization: Bearer <token>`, or log in with a link from the server.")
    if scope["type"] == "websocket":
        if header(scope, b"origin") is None:
            raise Forbidden("A browser session needs an Origin header here.", code="origin_not_allowed")
    elif scope["method"] not in SAFE_METHODS:
        _check_csrf(scope, session.csrf)
    return Identity(replace(session.principal, via="web"), session)


def _via(scope: Scope) -> str:
    """Return on which way a program says that it comes; only for the audit log, nothing is allowed by it."""
    given = header(scope, VIA_HEADER)
    return given if given in WAYS else "api"


def bearer(scope: Scope) -> str | None:
    """Return the token of the `Authorization` header; raises `Unauthorized` for any other scheme."""
    given = header(scope, b"authorization")
    if given is None:
        return None
    scheme, _, token = given.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized("The Authorization header must be `Bearer <token>`.")
    return token.strip()


def cookie(scope: Scope) -> str | None:
    """Return the secret of the session cookie."""
    given = header(scope, b"cookie")
    if given is None:
        return None
    for part in given.split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value
    return None


def set_cookie(scope: Scope, secret: str, *, max_age_s: int) -> tuple[bytes, bytes]:
    """Return the header that keeps a session in the browser; an empty `secret` with age 0 ends it."""
    secure = "; Secure" if scope["scheme"] == "https" else ""
    text = f"{COOKIE}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age={max_age_s}{secure}"
    return b"set-cookie", text.encode()


def _check_csrf(scope: Scope, expected: str) -> None:
    given = header(scope, CSRF_HEADER) or ""
    if not secrets.compare_digest(given.encode(), expected.encode()):
        raise Forbidden("X-Askback-CSRF is missing or wrong; read it from /v1/session.", code="csrf")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Under which names the server may be addressed, and whose pages may talk to it.

    Loopback names are always served, at any port. Elsewhere a name has to be listed, because a
    page of a hostile site can make its own name point here. An address literal cannot be made to
    point elsewhere, so `literals` may allow them all.
    """

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    literals: bool = False

    @classmethod
    def of(
        cls, hosts: Iterable[str] = (), origins: Iterable[str] = (), *, literals: bool = False
    ) -> Addresses:
        """Build from what settings say; letter case does not matter."""
        return cls(
            frozenset(h.lower() for h in hosts), frozenset(o.lower().rstrip("/") for o in origins), literals
        )

    def check(self, scope: Scope) -> None:
        """Raise `HostNotAllowed`, or `Forbidden` for a foreign `Origin`."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        host = hosts[0].decode("latin-1").lower() if len(hosts) == 1 else ""
        if not self._serves(host):
            raise HostNotAllowed("This server is not known by that name; see ASKBACK_ALLOWED_HOSTS.")
        origin = header(scope, b"origin")
        if origin is not None and not self._trusts(origin.lower(), scope["scheme"], host):
            raise Forbidden("Pages of that origin may not talk to this server.", code="origin_not_allowed")

    def _serves(self, host: str) -> bool:
        name = _name(host)
        if name in ("localhost", "127.0.0.1", "[::1]"):
            return True
        if not name or host in self.hosts or name in self.hosts:
            return bool(name)
        return _is_loopback(name) or (self.literals and _is_literal(name))

    def _trusts(self, origin: str, scheme: str, host: str) -> bool:
        return origin == f"{_HTTP_SCHEME.get(scheme, scheme)}://{host}" or origin in self.origins


def _name(host: str) -> str:
    """Return the host without its port; empty when it is not a host at all."""
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        return host
    return name if port.isdecimal() else ""


def _is_loopback(name: str) -> bool:
    return _is_literal(name) and ip_address(name.strip("[]")).is_loopback


def _is_literal(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
