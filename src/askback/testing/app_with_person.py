"""An app in memory, together with somebody who answers its requests from its start to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from askback.client.async_client import AsyncClient
from askback.client.transport_app import ASGIApp, Message
from askback.server.app import App

Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class AppWithPerson:
    """An ASGI app; `answer_all` gets a client of a responder and one of an admin, and is cancelled at the end."""

    def __init__(self, app: App, answer_all: Callable[[AsyncClient, AsyncClient], Awaitable[None]]) -> None:
        self.inner = app
        self._answer_all = answer_all
        self._tokens: dict[str, str] = {}
        self._person: asyncio.Task[None] | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one connection, or the lifespan."""
        if scope["type"] != "lifespan":
            await self.inner(scope, receive, send)
            return

        async def receiving() -> Message:
            message = await receive()
            if message["type"] == "lifespan.shutdown" and self._person is not None:
                self._person.cancel()
                await asyncio.wait([self._person])
            return message

        async def sending(message: Message) -> None:
            if message["type"] == "lifespan.startup.complete":
                self._person = asyncio.create_task(self._answer())
            await send(message)

        await self.inner(scope, receiving, sending)

    async def token(self, role: str) -> str:
        """Return the token of a role, the same one after a restart of the app: it is the same agent."""
        if role not in self._tokens:
            self._tokens[role] = await self.inner.token(role)
        return self._tokens[role]

    async def _answer(self) -> None:
        app = _without_lifespan(self.inner)
        responder = AsyncClient(app=app, token=await self.token("responder"))
        admin = AsyncClient(app=app, token=await self.token("admin"))
        async with responder, admin:
            await self._answer_all(responder, admin)


def _without_lifespan(app: App) -> ASGIApp:
    """Return a running app, for clients which do not keep it running."""

    async def running(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return
        for step in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{step}.complete"})

    return running
