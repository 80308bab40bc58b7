"""The operations on threads as a whole over the WebSocket."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Protocol

from askback.ports.store import Principal
from askback.service import archive, erasure, export, quotas
from askback.service.context import Services
from askback.transports.websocket.arguments import Frame, needed, text


class Caller(Protocol):
    """What these operations need of a connection."""

    @property
    def ctx(self) -> Services:
        """The services."""
        ...

    @property
    def principal(self) -> Principal:
        """Who is calling."""
        ...


async def _archive(caller: Caller, frame: Frame) -> str:
    return json.dumps(await archive.archive(caller.ctx, caller.principal, needed(frame, "thread_id")))


async def _unarchive(caller: Caller, frame: Frame) -> str:
    return json.dumps(await archive.unarchive(caller.ctx, caller.principal, needed(frame, "thread_id")))


async def _export(caller: Caller, frame: Frame) -> str:
    return await export.export(caller.ctx, caller.principal, needed(frame, "thread_id"))


async def _erase(caller: Caller, frame: Frame) -> str:
    await erasure.erase(caller.ctx, caller.principal, needed(frame, "thread_id"))
    return "{}"


async def _limits(caller: Caller, frame: Frame) -> str:
    return json.dumps(await quotas.show(caller.ctx, caller.principal, text(frame, "thread_id")))


async def _reset_limits(caller: Caller, frame: Frame) -> str:
    return json.dumps(await quotas.reset(caller.ctx, caller.principal, frame.get("body")))


WHOLE_THREADS: Mapping[str, Callable[[Caller, Frame], Awaitable[str]]] = MappingProxyType(
    {
        "archive": _archive,
        "unarchive": _unarchive,
        "export": _export,
        "erase_thread": _erase,
        "limits": _limits,
        "reset_limits": _reset_limits,
    }
)
