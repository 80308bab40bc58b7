"""Gobby: its chat WebSocket for people, and Claude's `can_use_tool` callback as a held call for agents."""

from askback.compat.gobby.chat import ChatPeer
from askback.compat.gobby.permission import can_use_tool, interrupt
from askback.ports.systems import Route, Socket, System
from askback.wire.operation import PEOPLE, REQUESTER

SYSTEM = System(
    routes=[
        Route("POST /api/conversations/{conversation}/can_use_tool", REQUESTER, can_use_tool, lasts=True),
        Route("POST /api/conversations/{conversation}/interrupt", REQUESTER, interrupt),
    ],
    sockets=[Socket("/ws", PEOPLE, ChatPeer)],
)
