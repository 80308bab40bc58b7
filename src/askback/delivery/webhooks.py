"""Send messages to webhooks over HTTP, and never to a private address (I11).

A host is looked up once for each message. All its addresses are checked, and the connection goes to one of
them, by number, so later changes of the name have no effect. TLS and the `Host` header still have the name.
No redirect is followed, no proxy of the environment is used, and the body of the answer is read only for
callers that ask for it.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING

import anyio

from askback.domain.webhooks import (
    Address,
    AllowedTargets,
    WebhookTarget,
    is_public_address,
    parse_target,
    target_fault,
)
from askback.ports.clock import Clock
from askback.ports.webhooks import AddressRefused, Unreachable, WebhookResponse

if TYPE_CHECKING:
    import httpx2

ANSWER_S = 10.0
"""The time limit for the whole call: lookup, connection, sending, and the head of the reply."""
ADDRESSES = 4
"""The maximum number of a host's addresses to try."""

Lookup = Callable[[str, int], Awaitable[Sequence[Address]]]
"""Return the addresses of a host; raises `OSError`."""


class HttpWebhookClient:
    """The `WebhookClient` port on HTTP/1.1. `allowed` are the operator's targets besides the public network."""

    def __init__(
        self,
        clock: Clock,
        *,
        allowed: AllowedTargets = AllowedTargets(),  # noqa: B008 - frozen
        lookup: Lookup | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._clock = clock
        self._allowed = allowed
        self._lookup = lookup or _look_up
        self._tls = tls

    def check_url(self, url: str) -> None:
        """Raise `AddressRefused` for an address that is refused before its name is resolved."""
        self._require_allowed(url)

    async def post(
        self, url: str, *, headers: Mapping[str, str], body: bytes, answer_bytes: int = 0
    ) -> WebhookResponse:
        """Post a body to a checked address, and read the head of the answer, and with `answer_bytes` its body."""
        target = self._require_allowed(url)
        try:
            with anyio.fail_after(ANSWER_S):
                addresses = await self._resolve(target)
                return await self._post(target, addresses, headers, body, answer_bytes)
        except TimeoutError:
            raise Unreachable("timeout") from None

    def _require_allowed(self, url: str) -> WebhookTarget:
        target = parse_target(url)
        problem = target_fault(target, self._allowed)
        if target is None or problem is not None:
            raise AddressRefused(problem)
        return target

    async def _resolve(self, target: WebhookTarget) -> Sequence[Address]:
        """Return the current addresses of the host; one private address is enough to refuse all of them."""
        if target.literal is not None:
            return [target.literal]
        try:
            addresses = await self._lookup(target.host, target.port)
        except OSError:
            raise Unreachable("unknown_host") from None
        is_allowed_by_name = target.host in self._allowed.names
        if not all(
            is_allowed_by_name or is_public_address(address) or self._allowed.has_address(address)
            for address in addresses
        ):
            raise AddressRefused("inside")
        return addresses[:ADDRESSES]

    async def _post(
        self,
        target: WebhookTarget,
        addresses: Sequence[Address],
        headers: Mapping[str, str],
        body: bytes,
        answer_bytes: int,
    ) -> WebhookResponse:
        if self._tls is None:
            self._tls = await anyio.to_thread.run_sync(_tls_context)
        import httpx2

        last_failure = Unreachable("unknown_host")
        # An address that does not answer at all leaves time for the others.
        timeout = httpx2.Timeout(ANSWER_S, connect=ANSWER_S / (len(addresses) or 1))
        async with httpx2.AsyncClient(verify=self._tls, trust_env=False, follow_redirects=False) as http:
            for address in addresses:
                try:
                    return await self._exchange(http, target, address, headers, body, answer_bytes, timeout)
                except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                    last_failure = Unreachable(_reason(error))  # nothing was sent: the next address may work
                except httpx2.HTTPError as error:
                    raise Unreachable(_reason(error)) from None
        raise last_failure

    async def _exchange(
        self,
        http: httpx2.AsyncClient,
        target: WebhookTarget,
        address: Address,
        headers: Mapping[str, str],
        body: bytes,
        answer_bytes: int,
        timeout: httpx2.Timeout,
    ) -> WebhookResponse:
        number = f"[{address}]" if address.version == 6 else str(address)
        url = f"{target.scheme}://{number}:{target.port}{target.path}"
        sent_headers = {"host": target.authority, "accept-encoding": "identity", **headers}
        server = {"sni_hostname": target.host}
        async with http.stream(
            "POST", url, headers=sent_headers, content=body, extensions=server, timeout=timeout
        ) as answer:
            read = await _body(answer, answer_bytes) if answer_bytes else b""
            return WebhookResponse(answer.status_code, self._pause(answer.headers.get("retry-after")), read)

    def _pause(self, header: str | None) -> float | None:
        """Read `Retry-After`: seconds, or a date."""
        if header is None:
            return None
        if header.isascii() and header.isdecimal():
            return float(header[:9])
        try:
            retry_at = parsedate_to_datetime(header).timestamp()
        except (ValueError, OverflowError):
            return None
        return max(0.0, retry_at - self._clock.now_ms() / 1000)


async def _body(answer: httpx2.Response, limit: int) -> bytes:
    read = b""
    async for part in answer.aiter_raw():
        read += part
        if len(read) > limit:
            raise Unreachable("too_long")
    return read


async def _look_up(host: str, port: int) -> Sequence[Address]:
    infos = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(
        dict.fromkeys(ip_address(str(socket_address[0]).partition("%")[0]) for *_, socket_address in infos)
    )


def _tls_context() -> ssl.SSLContext:
    """Read all root certificates, in a thread: it takes a third of a second.

    httpx2 is imported here too: most servers never post to a webhook, and the import takes 5 % of a start.
    """
    import httpx2

    return httpx2.create_ssl_context(trust_env=False)


def _reason(error: httpx2.HTTPError) -> str:
    """Name an error by its type: its text may quote the other side."""
    import httpx2

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return "tls"
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx2.TimeoutException):
        return "timeout"
    if isinstance(error, httpx2.ConnectError):
        return "connect"
    return "protocol" if isinstance(error, httpx2.ProtocolError) else "broken_off"
