"""CORS: what a page of a listed origin gets to see. It calls with a bearer token; cookies never count for it.

No `Access-Control-Allow-Credentials` is ever sent, so a browser neither sends cookies nor takes any.
"""

from __future__ import annotations

from askback.transports.http import Headers, Reply, Scope, header

METHODS = b"GET, HEAD, POST, PUT, PATCH, DELETE"
SENT = (
    b"Authorization, Content-Type, Accept-Language, Idempotency-Key, Last-Event-ID, If-None-Match, "
    b"X-Request-Id, X-Askback-Via, Traceparent"
)
SEEN = b"X-Request-Id, Retry-After, WWW-Authenticate, Allow, ETag, Content-Disposition"
"""Headers of replies that scripts of the page may read, beside those that every page may."""
MAX_AGE_S = b"600"
VARY = (b"vary", b"Origin")


def is_preflight(scope: Scope) -> bool:
    """Whether a browser asks on behalf of a page if it may call."""
    return scope["method"] == "OPTIONS" and header(scope, b"access-control-request-method") is not None


def preflight() -> Reply:
    """Return what a listed origin may do. Whether the path is there shows the call itself."""
    return Reply(
        204,
        headers=(
            (b"access-control-allow-methods", METHODS),
            (b"access-control-allow-headers", SENT),
            (b"access-control-max-age", MAX_AGE_S),
        ),
    )


def headers_for(origin: str) -> Headers:
    """Return what is added to each reply for a page of a listed origin."""
    return (
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", SEEN),
    )
