"""Who may answer a request, in words for somebody at a terminal who may not. The server has the last word on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx2

from askback.cli.connection import Connection
from askback.domain.access import GROUP, Level
from askback.domain.kinds import KINDS
from askback.domain.request import InputRequest


@dataclass(frozen=True, slots=True)
class Reader:
    """Whoever looks: what a request may name them by; None while that is not known."""

    names: frozenset[str] | None = None

    def hindrance(self, request: InputRequest) -> str | None:
        """Say who may answer, where this person may not."""
        kind = KINDS.get(request.kind)
        if kind and request.level is not None and Level[request.level.upper()] < kind.level:
            return "You may only read this. Others answer it."
        if not request.assignees or self.names is None:
            return None
        wanted = [*request.assignees, *request.assigned]
        if self.names.intersection(wanted):
            return None
        return f"To be answered by: {', '.join(name.removeprefix(GROUP) for name in wanted)}."


async def reader(server: Connection) -> Reader:
    """Return who the token of a connection stands for."""
    headers = {"Authorization": f"Bearer {server.token}"}
    try:
        async with httpx2.AsyncClient(base_url=server.url, headers=headers, trust_env=False) as http:
            reply = await http.get("/v1/session")
            reply.raise_for_status()
    except httpx2.HTTPError:
        return Reader()
    me: dict[str, Any] = reply.json()["principal"]
    return Reader(frozenset({me["id"], me["user"], *(GROUP + name for name in me["groups"])}))
