"""Webhooks: what they may be told of, where they may lead, and when a message is tried again.

A message goes to no address inside: whoever may name an address must not reach with our hands what only we can reach.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Literal, get_args

from pydantic import Field

from askback.domain.fields import Model

RESUME = "resume"
WebhookEvent = Literal[
    "resume",
    "request.created",
    "request.shown",
    "request.voted",
    "request.used",
    "request.revoked",
    "request.escalated",
    "request.detached",
    "request.resolving",
    "request.reprompted",
    "request.answered",
    "request.declined",
    "request.cancelled",
    "request.expired",
]
EVENTS: tuple[str, ...] = get_args(WebhookEvent)

FIRST_RETRY_S = 5.0
GROWTH = 3.0
LONGEST_RETRY_S = 6 * 3600.0
GIVE_UP_S = 3 * 24 * 3600
"""How long a message is tried, from its first time on."""

HIGHEST_SYSTEM_PORT = 1023
_WEB_PORTS = frozenset({80, 443})
_INSIDE = (
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
    "home.arpa",
)
_NAME = re.compile(r"(?=.{1,253}$)(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*")
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]{2,45}\]|[a-z0-9.-]{1,254})(?::(?P<port>\d{1,5}))?(?P<rest>[/?][!-~]*)?",
    re.IGNORECASE,
)
_CARRIERS = (
    # The prefix, and where in it an IPv4 address begins: what is sent there ends at that address.
    (ip_network("64:ff9b::/96"), 96),
    (ip_network("64:ff9b:1::/48"), 96),
    (ip_network("::ffff:0:0:0/96"), 96),
    (ip_network("::/96"), 96),
    (ip_network("2002::/16"), 16),
)
_OUTSIDE_6 = ip_network("2000::/3")

Address = IPv4Address | IPv6Address


class WebhookBody(Model):
    """`POST /v1/webhooks`: the address and the events; with a `requester` (an id), only events of its requests."""

    url: str
    requester: str | None = None
    events: list[WebhookEvent] = Field(default_factory=lambda: [RESUME], min_length=1)


class SwitchBody(Model):
    """`PATCH /v1/webhooks/{id}`: whether the webhook is on."""

    active: bool


class RedeliverBody(Model):
    """`POST /v1/webhooks/{id}/redeliver`: the id of a delivery or of a resume."""

    delivery: str | None = None
    resume: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads: `host` in lower case without brackets, `path` with the query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def literal(self) -> Address | None:
        """The address, where the host is one."""
        return _literal(self.host)

    @property
    def authority(self) -> str:
        """The host and the port, as the header `Host` has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _default_port(self.scheme) else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the operator lets webhooks reach besides the public network: names of hosts, and networks."""

    names: frozenset[str] = frozenset()
    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def of(cls, entries: Sequence[str]) -> Allowed:
        """Read names, addresses and networks such as `10.0.0.0/8`; raises `ValueError` for what is none of them."""
        names: set[str] = set()
        networks: list[IPv4Network | IPv6Network] = []
        for entry in entries:
            try:
                networks.append(ip_network(entry))
            except ValueError:
                if not _NAME.fullmatch(entry.lower()) or _looks_numeric(entry):
                    raise
                names.add(entry.lower())
        return cls(frozenset(names), tuple(networks))

    def address(self, address: Address) -> bool:
        """Whether an address is in one of the networks."""
        return any(address in network for network in self.networks)

    def host(self, target: Target) -> bool:
        """Whether the host was named, or is an address that was."""
        return target.host in self.names or (target.literal is not None and self.address(target.literal))


def target(url: str) -> Target | None:
    """Return where a URL leads, or None for one that we do not post to, whatever it may mean elsewhere.

    Only ASCII, no user name, no fragment, and of addresses only the four decimal numbers and the form in brackets:
    what two programs could read in two ways is not read at all.
    """
    match = _URL.fullmatch(url)
    if match is None or "#" in url or "\\" in url or len(url) > 2000:
        return None
    scheme, host = match["scheme"].lower(), match["host"].lower().removesuffix(".")
    port = int(match["port"]) if match["port"] else _default_port(scheme)
    if host.startswith("["):
        host = host[1:-1]
        if not isinstance(_literal(host), IPv6Address):
            return None
    elif _literal(host) is None and (not _NAME.fullmatch(host) or _looks_numeric(host)):
        return None
    if not 0 < port <= 65535 or (port <= HIGHEST_SYSTEM_PORT and port not in _WEB_PORTS):
        return None
    rest = match["rest"] or "/"
    return Target(scheme, host, port, rest if rest.startswith("/") else f"/{rest}")


def refusal(where: Target | None, allowed: Allowed) -> str | None:
    """Return why nothing goes there, whatever its name leads to: `unusable`, `inside` or `not_https`."""
    if where is None:
        return "unusable"
    if allowed.host(where):
        return None
    if is_inside(where):
        return "inside"
    return None if where.scheme == "https" else "not_https"


def is_inside(where: Target) -> bool:
    """Whether the name alone, or the address that stands for it, says that it is no public one."""
    if (literal := where.literal) is not None:
        return not is_public(literal)
    return "." not in where.host or any(
        where.host == name or where.host.endswith(f".{name}") for name in _INSIDE
    )


def is_public(address: Address) -> bool:
    """Whether an address is one of the public network, and does not stand for another that is not."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        for network, begin in _CARRIERS:
            if address in network:
                return is_public(IPv4Address(int(address) >> (128 - begin - 32) & 0xFFFFFFFF))
        if address not in _OUTSIDE_6 or address.teredo is not None:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def retry_at(*, seed: str, tries: int, since: int, now: int, retry_after: float | None = None) -> int | None:
    """Return when a message is tried again after `tries` failures, ms; None when it has been tried for long enough.

    The pauses grow from five seconds to six hours, each by up to a fifth longer or shorter: many messages that failed
    together do not come again together. The receiver may ask for a longer one. `seed` is what the chance is made of.
    """
    pause = min(FIRST_RETRY_S * GROWTH ** min(tries - 1, 20), LONGEST_RETRY_S)
    chance = int.from_bytes(hashlib.sha256(f"{seed}:{tries}".encode()).digest()[:4]) / 2**32
    pause = max(pause * (0.8 + 0.4 * chance), min(retry_after or 0.0, LONGEST_RETRY_S * 4))
    at = now + round(pause * 1000)
    return at if at <= since + GIVE_UP_S * 1000 else None


def message(kind: str, *, at: str, data: str) -> bytes:
    """Write the body of a message; `data` is a JSON text."""
    return f'{{"type":{json.dumps(kind)},"timestamp":"{at}","data":{data}}}'.encode()


def _default_port(scheme: str) -> int:
    return 443 if scheme == "https" else 80


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _looks_numeric(host: str) -> bool:
    """Whether some program would read an address here: 127.1, 0x7f.1, 2130706433."""
    return re.fullmatch(r"0x[0-9a-f]*|[0-9]+", host.lower().rpartition(".")[2]) is not None
