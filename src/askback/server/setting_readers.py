"""Read the values of single settings. Each function raises `SettingsError`, which names the variable."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from askback.domain.secrets.names import is_well_formed
from askback.domain.values import frozen
from askback.domain.webhooks import AllowedTargets, decode_secret, parse_target
from askback.server.database_address import SettingsError
from askback.service.access.roles import BOOTSTRAP_ROLES, DEFAULT_TENANT

MAX_S = 3600.0
_HOST = re.compile(r"(?:[\w.-]+|\[[0-9a-fA-F:]+\])(?::\d{1,5})?")
_TOKEN = re.compile(
    r"(?P<role>requester|responder|admin)(?:/(?P<name>[^@:,]{1,200}))?(?:@(?P<tenant>[\w.-]{1,100}))?"
    r":(?P<token>(?a:[\w.~+/=-]{1,512}))"
)


@frozen(slots=True)
class Bootstrap:
    """A token that the deployer chose. It is left out of every repr."""

    role: str
    name: str
    tenant: str
    token: str

    def __repr__(self) -> str:
        return f"Bootstrap({self.role!r}, {self.name!r}, {self.tenant!r})"


def read_choice(variable: str, text: str, *, choices: Sequence[str]) -> str:
    """Read one of some words, in any case."""
    if text.lower() not in choices:
        raise SettingsError(f"{variable} must be one of {', '.join(choices)}.")
    return text.lower()


def read_host(variable: str, text: str) -> str:
    """Read a host name or an address without a port."""
    if not re.fullmatch(r"[\w.-]+|[0-9a-fA-F:]+", text):
        raise SettingsError(f"{variable} must be a host name or an address, without a port.")
    return text


def read_port(variable: str, text: str) -> int:
    """Read a port."""
    if not text.isascii() or not text.isdecimal() or int(text) > 65535:
        raise SettingsError(f"{variable} must be a number from 0 to 65535.")
    return int(text)


def read_bootstrap(variable: str, text: str) -> tuple[Bootstrap, ...]:
    """Read the tokens that the deployer chose."""
    tokens: list[Bootstrap] = []
    for i, entry in enumerate(filter(None, (part.strip() for part in text.split(","))), start=1):
        match = _TOKEN.fullmatch(entry)
        if match is None:
            # Not the entry itself: it holds a secret.
            raise SettingsError(
                f"{variable}: entry {i} must be role[/name][@tenant]:token, with role one of "
                f"{', '.join(BOOTSTRAP_ROLES)} and a token of 1 to 512 letters, digits or . ~ + / = _ -."
            )
        role = match["role"]
        tokens.append(
            Bootstrap(role, match["name"] or role, match["tenant"] or DEFAULT_TENANT, match["token"])
        )
    if len({entry.token for entry in tokens}) < len(tokens):
        raise SettingsError(f"{variable} contains the same token twice. Use a different token for each role.")
    return tuple(tokens)


def read_hosts(variable: str, text: str) -> tuple[str, ...]:
    """Read names of this server."""
    names = _split(text)
    for name in names:
        if not _HOST.fullmatch(name):
            raise SettingsError(
                f"{variable}: {name!r} is not a name such as askback.example.com or name:8787."
            )
    return names


def read_webhook_hosts(variable: str, text: str) -> tuple[str, ...]:
    """Read names, addresses and networks that webhooks may reach."""
    names = _split(text)
    for name in names:
        try:
            AllowedTargets.parse([name])
        except ValueError:
            raise SettingsError(
                f"{variable}: {name!r} is not a name such as hooks.lan, an address, or a network such as 10.0.0.0/8."
            ) from None
    return names


def read_origins(variable: str, text: str) -> tuple[str, ...]:
    """Read origins."""
    return tuple(read_origin(variable, origin) for origin in _split(text))


def read_origin(variable: str, text: str) -> str:
    """Read an origin."""
    url = _web(variable, text)
    if url.path not in ("", "/"):
        raise SettingsError(f"{variable}: an origin has no path, as in https://app.example.com.")
    return f"{url.scheme}://{url.netloc}".lower()


def _web(variable: str, text: str) -> Any:
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname or url.username or url.query or url.fragment:
        raise SettingsError(f"{variable} must be an address such as https://askback.example.com.")
    return url


def read_brand(variable: str, text: str) -> str:
    """Read the product name."""
    if not re.fullmatch(r"[\w .&'+-]{1,40}", text):
        raise SettingsError(f"{variable} must be 1 to 40 letters, digits, blanks or . & ' + - _.")
    return text


def read_days(variable: str, text: str) -> int:
    """Read a number of days."""
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 36_500:
        raise SettingsError(f"{variable} must be a number of days from 1 to 36500.")
    return int(text)


def read_trusted_proxies(variable: str, text: str) -> tuple[str, ...]:
    """Read the addresses and networks of proxies."""
    for network in _split(text):
        try:
            ip_network(network)
        except ValueError:
            raise SettingsError(
                f"{variable}: {network!r} is not an address such as 127.0.0.1 or a network such as 10.0.0.0/8."
            ) from None
    return _split(text)


def _split(text: str) -> tuple[str, ...]:
    return tuple(part for part in (piece.strip() for piece in text.split(",")) if part)


def is_address(host: str) -> bool:
    """Return whether a host is an IP address and not a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def read_seconds(variable: str, text: str) -> float:
    """Read a number of seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MAX_S:
        raise SettingsError(f"{variable} must be a number of seconds above 0, at most {MAX_S:.0f}.")
    return seconds


def read_switch(variable: str, text: str) -> bool:
    """Read `on` or `off`."""
    if text.lower() not in ("on", "off"):
        raise SettingsError(f"{variable} must be on or off.")
    return text.lower() == "on"


def read_calls(variable: str, text: str, *, reserved: str = "") -> tuple[tuple[str, str], ...]:
    """Read `name=url,…`; no name is `reserved`."""
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    calls = [(name.strip(), url.strip()) for name, _, url in (entry.partition("=") for entry in entries)]
    for name, url in calls:
        if not re.fullmatch(r"[\w.-]{1,100}", name) or name == reserved or parse_target(url) is None:
            raise SettingsError(
                f"{variable}: {name!r} must be name=url, such as stock=https://example.com/check."
            )
    return tuple(calls)


def read_secret(variable: str, text: str) -> str:
    """Read the secret of webhooks."""
    if decode_secret(text) is None:
        raise SettingsError(f"{variable} must be whsec_ and base64.")
    return text


def read_blocked_names(variable: str, text: str) -> frozenset[str]:
    """Return the names of a comma-separated list."""
    names = frozenset(name for part in text.split(",") if (name := part.strip()))
    for name in sorted(names):
        if not is_well_formed(name):
            raise SettingsError(f"{variable}: {name!r} is not the name of a secret such as MASTER_SECRET.")
    return names


def read_metrics_token(variable: str, text: str) -> str:
    """Read the token for `/metrics`."""
    if not re.fullmatch(r"[\w.~+/=-]{16,512}", text, re.ASCII):
        raise SettingsError(f"{variable} must be 16 to 512 letters, digits or . ~ + / = _ -.")
    return text
