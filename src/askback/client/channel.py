"""Carry frames to and from a server: over a WebSocket, HTTP, or an app in the same process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol
from urllib.parse import urlsplit

from askback.errors import Refused

SUBPROTOCOL = "askback.v1"
VIA_HEADER = "X-Askback-Via"
Via = Literal["api", "cli", "mcp", "chat"]
"""What a program says of the way on which it came; the audit log notes it."""

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

MAX_FRAME = 256 * 1024
"""Bytes that the server takes in one frame."""


class Lost(Exception):
    """The connection is gone, or could not be made; another one may work."""


class Channel(Protocol):
    """One connection. Texts are the frames of `docs/reference/wire.md`, whatever carries them."""

    async def send(self, text: str) -> None:
        """Send a frame; raises `Lost`."""
        ...

    async def receive(self) -> str:
        """Return the next frame; raises `Lost`, or a `Refused` when the server does not want this client."""
        ...

    async def close(self) -> None:
        """Close; never raises."""
        ...


class Connector(Protocol):
    """Makes connections to one server."""

    @property
    def where(self) -> str:
        """Where the server is, for messages."""
        ...

    async def connect(self) -> Channel:
        """Connect; raises `Lost` when it may work later, a `Refused` when it will not."""
        ...

    async def close(self) -> None:
        """Free what the connections shared."""
        ...


def credentials(token: str, via: Via) -> Mapping[str, str]:
    """Return the headers that say who this is, and on which way it came."""
    return {"authorization": f"Bearer {token}", VIA_HEADER: via}


def on_this_machine(url: str) -> bool:
    """Whether a server is here: then a proxy from the environment, which is for the network, is not for it."""
    return urlsplit(url).hostname in _LOOPBACK


def closed_by(code: int, reason: str = "") -> Lost | Refused:
    """Say what a close code of the server means."""
    from askback.errors import Forbidden, Unauthorized

    if code == 4401:
        return Unauthorized(
            "The server does not know this token. Check ASKBACK_TOKEN, or the `token` argument."
        )
    if code == 4403:
        return Forbidden(
            "The server refused this client's origin. The operator can add it to ASKBACK_ALLOWED_ORIGINS.",
            code="origin_not_allowed",
        )
    return Lost(f"closed with {code} {reason}".rstrip())
