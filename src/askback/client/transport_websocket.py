"""Exchange frames over a WebSocket: the default transport, and the cheapest."""

from __future__ import annotations

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.typing import Subprotocol

from askback.client.transport import (
    FrameStream,
    NetworkTransport,
    TransportError,
    Via,
    close_error,
    connect_error,
    credentials,
    is_loopback,
    unknown_token,
)
from askback.errors import Forbidden, Refused
from askback.wire.websocket import SUBPROTOCOL

OPEN_S = 5.0
CLOSE_S = 1.0
MAX_INCOMING = 64 * 1024 * 1024
_RETRYABLE_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})


class UpgradeRefused(TransportError):
    """A proxy does not let WebSockets through."""


class ConnectTimedOut(TransportError):
    """Nothing answered in time: the server is down, or the network drops upgrades."""


class WebSocketTransport(NetworkTransport):
    """Connects to `/v1/ws` of one server. `url` is the server's, with http or https."""

    async def frames(self) -> FrameStream:
        """Connect; raises `UpgradeRefused` or `ConnectTimedOut` when HTTP might work instead."""
        await self._check_server()
        try:
            connection = await connect(
                f"ws{self.address.removeprefix('http').rstrip('/')}/v1/ws",
                additional_headers=credentials(self._token, self._via),
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                max_size=MAX_INCOMING,
                open_timeout=OPEN_S,
                close_timeout=CLOSE_S,
                proxy=None if is_loopback(self.address) else True,
            )
        except InvalidStatus as error:
            raise _status_error(error.response.status_code) from None
        except (InvalidHandshake, InvalidURI) as error:
            raise UpgradeRefused(str(error)) from None
        except TimeoutError as error:
            raise ConnectTimedOut(str(error) or type(error).__name__) from None
        except (OSError, ConnectionClosed, EOFError) as error:
            raise connect_error(error) from None
        return WebSocketFrames(connection)


class AutoTransport(WebSocketTransport):
    """Uses a WebSocket, or HTTP once a proxy has refused the upgrade.

    When a connection attempt times out, the network may drop upgrades: HTTP is then used for this attempt.
    """

    def __init__(self, url: str, token: str, *, via: Via = "api", server_key: str = "") -> None:
        super().__init__(url, token, via=via, server_key=server_key)
        self._upgrades = True

    async def frames(self) -> FrameStream:
        """Connect over whichever transport works."""
        if self._upgrades:
            try:
                return await super().frames()
            except UpgradeRefused:
                self._upgrades = False
            except ConnectTimedOut:
                pass
        from askback.client.transport_http import HttpTransport

        return await HttpTransport(
            self.address, self._token, via=self._via, server_key=self._server_key
        ).frames()


class WebSocketFrames:
    """One WebSocket connection."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, text: str) -> None:
        """Send a frame."""
        try:
            await self._connection.send(text)
        except ConnectionClosed as error:
            raise _close_error(error) from None

    async def receive(self) -> str:
        """Return the next frame."""
        try:
            return await self._connection.recv(decode=True)
        except ConnectionClosed as error:
            raise _close_error(error) from None

    async def close(self) -> None:
        """Close with a close frame, or without one after a second."""
        await self._connection.close()


def _close_error(error: ConnectionClosed) -> TransportError | Refused:
    """Return the error for a closed connection, the same for senders and readers."""
    close_frame = error.rcvd
    return (
        close_error(close_frame.code, close_frame.reason)
        if close_frame
        else TransportError("the connection broke")
    )


def _status_error(status: int) -> TransportError | Refused:
    if status == 401:
        return unknown_token()
    if status == 403:
        return Forbidden("The server refused the connection.")
    if status in _RETRYABLE_STATUSES:
        return TransportError(f"the server answered {status}")
    return UpgradeRefused(f"the upgrade was answered with {status}")
