"""Carries messages to webhooks over HTTP, and to no address inside (I11).

A host is looked up once for each message. Every address that it has is checked, and the connection goes to one of
those, by number: what the name leads to a moment later does not matter. TLS and the `Host` header still have the name.
No redirect is followed, no proxy of the environment is used, and of the answer only the head is read.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from email.utils import parsedate_to_datetime
from functools import partial
from ipaddress import ip_address

import anyio
import httpx2

from askback.domain.webhooks import Address, Allowed, Target, is_public, refusal, target
from askback.ports.clock import Clock
from askback.ports.webhooks import AddressRefused, Answered, Unreached

ANSWER_S = 10.0
"""For all of it: looking up, connecting, sending, and the head of the answer."""
ADDRESSES = 4
"""How many of a host's addresses are tried."""

Lookup = Callable[[str, int], Awaitable[Sequence[Address]]]
"""Return the addresses of a host; raises `OSError`."""


class HttpCourier:
    """The `Courier` port on HTTP/1.1. `allowed` is what the operator lets it reach besides the public network."""

    def __init__(
        self,
        clock: Clock,
        *,
        allowed: Allowed = Allowed(),  # noqa: B008 - frozen
        lookup: Lookup | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._clock = clock
        self._allowed = allowed
        self._lookup = lookup or _look_up
        self._tls = tls

    def vet(self, url: str) -> None:
        """Raise `AddressRefused` for what is refused whatever its name leads to."""
        self._vetted(url)

    async def post(self, url: str, *, headers: Mapping[str, str], body: bytes) -> Answered:
        """Post a body to a checked address, and read the head of the answer."""
        where = self._vetted(url)
        try:
            with anyio.fail_after(ANSWER_S):
                addresses = await self._checked(where)
                return await self._post(where, addresses, headers, body)
        except TimeoutError:
            raise Unreached("timeout") from None
        except httpx2.HTTPError as error:
            raise Unreached(_reason(error)) from None

    def _vetted(self, url: str) -> Target:
        where = target(url)
        why = refusal(where, self._allowed)
        if where is None or why is not None:
            raise AddressRefused(why)
        return where

    async def _checked(self, where: Target) -> Sequence[Address]:
        """Return where the host is now; one address inside is enough to refuse all of them."""
        if where.literal is not None:
            return [where.literal]
        try:
            found = await self._lookup(where.host, where.port)
        except OSError:
            raise Unreached("unknown_host") from None
        named = where.host in self._allowed.names
        if not all(named or is_public(each) or self._allowed.address(each) for each in found):
            raise AddressRefused("inside")
        return found[:ADDRESSES]

    async def _post(
        self, where: Target, addresses: Sequence[Address], headers: Mapping[str, str], body: bytes
    ) -> Answered:
        if (
            self._tls is None
        ):  # reading all root certificates takes a third of a second, and others are served
            self._tls = await anyio.to_thread.run_sync(partial(httpx2.create_ssl_context, trust_env=False))
        async with httpx2.AsyncClient(verify=self._tls, trust_env=False, follow_redirects=False) as http:
            failed: Exception = Unreached("unknown_host")
            for address in addresses:
                try:
                    return await self._ask(http, where, address, headers, body)
                except httpx2.ConnectError as error:
                    failed = error  # nothing was sent: the next address may do
            raise failed

    async def _ask(
        self,
        http: httpx2.AsyncClient,
        where: Target,
        address: Address,
        headers: Mapping[str, str],
        body: bytes,
    ) -> Answered:
        number = f"[{address}]" if address.version == 6 else str(address)
        url = f"{where.scheme}://{number}:{where.port}{where.path}"
        sent = {"host": where.authority, "accept-encoding": "identity", **headers}
        server = {"sni_hostname": where.host}
        async with http.stream(
            "POST", url, headers=sent, content=body, extensions=server, timeout=ANSWER_S
        ) as answer:
            return Answered(answer.status_code, self._pause(answer.headers.get("retry-after")))

    def _pause(self, header: str | None) -> float | None:
        """Read `Retry-After`: seconds, or a date."""
        if header is None:
            return None
        if header.isascii() and header.isdecimal():
            return float(header[:9])
        try:
            at = parsedate_to_datetime(header).timestamp()
        except (ValueError, OverflowError):
            return None
        return max(0.0, at - self._clock.now_ms() / 1000)


async def _look_up(host: str, port: int) -> Sequence[Address]:
    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ip_address(str(where[0]).partition("%")[0]) for *_, where in found))


def _reason(error: httpx2.HTTPError) -> str:
    """Name what went wrong by the kind of it: texts of errors may quote what the other side said."""
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
