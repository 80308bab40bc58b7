"""Explain who may answer a request, for people who may not. The server enforces it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx2

from askback.cli.connection import ServerConnection
from askback.client.transport import is_encrypted
from askback.domain.access import GROUP_PREFIX, AccessLevel
from askback.domain.kinds import KINDS
from askback.domain.request import InputRequest


@dataclass(frozen=True, slots=True)
class Reader:
    """The person at the terminal: the names that requests may use for them; None while unknown."""

    names: frozenset[str] | None = None

    def why_not_allowed(self, request: InputRequest) -> str | None:
        """Return who may answer, if this person may not."""
        kind = KINDS.get(request.kind)
        if kind and request.level is not None and AccessLevel[request.level.upper()] < kind.level:
            return "You have read access only. Other people answer this."
        if self.names is None:
            return None
        approval, requester = request.approval, request.requester
        if approval and approval.exclude_requester and requester and requester.user in self.names:
            return "The agent works for you, so somebody else has to decide."
        audience = request.audience
        if not audience or self.names.intersection(audience):
            return None
        return f"To be answered by: {', '.join(name.removeprefix(GROUP_PREFIX) for name in audience)}."


async def reader(server: ServerConnection) -> Reader:
    """Return the person that the token of a connection belongs to."""
    headers = {"Authorization": f"Bearer {server.token}"}
    try:
        async with httpx2.AsyncClient(
            base_url=server.url, headers=headers, trust_env=False, verify=is_encrypted(server.url)
        ) as http:
            reply = await http.get("/v1/session")
            reply.raise_for_status()
    except httpx2.HTTPError:
        return Reader()
    me: dict[str, Any] = reply.json()["principal"]
    return Reader(frozenset({me["id"], me["user"], *(GROUP_PREFIX + name for name in me["groups"])}))
