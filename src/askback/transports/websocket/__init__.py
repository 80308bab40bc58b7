"""`GET /v1/ws`: every operation and event of the wire, multiplexed over one connection."""

from askback.transports.websocket.endpoint import Sockets

__all__ = ["Sockets"]
