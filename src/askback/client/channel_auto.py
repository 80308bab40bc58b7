"""Use a WebSocket, or HTTP if a proxy refuses the upgrade."""

from __future__ import annotations

from askback.client.channel import Channel, Connector, Lost, Via
from askback.client.channel_websocket import UpgradeRefused, WebSocketConnector


class AutoConnector:
    """Tries the WebSocket first, and stays with HTTP once the way was found to be closed to it.

    A connection attempt that runs into nothing may be a network that swallows upgrades: then HTTP
    is tried as well, for this attempt.
    """

    def __init__(self, url: str, token: str, *, via: Via = "api") -> None:
        self.where = url
        self._token = token
        self._via: Via = via
        self._chosen: Connector = WebSocketConnector(url, token, via=via)
        self._upgrades = True

    async def connect(self) -> Channel:
        """Connect over whichever works."""
        try:
            return await self._chosen.connect()
        except UpgradeRefused:
            self._upgrades = False
            self._chosen = self._http()
            return await self._chosen.connect()
        except Lost as error:
            if self._upgrades and "timed out" in str(error):
                return await self._http().connect()
            raise

    async def close(self) -> None:
        """Free what the connections shared."""
        await self._chosen.close()

    def _http(self) -> Connector:
        from askback.client.channel_http import HttpConnector

        return HttpConnector(self.where, self._token, via=self._via)
