"""Identify callers by token or browser session, and check `Host` and `Origin`.

REST, SSE and the WebSocket share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from ipaddress import ip_address

from askback.domain.tracing import HEADER, read_trace
from askback.domain.values import frozen
from askback.errors import Forbidden, RateLimited, Refused, Unauthorized
from askback.ports.sessions import Session
from askback.ports.store import Principal
from askback.service.access import sessions, tokens
from askback.service.context import Services
from askback.transports.asgi_extensions import keep_open
from askback.transports.http import Identity, Scope, header
from askback.transports.problems import HostNotAllowed

HALF_HEADER = b"x-askback-session"
VIA_HEADER = b"x-askback-via"
FOREIGN_ORIGIN = "askback.foreign_origin"
"""The key of the scope for the origin of an allowed page of another site, set by `Addresses`."""
VIA_VALUES = frozenset({"api", "cli", "mcp", "chat"})
SAFE_METHODS = frozenset({"GET", "HEAD"})
_HTTP_SCHEME = {"ws": "http", "wss": "https"}
_SIGNATURE_PARAMETER = "signed="


async def identify(
    ctx: Services,
    scope: Scope,
    *,
    token: str | None = None,
    browser_secret: str | None = None,
    system: str = "",
) -> Identity:
    """Return the caller, by `token`, by `Authorization`, or by a browser session; or raise `Unauthorized`.

    `system` is the called projection.

    A session counts only without a token, and only with both of its parts: the cookie, which reaches every
    port of the host, and the second half, which only the pages of the server's own origin have. It never
    counts for a page of another origin. A WebSocket needs an `Origin` that `Addresses` allowed: browsers
    always send one there.
    """
    if token is None:
        token = bearer(scope)
    if token is not None:
        principal = await tokens.authenticate(ctx, token, system=system)
        if principal is None:
            raise unknown_credential(ctx, scope, "Unknown token.")
        keep_open(scope)
        trace = read_trace(header(scope, HEADER.encode()))
        return Identity(replace(principal, via=_channel_of(scope), trace=trace))
    session = None if FOREIGN_ORIGIN in scope else await _session(ctx, scope, browser_secret)
    if session is None:
        raise Unauthorized("Send `Authorization: Bearer <token>`, or sign in with a link from the server.")
    if scope["type"] == "websocket" and header(scope, b"origin") is None:
        raise Forbidden("A WebSocket of a browser session needs an Origin header.", code="origin_not_allowed")
    keep_open(scope)
    return Identity(replace(session.principal, via="web"), session)


def time_left(ctx: Services, principal: Principal) -> float | None:
    """Return for how many seconds a connection may stay open: until its token expires; None if it does not."""
    if principal.expires_at is None:
        return None
    return max(0.0, (principal.expires_at - ctx.clock.now_ms()) / 1000)


def unknown_credential(ctx: Services, scope: Scope, message: str) -> Refused:
    """Return the refusal of a wrong token or code: a 401, and a 429 from a client's 20th in a minute on.

    Valid tokens never get here, so nobody can be locked out by the attempts of others.
    """
    client = scope.get("client")
    if ctx.wrong_tokens.take(client[0] if client else "", ctx.clock.now_ms()) is None:
        return RateLimited("Too many wrong tokens from this address. Try again in a minute.", retry_after=60)
    return Unauthorized(message)


async def _session(ctx: Services, scope: Scope, browser_secret: str | None) -> Session | None:
    secrets = cookies(scope, await cookie_name(ctx))
    browser_secret = browser_secret or header(scope, HALF_HEADER)
    if not secrets:
        return None
    if browser_secret:
        return await sessions.find_session(ctx, secrets, browser_secret)
    target, signature = split_signature(scope)
    if signature and scope["type"] == "http" and scope["method"] in SAFE_METHODS:
        session = await sessions.find_signed_session(ctx, secrets, target, signature)
        if session is not None:  # the signature is no parameter of the operation
            scope["query_string"] = target.partition("?")[2].encode("latin-1")
        return session
    return None


def split_signature(scope: Scope) -> tuple[str, str]:
    """Return an address without its signature, and the signature, which is its last parameter; empty without one."""
    query = scope.get("query_string", b"").decode("latin-1")
    unsigned_query, separator, signature = query.rpartition(_SIGNATURE_PARAMETER)
    if not separator or (unsigned_query and not unsigned_query.endswith("&")):
        return "", ""
    return address(scope["path"], unsigned_query.removesuffix("&")), signature


def address(path: str, query: str) -> str:
    """Return a path with its query."""
    return f"{path}?{query}" if query else path


def with_signature(target: str, signature: str) -> str:
    """Return an address with its signature, for `split_signature`."""
    return f"{target}{'&' if '?' in target else '?'}{_SIGNATURE_PARAMETER}{signature}"


def _channel_of(scope: Scope) -> str:
    """Return the channel that a program reports; only for the audit log, it grants nothing."""
    header_value = header(scope, VIA_HEADER)
    return header_value if header_value in VIA_VALUES else "api"


def bearer(scope: Scope) -> str | None:
    """Return the token of the `Authorization` header; raises `Unauthorized` for any other scheme."""
    header_value = header(scope, b"authorization")
    if header_value is None:
        return None
    scheme, _, token = header_value.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized("The Authorization header must be `Bearer <token>`.")
    return token.strip()


async def cookie_name(ctx: Services) -> str:
    """Return the name of the session cookie: each store has its own, since cookies are shared by all ports of a host.

    Behind https it has the prefix `__Host-`, so no other host of the domain and no plain http can set it.
    """
    name = f"askback_session_{await ctx.store.server_id()}"
    return f"__Host-{name}" if _is_secure(ctx) else name


def cookies(scope: Scope, name: str) -> Sequence[str]:
    """Return the values of every cookie of that name."""
    secrets: list[str] = []
    for key, value in scope["headers"]:
        if key == b"cookie":
            pairs = (part.strip().partition("=") for part in value.decode("latin-1").split(";"))
            secrets += [secret for item, _, secret in pairs if item == name and secret]
    return secrets


async def set_cookie(ctx: Services, secret: str, *, max_age_s: int) -> tuple[bytes, bytes]:
    """Return the header that keeps a session in the browser; an empty `secret` with age 0 ends it."""
    secure = "; Secure" if _is_secure(ctx) else ""
    name = await cookie_name(ctx)
    text = f"{name}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age={max_age_s}{secure}"
    return b"set-cookie", text.encode()


async def browser_cookie_name(ctx: Services) -> str:
    """Return the name of the cookie that shows that an OAuth callback comes to the same browser."""
    name = f"askback_oauth_{await ctx.store.server_id()}"
    return f"__Secure-{name}" if _is_secure(ctx) else name


def set_browser_cookie(
    ctx: Services, name: str, value: str, *, path: str, max_age_s: int
) -> tuple[bytes, bytes]:
    """Return the header of that cookie. It grants nothing by itself, and is sent on the way back from the provider."""
    secure = "; Secure" if _is_secure(ctx) else ""
    text = f"{name}={value}; HttpOnly; SameSite=Lax; Path={path}; Max-Age={max_age_s}{secure}"
    return b"set-cookie", text.encode()


def _is_secure(ctx: Services) -> bool:
    # By the setting alone: a header of a proxy may be missing, and anybody can send one.
    return (ctx.public_url or "").startswith("https:")


@frozen(slots=True)
class Addresses:
    """The allowed names of the server, and the origins whose pages may call it.

    Loopback names are always served, at any port. Elsewhere a name has to be listed, because a
    page of a hostile site can make its own name point here. An address literal cannot be made to point
    elsewhere, so `literals` may allow them all. Pages of `public` are the server's own; pages of `origins`
    belong to others, which call with tokens.
    """

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    public: frozenset[str] = frozenset()
    literals: bool = False

    @classmethod
    def of(
        cls,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        *,
        public: Iterable[str] = (),
        literals: bool = False,
    ) -> Addresses:
        """Build from settings; letter case does not matter."""
        return cls(frozenset(h.lower() for h in hosts), _lowercased(origins), _lowercased(public), literals)

    def check(self, scope: Scope) -> None:
        """Raise `HostNotAllowed`, or `Forbidden` for a foreign `Origin` that is not listed."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        host = hosts[0].decode("latin-1").lower() if len(hosts) == 1 else ""
        if not self._serves(host):
            raise HostNotAllowed(
                "This host name is not allowed. The operator can add it to ASKBACK_ALLOWED_HOSTS."
            )
        origin = header(scope, b"origin")
        if origin is None or self._is_own(origin.lower(), scope["scheme"], host):
            return
        if origin.lower() not in self.origins:
            raise Forbidden(
                "This origin is not allowed. The operator can add it to ASKBACK_ALLOWED_ORIGINS.",
                code="origin_not_allowed",
            )
        scope[FOREIGN_ORIGIN] = origin

    def _serves(self, host: str) -> bool:
        name = _name(host)
        if name in ("localhost", "127.0.0.1", "[::1]"):
            return True
        if not name or host in self.hosts or name in self.hosts:
            return bool(name)
        return _is_loopback(name) or (self.literals and _is_literal(name))

    def _is_own(self, origin: str, scheme: str, host: str) -> bool:
        return origin == f"{_HTTP_SCHEME.get(scheme, scheme)}://{host}" or origin in self.public


def _lowercased(origins: Iterable[str]) -> frozenset[str]:
    return frozenset(origin.lower().rstrip("/") for origin in origins)


def _name(host: str) -> str:
    """Return the host without its port; empty if it is not a host at all."""
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
