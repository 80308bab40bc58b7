"""The lasting connections of one server: event streams, WebSockets, long polls, and those of other systems."""

from __future__ import annotations

from collections.abc import Mapping

from askback.service.context import Services
from askback.service.delivery.subscriptions import Subscriptions
from askback.service.delivery.waits import ConnectionWaits
from askback.transports.compat import Compat
from askback.transports.compat.api import Gateway
from askback.transports.endpoint import HttpHandler
from askback.transports.sse import Streams
from askback.transports.websocket.endpoint import Sockets


class Connections:
    """The transports that keep connections open; `finish_oauth` shows the final page of connecting an account."""

    def __init__(self, services: Services, *, finish_oauth: HttpHandler) -> None:
        subscriptions = Subscriptions(services)
        self._waiters = services.waiters
        self._waits = ConnectionWaits(services)
        self.streams = Streams(subscriptions)
        self.sockets = Sockets(services, subscriptions, self._waits)
        self.compat = Compat(Gateway(services, subscriptions, self._waits), finish_oauth=finish_oauth)
        for transport in (self.streams, self.sockets, self.compat):
            services.bus.on_dismissal(transport.hang_up)

    def end(self) -> None:
        """End all of them: polls as if their time were up, held calls with a 503, streams as complete replies."""
        self._waiters.end_polls()
        for transport in (self.compat, self.sockets, self.streams):
            transport.close()

    def session_ids(self) -> set[str]:
        """The ids of the browser sessions that have one open."""
        return self.sockets.sessions() | self.streams.sessions() | self.compat.sessions()

    def counts(self) -> Mapping[str, int]:
        """Their number by kind."""
        return {
            "websocket": self.sockets.count(),
            "event_stream": self.streams.count(),
            "wait": self._waits.count(),
            "compat": self.compat.count(),
        }
