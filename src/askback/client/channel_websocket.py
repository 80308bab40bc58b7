"""Carry frames over a WebSocket: the default channel, and the cheapest."""

from __future__ import annotations

from typing import Literal

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.typing import Subprotocol

from askback.client.channel import (
    SUBPROTOCOL,
    Channel,
    Lost,
    Via,
    closed_by,
    credentials,
    on_this_machine,
)
from askback.errors import Forbidden, Refused, Unauthorized

OPEN_S = 5.0
CLOSE_S = 1.0
MAX_INCOMING = 64 * 1024 * 1024
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})


class UpgradeRefused(Lost):
    """Something in between does not let WebSockets through."""


class WebSocketConnector:
    """Connects to `/v1/ws` of one server. `url` is the server's, with http or https."""

    def __init__(self, url: str, token: str, *, via: Via = "api") -> None:
        self.where = url
        self._address = f"ws{url.removeprefix('http').rstrip('/')}/v1/ws"
        self._headers = credentials(token, via)
        self._proxy: Literal[True] | None = None if on_this_machine(url) else True

    async def connect(self) -> Channel:
        """Connect; raises `UpgradeRefused` when HTTP might work where this does not."""
        try:
            connection = await connect(
                self._address,
                additional_headers=self._headers,
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                max_size=MAX_INCOMING,
                open_timeout=OPEN_S,
                close_timeout=CLOSE_S,
                proxy=self._proxy,
            )
        except InvalidStatus as error:
            raise _by_status(error.response.status_code) from None
        except (InvalidHandshake, InvalidURI) as error:
            raise UpgradeRefused(str(error)) from None
        except (OSError, TimeoutError, ConnectionClosed, EOFError) as error:
            raise Lost(str(error) or type(error).__name__) from None
        return WebSocketChannel(connection)

    async def close(self) -> None:
        """Do nothing: connections share nothing."""


class WebSocketChannel:
    """One WebSocket connection."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, text: str) -> None:
        """Send a frame."""
        try:
            await self._connection.send(text)
        except ConnectionClosed as error:
            raise _by_close(error) from None

    async def receive(self) -> str:
        """Return the next frame."""
        try:
            return await self._connection.recv(decode=True)
        except ConnectionClosed as error:
            raise _by_close(error) from None

    async def close(self) -> None:
        """Close with a farewell, or without one after a second."""
        await self._connection.close()


def _by_close(error: ConnectionClosed) -> Lost | Refused:
    """What the server closed for; whoever sends learns it as well as whoever reads."""
    close = error.rcvd
    return closed_by(close.code, close.reason) if close else Lost("the connection broke")


def _by_status(status: int) -> Lost | Refused:
    if status == 401:
        return Unauthorized(
            "The server does not know this token. Check ASKBACK_TOKEN, or the `token` argument."
        )
    if status == 403:
        return Forbidden("The server refused the connection.")
    if status in _LATER:
        return Lost(f"the server answered {status}")
    return UpgradeRefused(f"the upgrade was answered with {status}")
