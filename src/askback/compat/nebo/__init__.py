"""Nebo's ask widgets and approvals: both WebSockets of its hub, its chats, and its tool for Python.

`agent(client, …)` runs Nebo's tool `agent(resource: message, action: ask)` over a client; `AGENT_TOOL` describes it to
a model.
"""

from askback.compat.nebo.agents import AgentPeer
from askback.compat.nebo.people import PersonPeer, read_chat
from askback.compat.nebo.tool import AGENT_TOOL, agent
from askback.ports.systems import Route, Socket, System
from askback.wire.operation import PEOPLE, REQUESTER

__all__ = ["AGENT_TOOL", "SYSTEM", "agent"]

SYSTEM = System(
    routes=[Route("GET /api/v1/chats/{id}", PEOPLE, read_chat)],
    sockets=[
        Socket("/api/v1/agent/ws", REQUESTER, AgentPeer, max_bytes=10 * 1024 * 1024),
        Socket("/ws", PEOPLE, PersonPeer, max_bytes=32 * 1024),
    ],
    refuse=lambda problem: (problem.status, {"error": problem.message}),
)
