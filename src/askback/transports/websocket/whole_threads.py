"""The operations on threads as a whole over the WebSocket."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Protocol

from askback.ports.store import Principal
from askback.service import archive
from askback.service.context import Services
from askback.transports.websocket.arguments import Frame, needed


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


WHOLE_THREADS: Mapping[str, Callable[[Caller, Frame], Awaitable[str]]] = MappingProxyType(
    {"archive": _archive, "unarchive": _unarchive}
)
