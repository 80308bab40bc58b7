"""Operations on which agents may use a secret, over the WebSocket."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from askback.service.secrets import agents
from askback.transports.websocket.arguments import Frame, needed
from askback.transports.websocket.whole_threads import Caller


async def _read(caller: Caller, frame: Frame) -> str:
    found = await agents.read_agents(caller.ctx, caller.principal, needed(frame, "secret_id"))
    return json.dumps({"agents": found})


async def _set(caller: Caller, frame: Frame) -> str:
    secret_id = needed(frame, "secret_id")
    found = await agents.set_agents(caller.ctx, caller.principal, secret_id, frame.get("body"))
    return json.dumps({"agents": found})


async def _grant(caller: Caller, frame: Frame) -> str:
    secret_id, agent = needed(frame, "secret_id"), needed(frame, "agent")
    return json.dumps({"agents": await agents.grant(caller.ctx, caller.principal, secret_id, agent)})


async def _revoke(caller: Caller, frame: Frame) -> str:
    secret_id, agent = needed(frame, "secret_id"), needed(frame, "agent")
    return json.dumps({"agents": await agents.revoke(caller.ctx, caller.principal, secret_id, agent)})


async def _saved(caller: Caller, frame: Frame) -> str:
    found = await agents.saved(caller.ctx, caller.principal, needed(frame, "request_id"))
    return json.dumps({"saved": found})


SECRET_AGENTS: Mapping[str, Callable[[Caller, Frame], Awaitable[str]]] = MappingProxyType(
    {
        "secret_agents": _read,
        "set_secret_agents": _set,
        "grant_secret": _grant,
        "revoke_secret": _revoke,
        "saved": _saved,
    }
)
