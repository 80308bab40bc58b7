"""Calls of the REST interface by commands: to the running server, or to the app in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from askback.cli.connection import Connection, NoneRunning, find
from askback.cli.local import require_database, running_here
from askback.client.channel import VIA_HEADER
from askback.errors import AskbackError

HERE = "http://127.0.0.1"


@dataclass(frozen=True, slots=True)
class Api:
    """The interface as a caller of one role."""

    http: httpx2.AsyncClient

    async def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Return what the server says; raises `AskbackError` with its message."""
        try:
            reply = await self.http.request(method, path, json=body, params=query)
        except httpx2.HTTPError as error:
            raise AskbackError(
                f"The server did not answer ({type(error).__name__}). Check that it is running, and try again."
            ) from None
        said: dict[str, Any] = reply.json() if reply.content else {}
        if reply.status_code >= 400:
            raise AskbackError(refusal(said["error"]))
        return said

    async def pages(
        self, path: str, name: str, query: Mapping[str, str] | None = None
    ) -> list[dict[str, Any]]:
        """Return what a list has, of all its pages."""
        found: list[dict[str, Any]] = []
        cursor: str | None = ""
        while cursor is not None:
            page = await self.call(
                "GET", path, query={**(query or {}), **({"cursor": cursor} if cursor else {})}
            )
            found += page[name]
            cursor = page["next_cursor"]
        return found


def run(role: str, work: Any, *, data_dir: Path | None, creates: bool = False) -> Any:
    """Run `work` with an `Api` of the running server, or without one of the app in this process.

    Only a command that `creates` something makes a database where there is none.
    """
    return asyncio.run(_run(role, work, data_dir, creates=creates))


async def _run(role: str, work: Any, data_dir: Path | None, *, creates: bool) -> Any:
    try:
        server = find(role, data_dir=data_dir)
    except NoneRunning:
        if not creates:
            require_database(data_dir)
        async with running_here(data_dir) as local:
            transport = httpx2.ASGITransport(app=local.app)
            async with _http(Connection(HERE, local.token(role)), transport=transport) as http:
                return await work(Api(http))
    async with _http(server) as http:
        return await work(Api(http))


def _http(server: Connection, **options: Any) -> httpx2.AsyncClient:
    headers = {"Authorization": f"Bearer {server.token}", VIA_HEADER: "cli"}
    return httpx2.AsyncClient(base_url=server.url, headers=headers, trust_env=False, timeout=30, **options)


def refusal(error: Mapping[str, Any]) -> str:
    """Return what an error of the interface says, with each of its field errors."""
    faults = [f"{each['path']}: {each['message']}" for each in error.get("field_errors", ())]
    return " ".join([error["message"], *faults])
