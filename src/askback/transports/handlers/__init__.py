"""The handlers that REST and the WebSocket share: each is the function with the name of its operation."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from askback.transports.call import Handler
from askback.transports.handlers import (
    agents,
    delivery,
    inbox,
    policy,
    requests,
    runs,
    secrets,
    server,
    threads,
)
from askback.wire.operations import OPERATIONS

HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        name: function
        for module in (requests, inbox, threads, runs, delivery, policy, secrets, agents, server)
        for name, function in vars(module).items()
        if name in OPERATIONS
    }
)
"""The handlers by operation. Those of only one transport are in that transport."""
