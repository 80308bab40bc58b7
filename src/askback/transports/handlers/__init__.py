"""The handlers that REST and the WebSocket share: each is the function with the name of its operation."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from askback.service.requests.kinds import handlers_for
from askback.transports.call import Handler, OperationCall, Result
from askback.transports.handlers import agents, delivery, inbox, requests, runs, secrets, server, threads
from askback.wire.operations import OPERATIONS, RULES


def _lazy_policy_handler(name: str) -> Handler:
    """Return a handler of `policy.py`, which is imported at its first call (ADR 107)."""

    async def handle(call: OperationCall) -> Result:
        from askback.transports.handlers import policy

        return await vars(policy)[name](call)

    return handle


def import_policy() -> None:
    """Import the modules that are otherwise imported at the first approval or the first call about rules."""
    handlers_for("approval")
    import_module("askback.transports.handlers.policy")


_OF_POLICY = ("consume_approval", "report_execution", "revoke_approval", *(item.name for item in RULES))

HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        name: function
        for module in (requests, inbox, threads, runs, delivery, secrets, agents, server)
        for name, function in vars(module).items()
        if name in OPERATIONS
    }
    | {name: _lazy_policy_handler(name) for name in _OF_POLICY}
)
"""The handlers by operation. Those of only one transport are in that transport."""
