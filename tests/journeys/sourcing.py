"""An agent and a person at a server with sources of options."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from askback.domain.sources import OptionPage, OptionQuery
from askback.server.app import App, create_app
from askback.server.settings import load

REPOSITORIES = [{"value": 1, "label": "api"}, {"value": 2, "label": "web", "description": "The page"}]
MORE = [{"value": n, "label": f"service {n}"} for n in range(10, 80)]
Body = dict[str, Any]


def repositories(query: OptionQuery) -> OptionPage:
    """A plain function, which runs in a thread."""
    return query.page([*REPOSITORIES, *MORE])


FILES: Mapping[str, Sequence[Body]] = {
    "/": [{"value": "/src", "label": "src", "has_children": True, "disabled": True}, {"value": "/a.md", "label": "a.md"}],
    "/src": [{"value": "/src/b.py", "label": "b.py"}],
}  # fmt: skip


async def files(query: OptionQuery) -> Sequence[Body]:
    """A tree; Bob does not see a.md."""
    known = [item for folder in FILES.values() for item in folder]
    if query.values is not None:
        return [
            item
            for item in known
            if item["value"] in query.values and (query.user, item["value"]) != ("bob", "/a.md")
        ]
    return FILES.get(query.parent or "/", ())


REPOSITORY = {
    "id": "repo",
    "type": "select",
    "label": "Repository",
    "options_from": {"source": "repositories"},
}
FILE = {"id": "file", "type": "radio", "label": "File", "options_from": {"source": "files", "tree": True}}
SEVERAL = {**REPOSITORY, "type": "multiselect"}


@dataclass
class SourceServer:
    """An agent and a person at a server with sources."""

    app: App
    agent: httpx2.AsyncClient
    person: httpx2.AsyncClient

    async def ask(self, *fields: Body, **extra: Any) -> httpx2.Response:
        form = {"title": "Where?", "fields": fields, **extra.pop("form", {})}
        return await self.agent.post(
            "/v1/requests", json={"kind": "form", "thread_id": "t1", "form": form, **extra}
        )

    async def ask_form(self, *fields: Body, **extra: Any) -> Body:
        reply = await self.ask(*fields, **extra)
        assert reply.status_code == 201, reply.text
        return reply.json()

    async def search(self, request: Body, **query: Any) -> httpx2.Response:
        return await self.person.get(f"/v1/requests/{request['id']}/options", params=query)

    async def answer(self, request: Body, **values: Any) -> httpx2.Response:
        body = {"revision": request["revision"], "values": values}
        return await self.person.post(f"/v1/requests/{request['id']}/answer", json=body)

    async def client(self, role: str, name: str) -> httpx2.AsyncClient:
        token = await self.app.token(role, name=name, user=name if role == "responder" else None)
        headers = {"Authorization": f"Bearer {token}"}
        transport = httpx2.ASGITransport(app=self.app)
        return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787", headers=headers)


@asynccontextmanager
async def run_source_server(
    data: Path, settings: Mapping[str, str] | None = None, **parts: Any
) -> AsyncIterator[SourceServer]:
    sources = {"repositories": repositories, "files": files, **parts.pop("sources", {})}
    app = create_app(load(settings or {}, data_dir=data), option_sources=sources, **parts)
    async with app.running():
        source_server = SourceServer(app, httpx2.AsyncClient(), httpx2.AsyncClient())
        source_server.agent, source_server.person = (
            await source_server.client("requester", "agent"),
            await source_server.client("responder", "ada"),
        )
        yield source_server


def faults(reply: httpx2.Response) -> list[tuple[str, str]]:
    assert reply.status_code == 422, reply.text
    return [(error["path"], error["code"]) for error in reply.json()["error"]["field_errors"]]
