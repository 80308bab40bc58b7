"""Carry secret values to an app in the same process: one call of the app, with both bodies passed directly."""

from __future__ import annotations

import asyncio

from askback.client.channel import Via
from askback.client.channel_app import Message, Residence, app_scope
from askback.client.road import Reply, quietly
from askback.domain.secrets.secret import Secret


class AppRoad:
    """Posts to an app."""

    def __init__(self, residence: Residence, *, via: Via = "api") -> None:
        self.where = residence.where
        self._residence = residence
        self._via: Via = via

    async def post(self, path: str, body: Secret, *, key: str | None = None) -> Reply:
        """Post a JSON text."""
        scope = app_scope("http", path, token=await self._residence.token(), via=self._via)
        scope["method"], scope["scheme"] = "POST", "http"
        scope["headers"] += [(b"content-type", b"application/json")]
        if key is not None:
            scope["headers"] += [(b"idempotency-key", key.encode())]
        exchange = Exchange(body)
        await quietly(self._residence.app(scope, exchange.receive, exchange.send))
        return exchange.reply()

    async def close(self) -> None:
        """Leave the app."""
        await self._residence.leave()


class Exchange:
    """One request to an app and its response, as the app receives and sends them."""

    __slots__ = ("_asked", "_body", "_headers", "_said", "_status")

    def __init__(self, body: Secret) -> None:
        self._body = body
        self._asked = False
        self._status = 500
        self._headers: dict[bytes, bytes] = {}
        self._said = bytearray()

    async def receive(self) -> Message:
        """Give the body, once; after it there is nothing to come."""
        if self._asked:
            await asyncio.Event().wait()
        self._asked = True
        return {"type": "http.request", "body": self._body.reveal().encode(), "more_body": False}

    async def send(self, message: Message) -> None:
        """Take the head or a piece of the response."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = dict(message["headers"])
        elif message["type"] == "http.response.body":
            self._said += message.get("body", b"")

    def reply(self) -> Reply:
        """Return the response."""
        retry_after = self._headers.get(b"retry-after")
        return Reply(
            self._status,
            None if retry_after is None else retry_after.decode("latin-1"),
            Secret(self._said.decode("utf-8", "replace")),
        )
