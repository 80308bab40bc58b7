"""The links that an agent may send a person to, and the display of their destination.

Only links that every program reads in the same way are accepted: ASCII, no user name, and as host a name or
an address in its usual form. The web page applies the same rule (`web/src/core/link.ts`);
`vectors/links.json` has the cases.
"""

from __future__ import annotations

import re

MAX_LENGTH = 2_000

_WEB = re.compile(
    r"(https?)://([a-z0-9.-]{1,253}|\[[0-9a-f:]{2,39}\])(?::([0-9]{1,5}))?(?:[/?#][!#-;=?-\[\]_a-z~]*)?",
    re.IGNORECASE | re.ASCII,
)
_MAIL = re.compile(r"mailto:([a-z0-9.+_-]{1,64}@([a-z0-9.-]{1,253}))", re.IGNORECASE | re.ASCII)
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\.?")
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_ADDRESS = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}")
_NUMERIC = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def link_host(url: str) -> str | None:
    """Return the destination of a link for display: a host, or an email address; None if it is refused."""
    if len(url) > MAX_LENGTH:
        return None
    if mail := _MAIL.fullmatch(url):
        return mail[1] if _is_host(mail[2].lower()) else None
    web = _WEB.fullmatch(url)
    if web is None:
        return None
    scheme, host, port = web[1].lower(), web[2].lower(), web[3]
    if not (host.startswith("[") or _is_host(host)) or (port and not 0 < int(port) <= 65535):
        return None
    return host if port is None or port == _DEFAULT_PORTS[scheme] else f"{host}:{port}"


def _is_host(host: str) -> bool:
    """Return whether a host is a name, or an IPv4 address of four decimal numbers; `127.1` and `0x7f.1` are neither."""
    if _NUMERIC.fullmatch(host):
        return _ADDRESS.fullmatch(host) is not None
    return _NAME.fullmatch(host) is not None
