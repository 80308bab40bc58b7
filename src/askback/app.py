"""`create_app`, for hosts that serve askback as an ASGI app of their own."""

from __future__ import annotations

from askback.server.app import create_app

__all__ = ["create_app"]
