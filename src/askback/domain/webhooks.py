"""Webhooks: events, allowed addresses, retries, and signatures as Standard Webhooks defines them.

A webhook never reaches a private network: a user who may set a URL must not reach services through this server that
they cannot reach themselves. https://www.standardwebhooks.com: the secret is `whsec_` and base64; the header
`webhook-signature` holds one or more signatures separated by blanks, each with its version in front.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Literal, get_args

from askback.domain.values import frozen

RESUME = "resume"
TEST = "test"
"""The type of an admin's test message to a webhook."""
WebhookEvent = Literal[
    "resume",
    "request.created",
    "request.shown",
    "request.voted",
    "request.attempted",
    "request.used",
    "request.revoked",
    "request.escalated",
    "request.assigned",
    "request.detached",
    "request.resolving",
    "request.reprompted",
    "request.updated",
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
"""How long a message is retried after its first attempt."""

HIGHEST_SYSTEM_PORT = 1023
_WEB_PORTS = frozenset({80, 443})
_PRIVATE_NETWORKS = (
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
_EMBEDDED_IPV4_NETWORKS = (
    # The prefix, and the position of an IPv4 address in it, which is the real destination.
    (ip_network("64:ff9b::/96"), 96),
    (ip_network("64:ff9b:1::/48"), 96),
    (ip_network("::ffff:0:0:0/96"), 96),
    (ip_network("::/96"), 96),
    (ip_network("2002::/16"), 16),
)
_OUTSIDE_6 = ip_network("2000::/3")

Address = IPv4Address | IPv6Address


@frozen(slots=True)
class WebhookTarget:
    """The destination of a URL: `host` in lower case without brackets, `path` with the query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def literal(self) -> Address | None:
        """The address, if the host is one."""
        return _literal(self.host)

    @property
    def authority(self) -> str:
        """The host and the port, as in the header `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _default_port(self.scheme) else f"{host}:{self.port}"


@frozen(slots=True)
class AllowedTargets:
    """The hosts and networks that the operator lets webhooks reach besides the public network."""

    names: frozenset[str] = frozenset()
    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def parse(cls, entries: Sequence[str]) -> AllowedTargets:
        """Parse names, addresses and networks such as `10.0.0.0/8`; raises `ValueError` for anything else."""
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

    def has_address(self, address: Address) -> bool:
        """Return whether an address is in one of the networks."""
        return any(address in network for network in self.networks)

    def has_host(self, target: WebhookTarget) -> bool:
        """Return whether the host is in the list, or is an address in one of the networks."""
        return target.host in self.names or (target.literal is not None and self.has_address(target.literal))


def parse_target(url: str) -> WebhookTarget | None:
    """Return the destination of a URL; None if it is not allowed.

    Only ASCII is accepted, no user name, no fragment, and addresses only as four decimal numbers or in brackets: a
    URL that two programs could read differently is refused.
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
    path = match["rest"] or "/"
    return WebhookTarget(scheme, host, port, path if path.startswith("/") else f"/{path}")


def target_fault(target: WebhookTarget | None, allowed: AllowedTargets) -> str | None:
    """Return why a destination is refused before its name is resolved: `unusable`, `inside` or `not_https`."""
    if target is None:
        return "unusable"
    if allowed.has_host(target):
        return None
    if is_private_target(target):
        return "inside"
    return None if target.scheme == "https" else "not_https"


def is_private_target(target: WebhookTarget) -> bool:
    """Return whether a host is private by its name, or by its literal address."""
    if (literal := target.literal) is not None:
        return not is_public_address(literal)
    return "." not in target.host or any(
        target.host == name or target.host.endswith(f".{name}") for name in _PRIVATE_NETWORKS
    )


def is_public_address(address: Address) -> bool:
    """Return whether an address is public and embeds no private one."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public_address(address.ipv4_mapped)
        for network, offset in _EMBEDDED_IPV4_NETWORKS:
            if address in network:
                return is_public_address(IPv4Address(int(address) >> (128 - offset - 32) & 0xFFFFFFFF))
        if address not in _OUTSIDE_6 or address.teredo is not None:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def retry_at(*, seed: str, tries: int, since: int, now: int, retry_after: float | None = None) -> int | None:
    """Return when a message is tried again after `tries` failures, in ms; None if it is not tried again.

    The pauses grow from five seconds to six hours, each by up to a fifth longer or shorter, so that messages that
    failed together are not retried together. The receiver may ask for a longer pause. `seed` determines the random
    part.
    """
    pause = min(FIRST_RETRY_S * GROWTH ** min(tries - 1, 20), LONGEST_RETRY_S)
    random_fraction = int.from_bytes(hashlib.sha256(f"{seed}:{tries}".encode()).digest()[:4]) / 2**32
    pause = max(pause * (0.8 + 0.4 * random_fraction), min(retry_after or 0.0, LONGEST_RETRY_S * 4))
    next_at = now + round(pause * 1000)
    return next_at if next_at <= since + GIVE_UP_S * 1000 else None


def payload(kind: str, *, timestamp: str, data: str) -> bytes:
    """Write the body of a message; `data` is a JSON text."""
    return f'{{"type":{json.dumps(kind)},"timestamp":"{timestamp}","data":{data}}}'.encode()


def _default_port(scheme: str) -> int:
    return 443 if scheme == "https" else 80


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _looks_numeric(host: str) -> bool:
    """Return whether some program would read an address here: 127.1, 0x7f.1, 2130706433."""
    return re.fullmatch(r"0x[0-9a-f]*|[0-9]+", host.lower().rpartition(".")[2]) is not None


PREFIX = "whsec_"
VERSION = "v1"


def encode_secret(key: bytes) -> str:
    """Encode a key for its receiver."""
    return PREFIX + base64.b64encode(key).decode()


def decode_secret(text: str) -> bytes | None:
    """Return the key of a secret, with or without the prefix; None if it is not valid."""
    try:
        return base64.b64decode(text.removeprefix(PREFIX), validate=True) or None
    except (binascii.Error, ValueError):
        return None


def sign(key: bytes, *, message_id: str, timestamp: int, body: bytes) -> str:
    """Return a signature for the header; `timestamp` is in seconds since the epoch."""
    signed_content = f"{message_id}.{timestamp}.".encode() + body
    return f"{VERSION},{base64.b64encode(hmac.digest(key, signed_content, hashlib.sha256)).decode()}"


def signature_matches(header: str, expected: str) -> bool:
    """Return whether one of the signatures in a header is the expected one; takes the same time for any of them."""
    matches = [hmac.compare_digest(item.encode(), expected.encode()) for item in header.split(" ")]
    return any(matches)
